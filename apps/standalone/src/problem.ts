/** A problem that the user can fix: printed without a stack. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
