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

/** What happens to the check of a parcel once an answer is stored. */
export type NextCheck = { watch: 'regularly' } | { watch: 'once-more'; at: Date } | { watch: 'never' };

/**
 * How polling continues after an answer.
 * @param finalLook whether the check just made was the last one, a day after the parcel arrived.
 */
export function nextCheck(subStatus: SubStatus, finalLook: boolean, now: Date): NextCheck {
  const watch = watchOf(subStatus);
  if (watch === 'regularly') return { watch };
  if (watch === 'never' || finalLook) return { watch: 'never' };
  return { watch, at: new Date(now.getTime() + FINAL_CHECK_AFTER_HOURS * 3_600_000) };
}

/**
 * How polling continues once an answer is stored.
 * @param answered its fine state now, the answer (null: it expired without one), and whether the check was
 *   the final one.
 */
export function checkAfter(
  { subStatus, answered, finalLook }: { subStatus: SubStatus; answered: Answered | null; finalLook: boolean },
  now: Date,
): NextCheck {
  if (answered?.failure === 'invalid_number') return { watch: 'never' };
  // Answered although expired: a retrack has resumed polling, for as long as for a new parcel.
  if (answered !== null && subStatus === 'expired') return { watch: 'regularly' };
  return nextCheck(subStatus, finalLook, now);
}

/** When a parcel with news now expires. */
export function expiresAt(now: Date): Date {
  return new Date(now.getTime() + EXPIRES_AFTER_DAYS * 86_400_000);
}
