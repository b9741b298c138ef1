/** A problem that the operator can fix: printed without a stack. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
}

/** The command line is invalid. */
export class UsageError extends Problem {
  override readonly name = 'UsageError';
}
