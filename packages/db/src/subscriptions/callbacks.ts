import { accountsOf, idsOf, type ParcelKey } from '@pts/core/tracking/schedule';
import { LONGEST_RETRY_SECONDS, type SubscriptionState } from '@pts/core/tracking/subscription';
import { type Cadence, jittered, polledSeconds } from '../checks/schedule.ts';
import { column, columns, type Db, type RowOf, rows } from '../connection.ts';
import { type Check, Prisma, type Subscription, type Tracking } from '../generated/client.ts';
import type { SubscribedNumber } from './wanted.ts';

const WATCHED = columns({
  trackingId: column<Tracking['id']>('t.id'),
  accountId: column<Tracking['accountId']>('t.account_id'),
  /** Of a number whose carrier is not known, one of its candidates. */
  carrier: column<Tracking['carrier']>('w.carrier'),
  /** Whether its next check asks this carrier. */
  isAsked: column<boolean>('w.is_asked'),
  detected: column<Tracking['detected']>('t.detected'),
  fingerprint: column<Check['fingerprint']>('c.fingerprint'),
});
/** A parcel with the number of a callback that is still being watched. */
export type WatchedNumber = RowOf<typeof WATCHED>;

const KNOWN = columns({
  carrier: column<Subscription['carrier']>('s.carrier'),
  movedTo: column<Subscription['movedTo']>('s.moved_to'),
});
export type KnownSubscription = RowOf<typeof KNOWN>;

/**
 * The watched parcels with a number, of all accounts and whatever their carrier, and the subscriptions to it. A parcel whose carrier
 * is not known is there once for each of the provider's candidates, last for the one that is asked next.
 */
export async function findWatched(
  db: Db,
  provider: string,
  trackingNumber: string,
): Promise<{ watched: WatchedNumber[]; subscriptions: KnownSubscription[] }> {
  const [watched, subscriptions] = await Promise.all([
    rows(
      db,
      WATCHED,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.trackings t JOIN public.checks c ON c.tracking_id = t.id AND c.account_id = t.account_id
        CROSS JOIN LATERAL (
          SELECT t.carrier, true AS is_asked WHERE NOT c.undecided AND c.provider = ${provider}
          UNION ALL
          SELECT n.carrier, n.carrier = c.carrier
          FROM jsonb_to_recordset(t.candidates -> 'candidates') AS n(carrier text, provider text)
          WHERE c.undecided AND n.provider = ${provider}
        ) w
        WHERE t.tracking_number = ${trackingNumber} ORDER BY w.is_asked`,
    ),
    rows(
      db,
      KNOWN,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.subscriptions s
        WHERE s.tracking_number = ${trackingNumber} AND s.provider = ${provider}`,
    ),
  ]);
  return { watched, subscriptions };
}

/** What a callback says about its subscription. */
export type CallbackNote = SubscribedNumber & {
  provider: string;
  /** `wanted`: the provider gave up, and the number is subscribed to again later. */
  state: Extract<SubscriptionState, 'active' | 'ended' | 'wanted'>;
  reason?: string | undefined;
  /** Undefined keeps what an earlier callback said. */
  movedTo?: string | null | undefined;
  /** Seconds until it may be subscribed to again; doubled each time in a row that the provider gives up. */
  resubscribeSeconds: number;
};

/**
 * Records that a callback was received: the subscription is healthy, has ended or is wanted again. The checks of its parcels
 * become a safety net, whose interval restarts, or regular again; a parcel whose carrier is not known waits for other candidates.
 */
