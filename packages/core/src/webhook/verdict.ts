import { nextAttemptAt } from './backoff.ts';
import { retryAfter } from './retry-after.ts';

/** What happens to a delivery after an attempt. */
export type Verdict = {
  state: 'delivered' | 'owed' | 'exhausted';
  /** Why the attempt failed; null when it did not. */
  error: string | null;
  /** When the next attempt is due; null if there is none. */
  nextAttemptAt: Date | null;
  /** No deliveries to the receiver before this time, as it requested; null if it did not. */
  holdUntil: Date | null;
  /** Whether the receiver answered 410 Gone. */
  isGone: boolean;
};

/**
 * Evaluates an attempt by the receiver's HTTP status, 0 for no answer (spec section 6.4): 200 to 299 is success, all else
 * is retried on the schedule until its last attempt. Retry-After can delay an attempt, but never makes it earlier.
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
    error: describe(status),
    nextAttemptAt: onSchedule && holdUntil && holdUntil > onSchedule ? holdUntil : onSchedule,
    holdUntil,
    isGone: status === 410,
  };
}

/** Whether a receiver accepted the push: 200 to 299 (spec section 6.4). */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function describe(status: number): string {
  if (status >= 300 && status <= 399) return `the receiver answered ${status}; redirects are not followed`;
  return `the receiver answered ${status}; only 200 to 299 is success`;
}
