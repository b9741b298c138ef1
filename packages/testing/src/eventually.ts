import { setTimeout as delay } from 'node:timers/promises';

/**
 * The pause between two looks is this part of the time waited so far, so that long waits cost little and end little
 * late.
 */
const PAUSE_PART = 0.1;
const PAUSE_MS = { min: 10, max: 500 };

/**
 * Calls `check` until it returns without throwing, and returns what it returned. At the deadline, which a busy machine
 * does not exceed, it throws the last error: a failed expectation reads as if it had been written without waiting.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { deadlineMs = 240_000, everyMs }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() - startedAt >= deadlineMs) throw error;
    }
    const waitedMs = performance.now() - startedAt;
    const pauseMs = everyMs ?? Math.min(PAUSE_MS.max, Math.max(PAUSE_MS.min, waitedMs * PAUSE_PART));
    // A wait that a race has left behind must not keep the test run from ending.
    await delay(pauseMs, undefined, { ref: false });
  }
}
