/** A problem that the operator can fix: printed without a stack. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
}

/** The command line is invalid. */
export class UsageError extends Problem {
  override readonly name = 'UsageError';
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
