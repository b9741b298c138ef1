import { accountsOf, type Hints, idsOf, type ParcelKey } from '@pts/core/tracking/schedule';
import { LONGEST_RETRY_SECONDS, type SubscriptionState } from '@pts/core/tracking/subscription';
import { type Cadence, CLAIMED_AT, DUE_AT, jittered, polledSeconds, SLOT_JOIN } from './checks/schedule.ts';
import { column, columns, columnsOf, type Db, executeByIndex, type RowOf, rows } from './connection.ts';
import { type Check, Prisma, type Subscription, type Tracking } from './generated/client.ts';
import { DEADLINES } from './pool.ts';

/** A number of a carrier, for which a provider may send callbacks. */
export type SubscribedNumber = { carrier: string; trackingNumber: string };

/** A claimed subscription whose job is lost becomes due again after this. */
const LEASE_SECONDS = 120;
/** A subscription without a callback for longer may have ended unnoticed. */
const FRESH_DAYS = 7;

/**
 * Wants a subscription for the numbers of these checks, unless there is one; each check is considered once. Where
 * another account's parcel has a healthy one already, the check becomes a safety net at once. An ended or refused
 * subscription is wanted again, but not before `resubscribeSeconds` have passed; so is one without a callback for days,
 * which may have ended.
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
 * Wants subscriptions again that the provider no longer has, unless they were made less than `resubscribeSeconds` ago:
 * it may be slow to list them, and may charge for each.
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
  ...columnsOf<Subscription>('s')('carrier', 'trackingNumber'),
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
 * Loads the given numbers whose subscription is still wanted, or is due to be renewed, with the further inputs of a
 * watched parcel.
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
 * Records the outcomes of subscriptions, unless a callback has already reported more. A parcel that is subscribed to is
 * checked regularly until its first callback, and at the latest `checkWithinSeconds` from now, under the provider's
 * floor.
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

const WATCHED = columns({
  trackingId: column<Tracking['id']>('t.id'),
  accountId: column<Tracking['accountId']>('t.account_id'),
  /** The carrier; one of the candidates where it is not known. */
  carrier: column<Tracking['carrier']>('w.carrier'),
  /** Whether its next check asks this carrier. */
  isAsked: column<boolean>('w.is_asked'),
  detected: column<Tracking['detected']>('t.detected'),
  fingerprint: column<Check['fingerprint']>('c.fingerprint'),
});
/** A parcel with the number of a callback that is still being watched. */
export type WatchedNumber = RowOf<typeof WATCHED>;

const KNOWN = columns({
  ...columnsOf<Subscription>('s')('carrier', 'movedTo'),
});
export type KnownSubscription = RowOf<typeof KNOWN>;

