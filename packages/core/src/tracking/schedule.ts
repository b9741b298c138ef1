import type { Failure } from './answer.ts';
import { type SubStatus, watchOf } from './status.ts';

/** Seconds between checks of a parcel whose account has an enabled webhook (spec section 8). */
export const MONITORING_INTERVAL_SECONDS = 300;
/** Seconds between checks of all other parcels. */
export const IDLE_INTERVAL_SECONDS = 3600;
/** A first check that was claimed and never answered is claimed again after this. */
export const FIRST_ANSWER_LEASE_SECONDS = 60;
/** Each interval varies by this share in both directions, so that checks of parcels registered together spread out. */
export const JITTER = 0.1;
/** Without news for this long a parcel expires. */
export const EXPIRES_AFTER_DAYS = 30;
const FINAL_CHECK_AFTER_HOURS = 24;

/** Minimum hours between two retracks of one tracking (spec section 3, rule 4). */
export const RETRACK_INTERVAL_SECONDS = 3600;

/** The parts of an answer that determine the next check. */
type Answered = { failure?: Failure };

/** The further course of a parcel's check once an answer is stored. */
type NextCheck = { watch: 'regularly' } | { watch: 'once-more'; at: Date } | { watch: 'never' };

/**
 * How polling continues once an answer is stored.
 * @param answered its sub-status now, the answer (null: it expired without one), and whether the check was the final
 *   one, a day after the parcel arrived.
 */
export function checkAfter(
  { subStatus, answered, finalLook }: { subStatus: SubStatus; answered: Answered | null; finalLook: boolean },
  now: Date,
): NextCheck {
  if (answered?.failure === 'invalid_number') return { watch: 'never' };
  const watch = watchOf(subStatus);
  // Answered although expired: a retrack has resumed polling, for as long as for a new parcel.
  if (watch === 'regularly' || (answered !== null && subStatus === 'expired')) return { watch: 'regularly' };
  if (watch === 'never' || finalLook) return { watch: 'never' };
  return { watch, at: new Date(now.getTime() + FINAL_CHECK_AFTER_HOURS * 3_600_000) };
}

/** When a parcel with news now expires. */
export function expiresAt(now: Date): Date {
  return new Date(now.getTime() + EXPIRES_AFTER_DAYS * 86_400_000);
}

/** Inputs that some carriers require besides the number. */
export type Hints = { phone?: string; postalCode?: string; destinationCountry?: string };

/** A parcel and its account: statements about the parcel name both. */
export type ParcelKey = { trackingId: string; accountId: string };

/** The ids of parcels. */
export function idsOf(parcels: readonly Pick<ParcelKey, 'trackingId'>[]): string[] {
  return parcels.map(({ trackingId }) => trackingId);
}

/**
 * The accounts of parcels, one for each, as `idsOf`: given fewer accounts than ids, PostgreSQL might expect fewer rows
 * of the accounts than of the ids, and read all parcels of a large account.
 */
export function accountsOf(parcels: readonly ParcelKey[]): string[] {
  return parcels.map(({ accountId }) => accountId);
}

/** A check that was claimed: enough to query the provider and to detect that nothing changed. */
export type ClaimedCheck = ParcelKey & {
  trackingNumber: string;
  /** Our carrier code. */
  carrier: string;
  /** Digest of the last stored answer; null before the first. */
  fingerprint: string | null;
  /** Whether this is the last check of an arrived parcel. */
  finalLook: boolean;
  hints: Hints | null;
  /** Why its last checks failed, and since when (ms since 1970); null while they do not. */
  failing?: { failure: string; sinceMs: number } | null | undefined;
  /** Whether its news is pushed; null until a subscription was considered. */
  pushed?: boolean | null | undefined;
  /** Whether the carrier is one of several candidates: every answer then determines the next candidate. */
  isUndecided?: boolean | undefined;
  /** When it became due, in ms since 1970. */
  dueAtMs?: number | undefined;
  /** The request that registered the parcel, until it is answered. */
  requestId?: string | null | undefined;
  /** The trace of that request, if it is sampled. */
  traceparent?: string | null | undefined;
};
