import { nextAttemptAt } from './backoff.ts';

/** What becomes of a delivery after an attempt. */
export type Verdict = {
  state: 'delivered' | 'owed' | 'exhausted';
  /** Why the attempt failed; null when it did not. */
  error: string | null;
  /** When the next attempt is due; null when none is owed. */
  nextAttemptAt: Date | null;
};

/**
 * Judges an attempt by the receiver's HTTP status, 0 for no answer (spec section 6.4): 200 to 299 is success, all else
 * is retried on the ladder until its last attempt.
 */
export function verdictOf(status: number, attempt: number, now: Date, timeScale = 1): Verdict {
  if (status >= 200 && status <= 299) return { state: 'delivered', error: null, nextAttemptAt: null };
  const next = nextAttemptAt(attempt, now, timeScale);
  return { state: next === null ? 'exhausted' : 'owed', error: describe(status), nextAttemptAt: next };
}

function describe(status: number): string {
  if (status >= 300 && status <= 399) return `the receiver answered ${status}; redirects are not followed`;
  return `the receiver answered ${status}; only 200 to 299 is success`;
}
