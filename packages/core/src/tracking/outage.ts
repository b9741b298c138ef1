import { type CarrierAnswer, concernsProvider, type Failure } from './answer.ts';

/** Moments in a row at which calls failed and none succeeded, after which a provider is paused (a breaker). */
export const BREAKER_THRESHOLD = 5;
/** Different parcels for which those calls must have failed: a problem of one or two parcels is not the provider's. */
export const BREAKER_PARCELS = 3;
/** Calls within this time of each other belong to one moment: their failures count once. */
export const MOMENT_SECONDS = 5;
/** While its provider's breaker is closed, a failed check is retried after this ... */
export const SOON_SECONDS = 30;
/**
 * ... for this long: the time in which a provider that fails for all opens its breaker. Then the regular schedule
 * resumes.
 */
const SOON_FOR_SECONDS = SOON_SECONDS * (BREAKER_THRESHOLD - 1);
const FIRST_PAUSE_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 900;
const RATE_LIMITED_SECONDS = 120;
const AUTH_PAUSE_SECONDS = 900;
/** A Retry-After is capped at one day. */
const LONGEST_RETRY_AFTER_SECONDS = 86_400;

/** How a provider fails that an operator has paused: not at all. */
export const PAUSED_BY_OPERATOR = 'operator';

/** Outage of a provider as a whole, derived from its answers. */
export type Outage = { failure: Failure; message: string; retryAfterSeconds?: number };

/**
 * The outage that the answers of a call indicate, if no number was answered. A single number that fails among
 * answered ones says nothing about the provider; an entirely unreadable call does.
 */
export function outageOf(answers: readonly CarrierAnswer[]): Outage | null {
  const failures = answers.flatMap((answer) => (answer.kind === 'failed' ? [answer] : []));
  const [first] = failures;
  if (first === undefined || failures.length < answers.length) return null;
  const concernsAll =
    failures.every(({ failure }) => concernsProvider(failure)) ||
    failures.every(({ failure }) => failure === 'unreadable');
  return concernsAll ? first : null;
}

/** Whether single failures of this kind prove nothing: the breaker counts the moments at which all calls fail. */
export function isCountedByBreaker(failure: Failure): boolean {
  return failure === 'transient' || failure === 'unreadable';
}

/**
 * Whether a failed call says nothing about the provider, because another one, made at the same moment or later,
 * succeeded.
 * @param succeededAt when the last call that succeeded was made.
 */
export function failedAlone(requestedAt: Date, succeededAt: Date | undefined): boolean {
  return succeededAt !== undefined && succeededAt.getTime() >= requestedAt.getTime() - MOMENT_SECONDS * 1000;
}

/** Whether a parcel that has failed since then (null: only now) is checked again soon, before its regular interval. */
export function isWorthAskingSoon(failingSinceMs: number | null, now: Date): boolean {
  return failingSinceMs === null || now.getTime() - failingSinceMs < SOON_FOR_SECONDS * 1000;
}

/** The evidence of outage of the provider, including the current failure. */
export type Evidence = {
  /** Moments in a row at which calls failed. */
  failures: number;
  /** Different parcels they failed for. */
  parcels: number;
  /** Whether the call was the probe after a pause: then it alone decides. */
  isProbe: boolean;
};

/** Until when a failing provider is paused; null if it is not. */
export function pauseUntil(outage: Outage, evidence: Evidence, now: Date): Date | null {
  const seconds = pauseSeconds(outage, evidence);
  if (seconds === 'next-day') return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
  return seconds === null ? null : new Date(now.getTime() + seconds * 1000);
}

function pauseSeconds(
  { failure, retryAfterSeconds: requested }: Outage,
  { failures, parcels, isProbe }: Evidence,
): number | 'next-day' | null {
  const retryAfterSeconds = requested === undefined ? undefined : Math.min(requested, LONGEST_RETRY_AFTER_SECONDS);
  switch (failure) {
    case 'quota':
      return retryAfterSeconds ?? 'next-day';
    case 'auth':
      return AUTH_PAUSE_SECONDS;
    case 'rate_limited':
      return retryAfterSeconds ?? doubled(RATE_LIMITED_SECONDS, failures - 1);
    default:
      if (!isProbe && (failures < BREAKER_THRESHOLD || parcels < BREAKER_PARCELS)) return null;
      return doubled(FIRST_PAUSE_SECONDS, failures - BREAKER_THRESHOLD);
  }
}

function doubled(seconds: number, times: number): number {
  return Math.min(LONGEST_PAUSE_SECONDS, seconds * 2 ** Math.max(0, times));
}
