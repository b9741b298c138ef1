/** Total number of attempts, including the first (spec section 6.4). */
export const MAX_ATTEMPTS = 14;

const FIRST_DELAY_SECONDS = 30;

/**
 * Seconds between attempt n-1 and attempt n: 30 x 2^(n-2) (spec section 6.4). Attempt 1 is due at once.
 * @returns null when attempt n is beyond the last.
 */
export function delayBeforeAttempt(n: number): number | null {
  if (n > MAX_ATTEMPTS) return null;
  return n <= 1 ? 0 : FIRST_DELAY_SECONDS * 2 ** (n - 2);
}

/**
 * When the next attempt is due after attempt `made` failed; null if that was the last.
 * @param timeScale real seconds per second of the retry schedule; 1 outside of tests.
 */
export function nextAttemptAt(made: number, failedAt: Date, timeScale = 1): Date | null {
  const delay = delayBeforeAttempt(made + 1);
  return delay === null ? null : new Date(failedAt.getTime() + delay * 1000 * timeScale);
}
