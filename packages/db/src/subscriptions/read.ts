import type { SubscriptionState } from '@pts/core/tracking/subscription';
import { column, columns, type Db, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';
import type { SubscribedNumber } from './wanted.ts';
import { IS_WATCHED } from './watchers.ts';

/** A subscription, for the explanation of a parcel. */
export type SubscriptionRecord = {
  state: SubscriptionState;
  reason: string | null;
  movedTo: string | null;
  subscribedAt: Date | null;
  pushedAt: Date | null;
  awaitedSince: Date | null;
  retryAt: Date | null;
};

/** The subscription to a number; null if there is none. */
export async function findSubscription(
  db: Db,
  { provider, carrier, trackingNumber }: SubscribedNumber & { provider: string },
): Promise<SubscriptionRecord | null> {
  const row = await db.subscription.findUnique({
    where: { trackingNumber_provider_carrier: { trackingNumber, provider, carrier } },
  });
  return row && { ...row, state: row.state as SubscriptionState };
}

const OVERDUE = columns({ count: column<number>('count(*)::int') });

/** Subscriptions to watched parcels whose callbacks have been missing since before `overdueSince`. */
export async function countOverdue(db: Db, provider: string, overdueSince: Date): Promise<number> {
  const [row] = await rows(
    db.$within(DEADLINES.bulk),
    OVERDUE,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.subscriptions s
      WHERE s.provider = ${provider} AND s.awaited_since <= ${overdueSince.toISOString()}::timestamptz AND EXISTS (
        SELECT 1 FROM public.trackings t JOIN public.checks c ON c.tracking_id = t.id AND c.account_id = t.account_id
        WHERE t.tracking_number = s.tracking_number AND t.carrier = s.carrier AND c.provider = s.provider AND NOT c.final_look)`,
  );
  return row?.count ?? 0;
}

/** Days after which an inactive subscription is deleted. */
const KEPT_DAYS = 90;

/**
 * Deletes up to `limit` old subscriptions, but none whose number is watched: without callbacks nothing is noted about it for months,
 * and it is needed to register the number again or to release it.
 * @returns how many.
 */
export async function forgetSubscriptions(db: Db, limit: number, now: Date): Promise<number> {
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000).toISOString();
  return db.$executeRaw`
    DELETE FROM public.subscriptions WHERE (tracking_number, provider, carrier) IN (
      SELECT tracking_number, provider, carrier FROM public.subscriptions s
      WHERE updated_at < ${before}::timestamptz AND (retry_at IS NULL OR retry_at < ${before}::timestamptz) AND NOT ${IS_WATCHED}
      LIMIT ${limit})`;
}
