/** An endpoint whose deliveries have all failed for this long is disabled. */
const GIVE_UP_AFTER_MS = 5 * 24 * 3_600_000;

/** Failures further apart than this are not one outage: the longest pause of the retry schedule is 34 hours. */
export const OUTAGE_GAP_MS = 3 * 24 * 3_600_000;

/** Why an endpoint that has been failing since `failingSince` is disabled at `now`; null if it is not. */
export function giveUpReason(failingSince: Date, now: Date): string | null {
  if (now.getTime() - failingSince.getTime() < GIVE_UP_AFTER_MS) return null;
  const day = failingSince.toISOString().slice(0, 10);
  return `Every delivery has failed for 5 days, since ${day}. Fix the receiver, check it with POST /api/v1/webhooks/{id}/check, and enable the webhook again.`;
}

/** Why an endpoint that answered 410 is disabled. */
export const GONE_REASON = 'The receiver answered 410 Gone, so deliveries stopped. Enable the webhook to resume them.';
