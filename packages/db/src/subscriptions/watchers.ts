import { column, columns, type Db, type RowOf, rows } from '../connection.ts';
import { Prisma, type Subscription } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';

/**
 * Whether any parcel watches the number of a subscription named `s` at its provider. The carrier does not matter: the provider
 * may have corrected it, and candidates are checked one after another.
 */
export const IS_WATCHED = Prisma.sql`EXISTS (
  SELECT 1 FROM public.trackings t JOIN public.checks c ON c.tracking_id = t.id AND c.account_id = t.account_id
  WHERE t.tracking_number = s.tracking_number AND (c.provider = s.provider OR (c.undecided
    AND t.candidates -> 'candidates' @> jsonb_build_array(jsonb_build_object('provider', s.provider)))))`;

const KEY = columns({
  trackingNumber: column<Subscription['trackingNumber']>('p.tracking_number'),
  provider: column<Subscription['provider']>('p.provider'),
  carrier: column<Subscription['carrier']>('p.carrier'),
});
/** Names a subscription. */
export type SubscriptionKey = RowOf<typeof KEY>;

/**
 * Looks at up to `limit` subscriptions after `after` in the order of their keys, and records since when their numbers have been
 * unwatched, or that they are watched again: a released one is then wanted again.
 * @returns the last one; null at the end, after which the next round starts over.
 */
export async function noteWatchers(
  db: Db,
  after: SubscriptionKey | null,
  limit: number,
  now: Date,
): Promise<SubscriptionKey | null> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const { trackingNumber, provider, carrier } = after ?? { trackingNumber: '', provider: '', carrier: '' };
  const seen = await rows(
    db.$within(DEADLINES.bulk),
    KEY,
    (list) => Prisma.sql`
      WITH page AS MATERIALIZED (
        SELECT tracking_number, provider, carrier FROM public.subscriptions
        WHERE (tracking_number, provider, carrier) > (${trackingNumber}, ${provider}, ${carrier})
        ORDER BY tracking_number, provider, carrier LIMIT ${limit}
      ), seen AS MATERIALIZED (SELECT s.*, ${IS_WATCHED} AS watched FROM page s), returned AS (
        UPDATE public.subscriptions s SET unwatched_since = NULL,
          state = CASE WHEN ${isOut(at)} THEN 'wanted' ELSE s.state END,
          retry_at = CASE WHEN ${isOut(at)} THEN ${at} ELSE s.retry_at END,
          stopped_at = CASE WHEN ${isOut(at)} THEN COALESCE(s.stopped_at, ${at}) ELSE s.stopped_at END
        FROM seen WHERE ${isSame()} AND seen.watched AND (s.unwatched_since IS NOT NULL OR ${isOut(at)})
      ), left_alone AS (
        UPDATE public.subscriptions s SET unwatched_since = ${at}
        FROM seen WHERE ${isSame()} AND NOT seen.watched AND s.unwatched_since IS NULL
      )
      SELECT ${list} FROM page p ORDER BY p.tracking_number, p.provider, p.carrier`,
  );
  return seen.length < limit ? null : (seen.at(-1) ?? null);
}

/** Released, or being released by a process that is gone. */
function isOut(at: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(s.state = 'released' OR (s.state = 'releasing' AND s.retry_at <= ${at}))`;
}

function isSame(): Prisma.Sql {
  return Prisma.sql`s.tracking_number = seen.tracking_number AND s.provider = seen.provider AND s.carrier = seen.carrier`;
}
