import { AsyncLocalStorage } from 'node:async_hooks';
import { CONFIRM_MS } from '@pts/postgres/client';
import { DeadlineError } from '@pts/postgres/deadline-error';
import { within } from '@pts/waiting/within';

export { DeadlineError } from '@pts/postgres/deadline-error';

/** How long the answer to a statement may take, in milliseconds. */
export const DEADLINES = {
  /** Work of pollers, dispatchers and streams, including claims and sweeps. Requests have less (650 ms). */
  statement: 8000,
  /** Bulk work in the background: deleting old rows, counting, feeding replays. */
  bulk: 60_000,
  /** One migration. It may build an index over a large table. */
  migration: 2 * 60 * 60_000,
} as const;

/** The time in which some work waits for the database, over all of its statements. Waits at the same time count once. */
class Allowance {
  readonly ms: number;
  #leftMs: number;
  #waits = 0;
  #since = 0;

  constructor(ms: number) {
    this.ms = ms;
    this.#leftMs = ms;
  }

  leftMs(): number {
    const runningMs = this.#waits > 0 ? performance.now() - this.#since : 0;
    return Math.max(0, this.#leftMs - runningMs);
  }

  begin(): void {
    if (this.#waits === 0) this.#since = performance.now();
    this.#waits += 1;
  }

  end(): void {
    this.#waits -= 1;
    if (this.#waits === 0) this.#leftMs -= performance.now() - this.#since;
  }
}

/** Of each statement, or of all together. */
const chosen = new AsyncLocalStorage<number | Allowance>();

function allowance(): Allowance | null {
  const store = chosen.getStore();
  return store instanceof Allowance ? store : null;
}

/** The least time for a statement with a deadline of its own that had to wait for its connection. */
export const MIN_MS = 100;

/** Runs `work` with another deadline for each of its statements, with or without Prisma. */
export function withDeadline<T>(ms: number, work: () => Promise<T>): Promise<T> {
  // Prisma sends a statement when its promise is awaited: that has to happen in here.
  return chosen.run(ms, async () => await work());
}

/**
 * Runs `work` with one deadline for all of its statements together. Only the time counts in which it waits for a statement or a
 * connection: neither that of other calls, nor that between statements.
 */
export function withSharedDeadline<T>(ms: number, work: () => T): T {
  return chosen.run(new Allowance(ms), work);
}

/** The deadline of a statement that is sent now, `waitedMs` after it began to wait for its connection. */
export function currentDeadline(fallbackMs: number, waitedMs = 0): number {
  const store = chosen.getStore() ?? fallbackMs;
  if (typeof store !== 'number') return store.leftMs();
  return Math.max(Math.min(MIN_MS, store), store - waitedMs);
}

/** What is left of the one deadline of all statements; null if each has its own. */
export function sharedLeftMs(): number | null {
  return allowance()?.leftMs() ?? null;
}

/** The error of a statement that would begin after the one deadline of all is over; null if it may begin. */
export function lateError(): DeadlineError | null {
  const shared = allowance();
  return shared !== null && shared.leftMs() <= 0 ? new DeadlineError(shared.ms) : null;
}

/** Counts time in which the work waits for the database, until the function that it returns is called. */
export function countWait(): () => void {
  const shared = allowance();
  shared?.begin();
  return () => shared?.end();
}

/** Runs work that is not essential: of a deadline for all statements together, it uses half of what is left. */
export async function withHalfTheTime<T>(work: () => Promise<T>): Promise<T> {
  const leftMs = sharedLeftMs();
  if (leftMs === null) return work();
  const counted = countWait();
  try {
    return await withSharedDeadline(leftMs / 2, work);
  } finally {
    counted();
  }
}

/** A caller whose work is done together with that of others. */
export type Caller = {
  /** Whether its deadline is over, and it no longer waits. */
  isGone(): boolean;
  /** Runs work with its deadline. */
  run<T>(work: () => T): T;
};

/**
 * For calls that are done together, in statements of one of them: each waits until its own deadline.
 * @param join hands the call over, and waits for its result.
 * @throws DeadlineError when the deadline is over; whether the call took effect is then not known.
 */
export async function joinCalls<T>(join: (caller: Caller) => Promise<T>): Promise<T> {
  const shared = allowance();
  let isGone = false;
  const result = join({ isGone: () => isGone, run: AsyncLocalStorage.snapshot() });
  if (shared === null) return result;
  const counted = countWait();
  // A statement with the same deadline fails first.
  const leave = () => {
    isGone = true;
    throw new DeadlineError(shared.ms);
  };
  try {
    return await within(shared.leftMs() + CONFIRM_MS, result, leave);
  } finally {
    counted();
  }
}
