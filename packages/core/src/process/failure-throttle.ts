/** Failures that repeat, since the first of them. Times are milliseconds of any one clock. */
export type Failures = {
  count: number;
  /** Number of these failures that came after the last report. */
  unreported: number;
  firstAt: number;
  lastAt: number;
};

/** Decides when repeated failures are reported: the first, then once a minute at most, then their end. */
export type FailureThrottle = {
  /** @returns what to report of a failure; null: nothing now. */
  failed(at: number): Failures | null;
  /** @returns what to report of a success: the failures that it ends; null: there are none, or they may go on. */
  succeeded(at: number): Failures | null;
};

const EVERY_MS = 60_000;

/**
 * @param quietMs where failures of some connections mix with successes of others: they end after this long without one.
 */
export function createFailureThrottle({ quietMs = 0 }: { quietMs?: number } = {}): FailureThrottle {
  let failures: Failures | null = null;
  let reportedAt = 0;
  return {
    failed(at) {
      const { count, unreported, firstAt } = failures ?? { count: 0, unreported: 0, firstAt: at };
      const isDue = count === 0 || at - reportedAt >= EVERY_MS;
      failures = { count: count + 1, unreported: isDue ? 0 : unreported + 1, firstAt, lastAt: at };
      if (!isDue) return null;
      reportedAt = at;
      return { ...failures, unreported };
    },
    succeeded(at) {
      if (failures === null || at - failures.lastAt < quietMs) return null;
      const ended = failures;
      failures = null;
      return ended;
    },
  };
}

/** Whole seconds between two times in milliseconds. */
export function secondsBetween(from: number, to: number): number {
  return Math.round((to - from) / 1000);
}
