import { AsyncLocalStorage } from 'node:async_hooks';

/** How long the answer to a statement may take, in milliseconds. */
export const DEADLINES = {
  /** Work of pollers, dispatchers and streams, including claims and sweeps. Requests have less (DATABASE_REQUEST_TIMEOUT_MS). */
  statement: 8000,
  /** Bulk work in the background: deleting old rows, counting, feeding replays. */
  bulk: 60_000,
  /** One migration. It may build an index over a large table. */
  migration: 2 * 60 * 60_000,
} as const;

const chosen = new AsyncLocalStorage<number>();

/** Runs `work` with another deadline for each of its statements, with or without Prisma. */
export function withDeadline<T>(ms: number, work: () => Promise<T>): Promise<T> {
  // Prisma sends a statement when its promise is awaited: that has to happen in here.
  return chosen.run(ms, async () => await work());
}

/** The deadline of a statement that is sent now. */
export function currentDeadline(fallbackMs: number): number {
  return chosen.getStore() ?? fallbackMs;
}

/** A statement had no answer within its deadline. Whether it took effect is not known. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  // The same code as Node's socket errors, so Prisma treats it as one.
  readonly code = 'ETIMEDOUT';
  readonly syscall = 'query';
  readonly errno = -110;

  constructor(ms: number) {
    super(`the database has not answered within ${ms} ms`);
  }
}
