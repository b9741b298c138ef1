/** What the operator can act on: told in its own words, without a stack. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
}

/** The command line itself is wrong. */
export class UsageError extends Problem {
  override readonly name = 'UsageError';
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
