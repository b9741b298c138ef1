/** How much an endpoint is sent at once, and how it has been answering. */
export type ConcurrencyWindow = {
  /** Pushes that may be under way to it at once. */
  size: number;
  /** Running mean of the time it takes to answer, in milliseconds. */
  answerMs: number;
};

/** Pushes under way to one endpoint at once, at most. */
export const WIDEST_WINDOW = 64;
/** Also to one that fails: a receiver that hangs must not take a day for a few thousand first attempts. */
const LEAST_WINDOW = 2;
/** One that answers slowly takes no more places than this, however well it answers. */
const SLOW_WINDOW = 16;
const SLOW_MS = 2000;
const WEIGHT = 0.2;

/** The window of an endpoint of which only is known whether it has been failing. */
export function firstWindow(isFailing: boolean): ConcurrencyWindow {
  return { size: isFailing ? LEAST_WINDOW : 2 * LEAST_WINDOW, answerMs: 0 };
}

/**
 * The window after an answer. Every success widens the window by one, so that it doubles with each round of successes: an
 * endpoint that comes back is ramped up. Every failure halves it.
 */
export function windowAfter(window: ConcurrencyWindow, succeeded: boolean, durationMs: number): ConcurrencyWindow {
  const answerMs = window.answerMs + WEIGHT * (durationMs - window.answerMs);
  const widest = answerMs > SLOW_MS ? SLOW_WINDOW : WIDEST_WINDOW;
  const size = succeeded ? Math.min(widest, window.size + 1) : Math.max(LEAST_WINDOW, Math.floor(window.size / 2));
  return { size, answerMs };
}

/** Whether an endpoint holds its places so long that it must not take those kept for prompt ones. */
export function isSlow({ answerMs }: ConcurrencyWindow): boolean {
  return answerMs > SLOW_MS;
}
