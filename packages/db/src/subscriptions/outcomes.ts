import type { SubscriptionState } from '@pts/core/tracking/subscription';
import { CLAIMED_AT, DUE_AT, SLOT_JOIN } from '../checks/ring.ts';
import type { Db } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import type { SubscribedNumber } from './wanted.ts';

/** The outcome of a wanted subscription. */
export type SubscriptionOutcome = SubscribedNumber & {
  state: SubscriptionState;
  remoteId?: string | null | undefined;
  reason?: string | undefined;
  /** When to try again. */
  retryAt?: Date | undefined;
  /** No attempt was made, so nothing has failed. */
  isPostponed?: boolean | undefined;
  /** The provider watches the number again that it had stopped watching. */
  isResumed?: boolean | undefined;
  /** The provider no longer has the number: there is nothing to resume. */
  isForgotten?: boolean | undefined;
};

/** The size of its column. A longer id is not kept: shortened, it would be another one. */
const LONGEST_REMOTE_ID = 200;

/**
 * Records the outcomes of subscriptions, unless a callback has already reported more. A parcel that is subscribed to is checked
 * regularly until its first callback, and at the latest `checkWithinSeconds` from now, under the provider's floor.
 */
export async function recordOutcomes(
  db: Db,
  provider: string,
  outcomes: readonly SubscriptionOutcome[],
  { checkWithinSeconds, floorSeconds, now }: { checkWithinSeconds: number; floorSeconds: number; now: Date },
): Promise<void> {
  const at = now.toISOString();
  const records = JSON.stringify(outcomes.map((each) => ({ ...each, remoteId: keptId(each.remoteId) })));
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE public.subscriptions s SET state = r.state, remote_id = COALESCE(r."remoteId", s.remote_id), reason = r.reason,
        retry_at = r."retryAt", failures = CASE WHEN s.state = 'active' AND r."retryAt" IS NULL THEN 0
          WHEN r."retryAt" IS NULL OR r."isPostponed" THEN s.failures ELSE s.failures + 1 END,
        subscribed_at = CASE WHEN r.state = 'active' AND r."retryAt" IS NULL THEN ${at}::timestamptz ELSE s.subscribed_at END,
        -- A renewal changes nothing about what is awaited.
        awaited_since = CASE WHEN s.state = 'active' THEN s.awaited_since WHEN r.state = 'active' THEN ${at}::timestamptz END,
        stopped_at = CASE WHEN r.state = 'active' OR r."isForgotten" THEN NULL ELSE s.stopped_at END,
        restarts = s.restarts + CASE WHEN r."isResumed" THEN 1 ELSE 0 END, updated_at = ${at}::timestamptz
      FROM jsonb_to_recordset(${records}::jsonb)
        AS r(carrier text, "trackingNumber" text, state text, "remoteId" text, reason text, "retryAt" timestamptz,
          "isPostponed" boolean, "isResumed" boolean, "isForgotten" boolean)
      WHERE s.tracking_number = r."trackingNumber" AND s.provider = ${provider} AND s.carrier = r.carrier
        AND (s.state = 'wanted' OR (s.state = 'active' AND (s.retry_at IS NOT NULL
          -- Its first callback came before the answer to the registration, whose id and time are needed to release it.
          OR (r.state = 'active' AND r."retryAt" IS NULL))))`;
    await tx.$executeRaw`
      UPDATE public.checks o SET next_check_at = soon.at
      FROM (
        SELECT c.tracking_id, c.account_id, GREATEST(${at}::timestamptz + make_interval(secs => ${checkWithinSeconds}::float8),
          ${Prisma.raw(CLAIMED_AT)} + make_interval(secs => ${floorSeconds}::float8)) AS at, ${Prisma.raw(DUE_AT)} AS due_at
        FROM jsonb_to_recordset(${records}::jsonb) AS r(carrier text, "trackingNumber" text, state text, "retryAt" text)
        JOIN public.trackings t ON t.tracking_number = r."trackingNumber" AND t.carrier = r.carrier
        JOIN public.checks c ON c.tracking_id = t.id AND c.account_id = t.account_id ${SLOT_JOIN}
        WHERE r.state = 'active' AND r."retryAt" IS NULL AND c.provider = ${provider} AND c.pushed IS NOT TRUE AND NOT c.final_look
      ) soon WHERE o.tracking_id = soon.tracking_id AND o.account_id = soon.account_id AND soon.due_at > soon.at`;
    await tx.$executeRaw`
      UPDATE public.checks c SET pushed = false, next_check_at = LEAST(c.next_check_at, GREATEST(
        ${at}::timestamptz, c.claimed_at + make_interval(secs => ${floorSeconds}::float8)))
      FROM jsonb_to_recordset(${records}::jsonb) AS r(carrier text, "trackingNumber" text, state text), public.trackings t
      WHERE r.state = 'refused' AND t.tracking_number = r."trackingNumber" AND t.carrier = r.carrier
        AND c.tracking_id = t.id AND c.account_id = t.account_id AND c.provider = ${provider} AND c.pushed AND NOT c.final_look`;
  });
}

function keptId(remoteId: string | null | undefined): string | null {
  return remoteId && remoteId.length <= LONGEST_REMOTE_ID ? remoteId : null;
}
