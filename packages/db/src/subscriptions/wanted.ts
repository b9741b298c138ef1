import { accountsOf, type Hints, idsOf, type ParcelKey } from '@pts/core/tracking/schedule';
import type { SubscriptionState } from '@pts/core/tracking/subscription';
import type { Cadence } from '../checks/schedule.ts';
import { jittered } from '../checks/schedule.ts';
import { column, columns, type Db, executeByIndex, type RowOf, rows } from '../connection.ts';
import { Prisma, type Subscription } from '../generated/client.ts';

/** A number of a carrier, for which a provider may send callbacks. */
export type SubscribedNumber = { carrier: string; trackingNumber: string };

/** A claimed subscription whose job is lost becomes due again after this. */
const LEASE_SECONDS = 120;
/** A subscription without a callback for longer may have ended unnoticed. */
const FRESH_DAYS = 7;

/**
 * Wants a subscription for the numbers of these checks, unless there is one; each check is considered once. Where another
 * account's parcel has a healthy one already, the check becomes a safety net at once. An ended or refused subscription is
 * wanted again, but not before `resubscribeSeconds` have passed; so is one without a callback for days, which may have ended.
 * @param input.onlyFound leaves out parcels without an event of their own: their carrier is a guess.
 */
export async function wantSubscriptions(
  db: Db,
  checks: readonly ParcelKey[],
  input: { provider: string; cadence: Cadence; resubscribeSeconds: number; onlyFound: boolean; now: Date },
): Promise<void> {
  const { provider, cadence, resubscribeSeconds, onlyFound } = input;
  const at = Prisma.sql`${input.now.toISOString()}::timestamptz`;
  const isFresh = Prisma.sql`GREATEST(s.pushed_at, s.subscribed_at) > ${at} - make_interval(days => ${FRESH_DAYS})`;
  const safetyNet = Prisma.sql`${at} + ${jittered(Prisma.sql`${cadence.safetyNetSeconds ?? 0}::float8`, cadence)}`;
  await executeByIndex(
    db,
    Prisma.sql`
    WITH considered AS (
      SELECT c.tracking_id, c.account_id, c.carrier, c.tracking_number
      FROM public.checks c JOIN public.trackings t ON t.id = c.tracking_id AND t.account_id = c.account_id
      WHERE c.tracking_id = ANY(${idsOf(checks)}::text[]) AND c.account_id = ANY(${accountsOf(checks)}::text[]) AND (c.provider = ${provider}) IS TRUE AND c.pushed IS NULL
        AND NOT c.final_look AND (NOT ${onlyFound} OR t.sub_status <> 'pending')
    ), wanted AS (
      INSERT INTO public.subscriptions AS s (tracking_number, provider, carrier, state, retry_at, updated_at)
      SELECT DISTINCT tracking_number, ${provider}, carrier, 'wanted', ${at}, ${at} FROM considered
      ORDER BY tracking_number, carrier
      ON CONFLICT (tracking_number, provider, carrier) DO UPDATE SET state = 'wanted', failures = 0, updated_at = ${at},
        unwatched_since = NULL,
        stopped_at = CASE WHEN s.state IN ('ended', 'released') AND s.subscribed_at IS NOT NULL THEN COALESCE(s.stopped_at, ${at}) END,
        retry_at = CASE WHEN s.state = 'released' THEN ${at}
          ELSE GREATEST(${at}, s.updated_at + make_interval(secs => ${resubscribeSeconds}::float8)) END
      WHERE s.state IN ('ended', 'refused', 'released') OR (s.state = 'active' AND NOT ${isFresh})
    )
    UPDATE public.checks c SET pushed = s.carrier IS NOT NULL,
      next_check_at = CASE WHEN s.carrier IS NULL THEN c.next_check_at ELSE ${safetyNet} END
    FROM considered LEFT JOIN public.subscriptions s ON s.tracking_number = considered.tracking_number
      AND s.provider = ${provider} AND s.carrier = considered.carrier
      AND s.state = 'active' AND s.awaited_since IS NULL AND ${isFresh}
    WHERE c.tracking_id = considered.tracking_id AND c.account_id = considered.account_id`,
  );
}

/**
 * Wants subscriptions again that the provider no longer has, unless they were made less than `resubscribeSeconds` ago: it may
 * be slow to list them, and may charge for each.
 * @returns how many there are.
 */
