import type { Answer, Failure } from './answer.ts';
import { concernsProvider } from './answer.ts';

/** Failed calls in a row after which a provider is paused (a breaker). */
export const BREAKER_THRESHOLD = 5;
const FIRST_PAUSE_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 900;
const RATE_LIMITED_SECONDS = 120;
const AUTH_PAUSE_SECONDS = 900;
/** No Retry-After is believed beyond a day. */
const LONGEST_RETRY_AFTER_SECONDS = 86_400;

/** Trouble of a provider as a whole, told by its answers. */
export type Trouble = { failure: Failure; message: string; retryAfterSeconds?: number };

/**
 * The trouble that a call's answers tell of: only when not one number was answered. A single number that fails among
 * others that are answered says nothing about the provider.
 */
export function troubleOf(answers: readonly Answer[]): Trouble | null {
  const failures = answers.map((answer) =>
    answer.kind === 'failed' && concernsProvider(answer.failure) ? answer : null,
  );
  const [first] = failures;
  return first && failures.every((failure) => failure !== null) ? first : null;
}

/**
 * Until when a provider in trouble is left alone; null while it may go on being asked.
 * @param failures failed calls in a row, this one included.
 */
export function pauseUntil(trouble: Trouble, failures: number, now: Date): Date | null {
  const seconds = pauseSeconds(trouble, failures);
  if (seconds === 'next-day') return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
  return seconds === null ? null : new Date(now.getTime() + seconds * 1000);
}

function pauseSeconds({ failure, retryAfterSeconds: asked }: Trouble, failures: number): number | 'next-day' | null {
  const retryAfterSeconds = asked === undefined ? undefined : Math.min(asked, LONGEST_RETRY_AFTER_SECONDS);
  switch (failure) {
    case 'quota':
      return retryAfterSeconds ?? 'next-day';
    case 'auth':
      return AUTH_PAUSE_SECONDS;
    case 'rate_limited':
      return retryAfterSeconds ?? Math.min(LONGEST_PAUSE_SECONDS, RATE_LIMITED_SECONDS * 2 ** (failures - 1));
    default:
      if (failures < BREAKER_THRESHOLD) return null;
      return Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (failures - BREAKER_THRESHOLD));
  }
}
