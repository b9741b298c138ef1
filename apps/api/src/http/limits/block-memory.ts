/** Knows which keys are over a limit, without a query to the store. */
export type BlockMemory = {
  /** Blocks a key that is over its limit for `forMs` from `since`, a time of the clock. */
  block(key: string, since: number, forMs: number): void;
  /** Milliseconds until its window ends; 0 for a key that is not over its limit. */
  msLeft(key: string): number;
};

const MAX_KEYS = 10_000;

/**
 * A bounded memory of blocked keys: the one that was blocked first is dropped first.
 * @param now a monotonic clock in milliseconds.
 */
export function createBlockMemory(now: () => number, maxKeys = MAX_KEYS): BlockMemory {
  const ends = new Map<string, number>();
  return {
    block(key, since, forMs) {
      ends.delete(key);
      const oldest = ends.size >= maxKeys ? ends.keys().next() : null;
      if (oldest && !oldest.done) ends.delete(oldest.value);
      ends.set(key, since + forMs);
    },
    msLeft(key) {
      const end = ends.get(key);
      if (end === undefined) return 0;
      const left = end - now();
      if (left > 0) return left;
      ends.delete(key);
      return 0;
    },
  };
}