export async function wantAgain(
  db: Db,
  provider: string,
  numbers: readonly SubscribedNumber[],
  resubscribeSeconds: number,
  now: Date,
): Promise<number> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const records = numbers.map(({ carrier, trackingNumber }) => ({ carrier, trackingNumber }));
  return db.$executeRaw`
    UPDATE public.subscriptions s SET state = 'wanted', failures = 0, retry_at = ${at}, updated_at = ${at}
    FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb) AS r(carrier text, "trackingNumber" text)
    WHERE s.tracking_number = r."trackingNumber" AND s.provider = ${provider} AND s.carrier = r.carrier
      AND s.state IN ('active', 'ended')
      AND COALESCE(s.subscribed_at, '-infinity') < ${at} - make_interval(secs => ${resubscribeSeconds}::float8)`;
}

const NUMBER = columns({
  carrier: column<Subscription['carrier']>('s.carrier'),
  trackingNumber: column<Subscription['trackingNumber']>('s.tracking_number'),
});

/** Takes up to `limit` numbers that are due to be subscribed to; a lost one becomes due again after a short lease. */
export async function claimWanted(
  db: Db,
  { provider, limit, now }: { provider: string; limit: number; now: Date },
): Promise<SubscribedNumber[]> {
  const at = now.toISOString();
  return rows(
    db,
    NUMBER,
    (list) => Prisma.sql`
    WITH due AS (
      SELECT tracking_number, carrier FROM public.subscriptions
      WHERE provider = ${provider} AND retry_at <= ${at}::timestamptz AND state IN ('wanted', 'active')
      ORDER BY retry_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE public.subscriptions s SET retry_at = ${at}::timestamptz + make_interval(secs => ${LEASE_SECONDS})
    FROM due WHERE s.tracking_number = due.tracking_number AND s.carrier = due.carrier AND s.provider = ${provider}
    RETURNING ${list}`,
  );
}

const WANTED = columns({
  ...NUMBER.columns,
  failures: column<Subscription['failures']>('s.failures'),
  state: column<SubscriptionState>('s.state'),
  /** The provider's own id of it. */
  remoteId: column<Subscription['remoteId']>('s.remote_id'),
  /** Whether the provider knew it before and has stopped watching it: then it is resumed, where that is possible. */
  isStopped: column<boolean>('s.stopped_at IS NOT NULL'),
  /** Whether a parcel with the number is watched. */
  isWatched: column<boolean>('watched.tracking_id IS NOT NULL'),
  hints: column<Hints | null>('watched.hints'),
});
export type WantedNumber = RowOf<typeof WANTED>;

/**
 * Those of these numbers whose subscription is still wanted, or is due to be renewed, with the further inputs of a watched
 * parcel.
 */
export async function loadWanted(
  db: Db,
  provider: string,
  numbers: readonly SubscribedNumber[],
): Promise<WantedNumber[]> {
  return rows(
    db,
    WANTED,
    (list) => Prisma.sql`
    SELECT ${list} FROM jsonb_to_recordset(${JSON.stringify(numbers)}::jsonb) AS n(carrier text, "trackingNumber" text)
    JOIN public.subscriptions s ON s.tracking_number = n."trackingNumber" AND s.provider = ${provider} AND s.carrier = n.carrier
    LEFT JOIN LATERAL (
      SELECT c.tracking_id, c.hints FROM public.trackings t
      JOIN public.checks c ON c.tracking_id = t.id AND c.account_id = t.account_id
      WHERE t.tracking_number = s.tracking_number AND c.carrier = s.carrier AND c.provider = s.provider AND NOT c.final_look
      ORDER BY c.hints IS NULL LIMIT 1
    ) watched ON true
    WHERE s.state = 'wanted' OR (s.state = 'active' AND s.retry_at IS NOT NULL)`,
  );
}

/**
 * Has up to `limit` subscriptions to watched parcels renewed that were made more than `renewSeconds` ago. They keep
 * sending callbacks in between.
 * @returns how many.
 */
export async function wantRenewals(
  db: Db,
  { provider, renewSeconds, limit, now }: { provider: string; renewSeconds: number; limit: number; now: Date },
): Promise<number> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  return db.$executeRaw`
    UPDATE public.subscriptions SET retry_at = ${at} WHERE (tracking_number, provider, carrier) IN (
      SELECT tracking_number, provider, carrier FROM public.subscriptions s
      WHERE s.provider = ${provider} AND s.state = 'active' AND s.retry_at IS NULL AND s.unwatched_since IS NULL
        AND COALESCE(s.subscribed_at, '-infinity') <= ${at} - make_interval(secs => ${renewSeconds}::float8)
      ORDER BY s.subscribed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