/**
 * The watched parcels with a number, of all accounts and whatever their carrier, and the subscriptions to it. A parcel
 * whose carrier is not known is there once for each of the provider's candidates, last for the one that is asked next.
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

/** The information in a callback about its subscription. */
type CallbackNote = SubscribedNumber & {
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
 * Records that a callback was received: the subscription is healthy, has ended or is wanted again. The checks of its
 * parcels become a safety net, whose interval restarts, or regular again; a parcel whose carrier is not known waits for
 * other candidates.
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
 * @param graceSeconds how long after a callback its news may be found, where callbacks only announce news; otherwise
 *   0.
 * @returns how many subscriptions were healthy until now.
 */
export async function awaitCallbacks(
  db: Db,
  provider: string,
  numbers: readonly SubscribedNumber[],
  { cadence, graceSeconds = 0, now }: { cadence: Cadence; graceSeconds?: number; now: Date },
): Promise<number> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const records = JSON.stringify(numbers);
  const isNotified = Prisma.sql`COALESCE(s.pushed_at > ${at} - make_interval(secs => ${graceSeconds}::float8), false)`;
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

const MOVED = columns({ id: column<Tracking['id']>('t.id') });

/**
 * Gives parcels whose carrier was detected the carrier that their provider has corrected them to. Their history, their
 * check and their subscription's callbacks continue; a parcel whose account has the number with that carrier already
 * stays.
 * @returns the ids of those that were moved.
 */
export async function correctCarrier(
  db: Db,
  parcels: readonly ParcelKey[],
  { provider, carrier }: { provider: string; carrier: string },
): Promise<string[]> {
  const accounts = accountsOf(parcels);
  return db.$transaction(async (tx) => {
    const moved = await rows(
      tx,
      MOVED,
      (list) => Prisma.sql`
      UPDATE public.trackings t SET carrier = ${carrier}
      WHERE t.id = ANY(${idsOf(parcels)}::text[]) AND t.account_id = ANY(${accounts}::text[]) AND t.detected AND t.provider = ${provider} AND t.carrier <> ${carrier}
        AND NOT EXISTS (SELECT 1 FROM public.trackings o
          WHERE o.account_id = t.account_id AND o.tracking_number = t.tracking_number AND o.carrier = ${carrier})
      RETURNING ${list}`,
    );
    const ids = moved.map(({ id }) => id);
    if (ids.length > 0)
      await tx.check.updateMany({
        where: { trackingId: { in: ids }, accountId: { in: accounts } },
        data: { carrier },
      });
    return ids;
  });
}

/** Notifies merchants who named the carrier that their provider has another one. */
export async function noteOtherCarrier(db: Db, parcels: readonly ParcelKey[], notice: string): Promise<void> {
  await db.tracking.updateMany({
    where: {
      id: { in: idsOf(parcels) },
      accountId: { in: accountsOf(parcels) },
      OR: [{ notice: null }, { notice: { not: notice } }],
    },
    data: { notice },
  });
}

/**
 * Whether any parcel watches the number of a subscription named `s` at its provider. The carrier does not matter: the
 * provider may have corrected it, and candidates are checked one after another.
 */
const IS_WATCHED = Prisma.sql`EXISTS (
  SELECT 1 FROM public.trackings t JOIN public.checks c ON c.tracking_id = t.id AND c.account_id = t.account_id
  WHERE t.tracking_number = s.tracking_number AND (c.provider = s.provider OR (c.undecided
    AND t.candidates -> 'candidates' @> jsonb_build_array(jsonb_build_object('provider', s.provider)))))`;

const KEY = columns({
  ...columnsOf<Subscription>('p')('trackingNumber', 'provider', 'carrier'),
});
/** Names a subscription. */
export type SubscriptionKey = RowOf<typeof KEY>;

/**
 * Looks at up to `limit` subscriptions after `after` in the order of their keys, and records since when their numbers
 * have been unwatched, or that they are watched again: a released one is then wanted again.
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

/** A release that is lost with its process is repeated after this. */
const RELEASE_LEASE_SECONDS = 120;
/** A registration may still be in progress for this long. */
const SETTLED_SECONDS = 600;

const RELEASABLE = columns({
  ...columnsOf<Subscription>('s')('carrier', 'trackingNumber', 'remoteId', 'failures'),
});
export type ReleasableNumber = RowOf<typeof RELEASABLE>;

type Releases = { provider: string; holdSeconds: number; restarts: number; now: Date };

/** Numbers that nobody has watched for `holdSeconds`, and that can be resumed if they are watched again. */
function isReleasable({ provider, holdSeconds, restarts, now }: Releases): Prisma.Sql {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  // A number that has reached the limit of resumptions stays registered.
  return Prisma.sql`s.provider = ${provider} AND s.unwatched_since <= ${at} - make_interval(secs => ${holdSeconds}::float8)
    AND s.state <> 'released' AND (s.state <> 'releasing' OR s.retry_at <= ${at})
    AND (${restarts}::int = 0 OR s.restarts < ${restarts}::int)
    AND (s.subscribed_at IS NOT NULL OR s.pushed_at IS NOT NULL OR s.failures > 0) AND NOT ${IS_WATCHED}`;
}

/** Whether there are numbers to release. */
export async function hasReleases(db: Db, releases: Releases): Promise<boolean> {
  const found = await rows(
    db,
    RELEASABLE,
    (list) => Prisma.sql`SELECT ${list} FROM public.subscriptions s WHERE ${isReleasable(releases)} LIMIT 1`,
  );
  return found.length > 0;
}

/** Takes up to `limit` numbers to release. From here on, nothing relies on their subscriptions. */
export async function claimReleases(db: Db, releases: Releases & { limit: number }): Promise<ReleasableNumber[]> {
  return rows(
    db,
    RELEASABLE,
    (list) => Prisma.sql`
    WITH due AS (
      SELECT tracking_number, carrier FROM public.subscriptions s WHERE ${isReleasable(releases)}
      ORDER BY unwatched_since LIMIT ${releases.limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE public.subscriptions s SET state = 'releasing', updated_at = ${releases.now.toISOString()}::timestamptz,
      retry_at = ${releases.now.toISOString()}::timestamptz + make_interval(secs => ${RELEASE_LEASE_SECONDS})
    FROM due WHERE s.tracking_number = due.tracking_number AND s.carrier = due.carrier AND s.provider = ${releases.provider}
    RETURNING ${list}`,
  );
}

/** The outcome of a claimed number. `retryAt`: of a failed one. */
export type ReleaseRecord = SubscribedNumber & {
  outcome: 'released' | 'unknown' | 'failed';
  retryAt?: Date | undefined;
};

/**
 * Records the outcomes of claimed numbers. A number that is watched again by now is wanted again, whatever the outcome.
 * Of the others, a released one is kept if it can be resumed, and otherwise deleted like an unknown one; a failed one
 * is tried again.
 */
export async function recordReleases(
  db: Db,
  provider: string,
  records: readonly ReleaseRecord[],
  { isResumable, now }: { isResumable: boolean; now: Date },
): Promise<void> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const list = Prisma.sql`jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
    AS r(carrier text, "trackingNumber" text, outcome text, "retryAt" timestamptz)`;
  const isOne = Prisma.sql`s.tracking_number = r."trackingNumber" AND s.provider = ${provider} AND s.carrier = r.carrier
    AND s.state = 'releasing'`;
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE public.subscriptions s SET
        state = CASE WHEN ${IS_WATCHED} THEN 'wanted' WHEN r.outcome = 'failed' THEN 'releasing' ELSE 'released' END,
        retry_at = CASE WHEN ${IS_WATCHED} THEN ${at} WHEN r.outcome = 'failed' THEN r."retryAt" END,
        failures = CASE WHEN r.outcome = 'failed' AND NOT ${IS_WATCHED} THEN s.failures + 1 ELSE 0 END,
        -- After a failed call it may have stopped or not: resuming it is right in either case.
        stopped_at = CASE WHEN r.outcome <> 'unknown' THEN COALESCE(s.stopped_at, ${at}) END, updated_at = ${at}
      FROM ${list} WHERE ${isOne}`;
    await tx.$executeRaw`
      DELETE FROM public.subscriptions s USING ${list}
      WHERE s.tracking_number = r."trackingNumber" AND s.provider = ${provider} AND s.carrier = r.carrier
        AND s.state = 'released' AND (r.outcome = 'unknown' OR NOT ${isResumable})`;
  });
}

/**
 * Deletes up to `limit` numbers that nobody has watched for `holdSeconds` and that need no release: never registered,
 * or (`isAll`) with a provider that has no call for it.
 * @returns how many.
 */
export async function forgetUnwatched(
  db: Db,
  { provider, holdSeconds, isAll, limit, now }: Omit<Releases, 'restarts'> & { isAll: boolean; limit: number },
): Promise<number> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  return db.$executeRaw`
    DELETE FROM public.subscriptions WHERE (tracking_number, provider, carrier) IN (
      SELECT tracking_number, provider, carrier FROM public.subscriptions s
      WHERE s.provider = ${provider} AND s.unwatched_since <= ${at} - make_interval(secs => ${holdSeconds}::float8)
        AND s.updated_at <= ${at} - make_interval(secs => ${SETTLED_SECONDS})
        AND (${isAll} OR (s.subscribed_at IS NULL AND s.pushed_at IS NULL AND s.failures = 0)) AND NOT ${IS_WATCHED}
      ORDER BY unwatched_since LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}

/** A subscription, for the explanation of a parcel. */
export type SubscriptionRecord = Pick<
  Subscription,
  'reason' | 'movedTo' | 'subscribedAt' | 'pushedAt' | 'awaitedSince' | 'retryAt'
> & { state: SubscriptionState };

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
 * Deletes up to `limit` old subscriptions, but none whose number is watched: without callbacks nothing is noted about
 * it for months, and it is needed to register the number again or to release it.
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
