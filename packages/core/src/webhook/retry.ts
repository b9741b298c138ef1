import { type Message, message } from '../languages/message.ts';

/** The consequences of an attempt for its delivery. */
export type Verdict = {
  state: 'delivered' | 'owed' | 'exhausted';
  /** Why the attempt failed; null when it did not. */
  error: Message | null;
  /** When the next attempt is due; null if there is none. */
  nextAttemptAt: Date | null;
  /** No deliveries to the receiver before this time, as it requested; null if it did not. */
  holdUntil: Date | null;
  /** Whether the receiver answered 410 Gone. */
  isGone: boolean;
};

/**
 * Evaluates an attempt by the receiver's HTTP status, 0 for no answer (spec section 6.4): 200 to 299 is success, all
 * else is retried on the schedule until its last attempt. Retry-After can delay an attempt, but never makes it earlier.
 */
export function verdictOf(
  status: number,
  attempt: number,
  now: Date,
  { timeScale = 1, retryAfterHeader = null }: { timeScale?: number; retryAfterHeader?: string | null } = {},
): Verdict {
  if (isSuccess(status))
    return { state: 'delivered', error: null, nextAttemptAt: null, holdUntil: null, isGone: false };
  const onSchedule = nextAttemptAt(attempt, now, timeScale);
  const holdUntil = retryAfter(status, retryAfterHeader, now);
  return {
    state: onSchedule === null ? 'exhausted' : 'owed',
    error: message(status >= 300 && status <= 399 ? 'attempt.redirect' : 'attempt.answered', { status }),
    nextAttemptAt: onSchedule && holdUntil && holdUntil > onSchedule ? holdUntil : onSchedule,
    holdUntil,
    isGone: status === 410,
  };
}

/** Whether a receiver accepted the push: 200 to 299 (spec section 6.4). */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

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

/** A Retry-After is capped at the longest pause of the retry schedule. */
const MAX_SECONDS = 24 * 3600;

/**
 * The time in the Retry-After of a receiver that answered 429 or 503, in seconds or as an HTTP date.
 * @returns null if it is missing, invalid or in the past.
 */
export function retryAfter(status: number, header: string | null, now: Date): Date | null {
  if (header === null || (status !== 429 && status !== 503)) return null;
  const text = header.trim();
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return seconds > 0 ? new Date(now.getTime() + Math.min(seconds, MAX_SECONDS) * 1000) : null;
}
