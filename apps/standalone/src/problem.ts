/** What the user can act on: told in its own words, without a stack. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