export async function noteCallback(db: Db, note: CallbackNote, cadence: Cadence, now: Date): Promise<void> {
  const { provider, carrier, trackingNumber, state, reason = null, movedTo, resubscribeSeconds } = note;
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const again = Prisma.sql`CASE WHEN ${state} = 'wanted' THEN ${at} + make_interval(secs => LEAST(
    ${LONGEST_RETRY_SECONDS}::float8, ${resubscribeSeconds}::float8 * power(2, LEAST(s.failures, 10)))) END`;
  const first = Prisma.sql`CASE WHEN ${state} = 'wanted' THEN ${at} + make_interval(secs => ${resubscribeSeconds}::float8) END`;
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`
      INSERT INTO public.subscriptions AS s
        (tracking_number, provider, carrier, state, reason, moved_to, retry_at, pushed_at, updated_at)
      VALUES (${trackingNumber}, ${provider}, ${carrier}, ${state}, ${reason}, ${movedTo ?? null}, ${first}, ${at}, ${at})
      -- A callback that crosses a release does not undo it.
      ON CONFLICT (tracking_number, provider, carrier) DO UPDATE SET reason = EXCLUDED.reason,
        state = CASE WHEN s.state IN ('releasing', 'released') THEN s.state ELSE EXCLUDED.state END,
        stopped_at = CASE WHEN ${state} = 'active' AND s.state NOT IN ('releasing', 'released') THEN NULL ELSE s.stopped_at END,
        moved_to = CASE WHEN ${movedTo === undefined} THEN s.moved_to ELSE EXCLUDED.moved_to END, pushed_at = ${at}, awaited_since = NULL, updated_at = ${at},
        -- A repeated callback does not postpone the next attempt, and news does not end a renewal.
        retry_at = CASE WHEN ${state} = s.state AND s.state IN ('wanted', 'active') THEN s.retry_at
          WHEN s.state IN ('releasing', 'released') THEN s.retry_at ELSE ${again} END,
        failures = CASE WHEN ${state} <> 'wanted' THEN 0 WHEN s.state = 'wanted' THEN s.failures ELSE s.failures + 1 END`;
    await tx.$executeRaw`
      UPDATE public.checks c SET pushed = (${state} = 'active'), failure = NULL, failing_since = NULL,
        next_check_at = CASE WHEN ${state} = 'active' AND ${cadence.safetyNetSeconds !== undefined}
          THEN ${at} + ${jittered(Prisma.sql`${cadence.safetyNetSeconds ?? 0}::float8`, cadence)}
          ELSE LEAST(c.next_check_at, ${at} + ${jittered(polledSeconds(cadence), cadence)}) END
      FROM public.trackings t
      WHERE t.tracking_number = ${trackingNumber} AND t.carrier = ${carrier}
        AND c.tracking_id = t.id AND c.account_id = t.account_id AND c.provider = ${provider} AND NOT c.final_look
        AND NOT c.undecided`;
  });
}

/** Checks these parcels as soon as the provider's floor allows. */
export async function checkSoon(db: Db, parcels: readonly ParcelKey[], floorSeconds: number, now: Date): Promise<void> {
  if (parcels.length === 0) return;
  const at = now.toISOString();
  await db.$executeRaw`
    UPDATE public.checks SET next_check_at = LEAST(next_check_at, GREATEST(
      ${at}::timestamptz, claimed_at + make_interval(secs => ${floorSeconds}::float8)))
    WHERE tracking_id = ANY(${idsOf(parcels)}::text[]) AND account_id = ANY(${accountsOf(parcels)}::text[]) AND NOT final_look`;
}

/**
 * A check found news before a callback: the parcels with these numbers are checked regularly until a callback
 * arrives again.
 * @param noticeSeconds how long after a callback its news may be found, where callbacks only announce news; otherwise 0.
 * @returns how many subscriptions were healthy until now.
 */
export async function awaitCallbacks(
  db: Db,
  provider: string,
  numbers: readonly SubscribedNumber[],
  { cadence, noticeSeconds = 0, now }: { cadence: Cadence; noticeSeconds?: number; now: Date },
): Promise<number> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const records = JSON.stringify(numbers);
  const isNotified = Prisma.sql`COALESCE(s.pushed_at > ${at} - make_interval(secs => ${noticeSeconds}::float8), false)`;
  return db.$transaction(async (tx) => {
    const missed = await tx.$executeRaw`
      UPDATE public.subscriptions s SET awaited_since = ${at}, updated_at = ${at}
      FROM jsonb_to_recordset(${records}::jsonb) AS r(carrier text, "trackingNumber" text)
      WHERE s.tracking_number = r."trackingNumber" AND s.provider = ${provider} AND s.carrier = r.carrier
        AND s.state = 'active' AND s.awaited_since IS NULL AND NOT ${isNotified}`;
    // Without a subscription (it may have been deleted), one is considered again.
    await tx.$executeRaw`
      UPDATE public.checks c SET pushed = CASE WHEN s.provider IS NOT NULL THEN false END,
        next_check_at = LEAST(c.next_check_at, ${at} + ${jittered(polledSeconds(cadence), cadence)})
      FROM jsonb_to_recordset(${records}::jsonb) AS r(carrier text, "trackingNumber" text)
      JOIN public.trackings t ON t.tracking_number = r."trackingNumber" AND t.carrier = r.carrier
      LEFT JOIN public.subscriptions s
        ON s.tracking_number = t.tracking_number AND s.provider = ${provider} AND s.carrier = t.carrier
      WHERE c.tracking_id = t.id AND c.account_id = t.account_id AND c.provider = ${provider} AND c.pushed AND NOT c.final_look AND NOT ${isNotified}`;
    return missed;
  });
}
