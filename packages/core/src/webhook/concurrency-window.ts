/** The concurrency window of an endpoint and its response times. */
export type ConcurrencyWindow = {
  /** The maximum number of pushes in flight. */
  size: number;
  /** Moving average of the response time, in milliseconds. */
  answerMs: number;
};

/** The maximum number of pushes in flight to one endpoint. */
export const WIDEST_WINDOW = 64;
/** The minimum, also for a failing endpoint: a few thousand first attempts to a hanging receiver must not take a day. */
const MIN_WINDOW = 2;
/** The maximum for a slow endpoint, even if it always succeeds. */
const SLOW_WINDOW = 16;
const SLOW_MS = 2000;
const WEIGHT = 0.2;

/** The initial window of an endpoint, by whether it has been failing. */
export function firstWindow(isFailing: boolean): ConcurrencyWindow {
  return { size: isFailing ? MIN_WINDOW : 2 * MIN_WINDOW, answerMs: 0 };
}

/**
 * The window after a response. Every success widens the window by one, so it doubles with each round of successes:
 * a recovering endpoint is ramped up. Every failure halves it.
 */
export function windowAfter(window: ConcurrencyWindow, succeeded: boolean, durationMs: number): ConcurrencyWindow {
  const answerMs = window.answerMs + WEIGHT * (durationMs - window.answerMs);
  const widest = answerMs > SLOW_MS ? SLOW_WINDOW : WIDEST_WINDOW;
  const size = succeeded ? Math.min(widest, window.size + 1) : Math.max(MIN_WINDOW, Math.floor(window.size / 2));
  return { size, answerMs };
}

/** Whether an endpoint is too slow to use the places that are reserved for fast endpoints. */
export function isSlow({ answerMs }: ConcurrencyWindow): boolean {
  return answerMs > SLOW_MS;
}
