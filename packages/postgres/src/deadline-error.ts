/** A statement had no answer within its deadline. Whether it took effect is not known. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  // The same code as Node's socket errors, so Prisma treats it as one.
  readonly code = 'ETIMEDOUT';
  readonly syscall = 'query';
  readonly errno = -110;

  constructor(ms: number) {
    super(`the database has not answered within ${Math.round(ms)} ms`);
  }
}
