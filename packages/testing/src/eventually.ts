import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `check` until it returns without throwing, and returns what it returned. At the deadline, which a busy machine does
 * not exceed, it throws the last error: a failed expectation reads as if it had been written without waiting.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { deadlineMs = 90_000, everyMs = 25 }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<T> {
  // A wait that a race has left behind must not keep the test run from ending.
  const pause = () => delay(everyMs, undefined, { ref: false });
  for (const deadline = performance.now() + deadlineMs; ; await pause()) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
  }
}
