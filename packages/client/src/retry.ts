import type { Repeat } from '@pts/contract/operation';
import type { Failure } from './errors.ts';

/** The longest wait of a timer, about 24 days: a longer one would end at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
/** The default wait after a 429 (spec section 7). */
const BACK_OFF_MS = 120_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** Jitter, so that clients with the same Retry-After do not return at the same moment. */
const SPREAD_MS = 1000;

export type RetryRule = {
  repeat: Repeat;
  maxRetries: number;
  /** The longest wait; beyond it, the error is thrown instead. */
  maxRetryDelayMs: number;
  /** From 0 up to 1. */
  random(): number;
};

/** @throws TypeError unless a limit of retries is 0 or more: with `NaN` they would never end, or not wait. */
export function notNegative(name: string, value: number): number {
  if (!(value >= 0)) throw new TypeError(`${name} must be 0 or more, not ${value}`);
  return value;
}

/**
 * How long to wait before a retry; null for no retry. Never shorter than Retry-After; without one the
 * delay is drawn from 0 to a limit that doubles each time (0.5 s, 1 s, 2 s … 30 s).
 * @param retries the number of retries so far.
 */
export function retryDelayMs(failure: Failure, retries: number, rule: RetryRule): number | null {
  if (retries >= rule.maxRetries || !mayRepeat(failure, rule.repeat)) return null;
  const statedMs = failure.retryAfterSeconds === null ? null : failure.retryAfterSeconds * 1000;
  const requested = statedMs ?? (failure.status === 429 ? BACK_OFF_MS : null);
  if (requested !== null) {
    const max = Math.min(rule.maxRetryDelayMs, MAX_TIMER_MS - SPREAD_MS);
    return requested > max ? null : requested + rule.random() * Math.min(SPREAD_MS, requested);
  }
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** retries, rule.maxRetryDelayMs);
  return rule.random() * ceiling;
}

function mayRepeat(failure: Failure, repeat: Repeat): boolean {
  if (failure.status === 429) return true;
  if (failure.name === 'NoAnswerError' && failure.reason === 'not_sent') return true;
  if (repeat === 'once') return false;
  // The first try of this very request, under its key, is still running.
  if (failure.status === 409 && failure.retryAfterSeconds !== null) return true;
  return failure.status === null ? isLost(failure) : failure.status >= 500;
}

function isLost(failure: Failure): boolean {
  return failure.name === 'NoAnswerError' && (failure.reason === 'network' || failure.reason === 'timeout');
}
