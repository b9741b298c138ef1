import type { DeliveryEstimate } from '@pts/core/estimates';
import { type StatsRange, type Transit, weeksOf } from '@pts/core/stats';
import type { EventKind, Status, SubStatus } from '@pts/core/tracking/status';
import {
  byIndex,
  column,
  columns,
  type Db,
  type HotTx,
  hotExecute,
  hotRows,
  type RowOf,
  rowsByIndex,
} from './connection.ts';
import { WAS_SENT } from './deliveries/log.ts';
import { type Message, Prisma, type StatCount, type StatProgress, type StatTransit } from './generated/client.ts';
import { DEADLINES, DeadlineError, within } from './pool.ts';

/*
 * The figures of an account (decision 0035). Registrations are counted by the statement that charges them. Events and
 * attempts are logs: `foldStats` adds what is new in them, in portions, and the place that it has reached is stored
 * with what it added. Parcels by status, sub-status and carrier are counted where they are, by index.
 */

type CanTransact = Pick<Db, '$hotTransaction'>;
type Request = { accountId: string } & StatsRange;

/** The counts of a range. `isUpToDate`: nothing has waited for more than a minute to be counted. */
export type Figures = { counts: IntervalCounts[]; transits: TransitCount[]; isUpToDate: boolean };

/** Reads what was counted of an account in a range. */
export async function readFigures(db: CanTransact, request: Request): Promise<Figures> {
  return byIndex(db, async (tx) => ({
    counts: await readCounts(tx, request),
    transits: await readTransits(tx, request),
    isUpToDate: (await hotRows(tx, UP_TO_DATE, (list) => Prisma.sql`SELECT ${list}`))[0]?.isUpToDate ?? true,
  }));
}

/** The time that a new id of an attempt has, as its beginning. */
const attemptIdAt = (time: string) => `lpad(to_hex((extract(epoch FROM ${time}) * 1048576)::bigint), 13, '0')`;

/** The first event and the first attempt that are not counted yet are the oldest. */
const UP_TO_DATE = columns({
  isUpToDate: column<boolean>(`NOT EXISTS (
    SELECT FROM public.stat_progress p
    LEFT JOIN LATERAL (
      SELECT created_at FROM public.messages WHERE position > p.position ORDER BY position LIMIT 1) m ON true
    LEFT JOIN LATERAL (
      SELECT id FROM public.delivery_attempts WHERE id > p.attempt ORDER BY id LIMIT 1) a ON true
    WHERE m.created_at < now() - interval '1 minute' OR a.id < ${attemptIdAt("now() - interval '1 minute'")})`),
});

/** A figure that is counted per interval. */
export type Figure = 'registered' | EventKind | 'accepted' | 'failed';

/**
 * A figure, its bucket and how often it was counted. Of accepted pushes, the bucket is that of their lag (`lagUpTo`),
 * -1 for those that were sent once more; otherwise it is 0.
 */
export type Count = [figure: Figure, bucket: number, amount: number];

/** A row for each interval: one for each count would take most of the time of a request. */
const COUNTS = columns({
  at: column<StatCount['at']>('at'),
  counts: column<Count[]>('jsonb_agg(jsonb_build_array(figure, bucket, amount))'),
});

/** The counts of an interval, by its start. A figure and bucket may appear twice. */
export type IntervalCounts = RowOf<typeof COUNTS>;

async function readCounts(tx: HotTx, { accountId, from, to, interval }: Request): Promise<IntervalCounts[]> {
  const counted = (
    series: string,
  ) => Prisma.sql`public.stat_counts WHERE account_id = ${accountId} AND series = ${series}
    AND at >= ${from.toISOString()}::timestamptz AND at < ${to.toISOString()}::timestamptz`;
  return hotRows(
    tx,
    COUNTS,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT at, figure, bucket, amount FROM ${counted(interval)}
        UNION ALL SELECT date_trunc(${interval}, at, 'UTC'), figure, bucket, amount FROM ${counted('registered')}) c
      GROUP BY at`,
  );
}

const TRANSITS = columns({
  carrier: column<StatTransit['carrier']>('carrier'),
  origin: column<StatTransit['origin']>('origin'),
  destination: column<StatTransit['destination']>('destination'),
  /** The upper bound of the bucket. */
  hours: column<StatTransit['hours']>('hours'),
  parcels: column<number>('sum(parcels)::int'),
  carrierExpected: column<number>('sum(carrier_expected)::int'),
  carrierInTime: column<number>('sum(carrier_in_time)::int'),
  historyExpected: column<number>('sum(history_expected)::int'),
  historyInTime: column<number>('sum(history_in_time)::int'),
});

/** Delivered parcels of a lane whose transit time is in a bucket, and how many of them arrived in time. */
export type TransitCount = RowOf<typeof TRANSITS>;

/** Reads the transit counts of parcels that were reported as delivered on the days (UTC) of the range. */
async function readTransits(tx: HotTx, { accountId, ...range }: Request): Promise<TransitCount[]> {
  const { weeks, days } = weeksOf(range);
  const counted = (grain: 'day' | 'week', [from, to]: [Date, Date]) => Prisma.sql`
    SELECT * FROM public.stat_transits WHERE account_id = ${accountId} AND grain = ${grain}
      AND at >= ${from.toISOString()}::timestamptz AND at < ${to.toISOString()}::timestamptz`;
  return hotRows(
    tx,
    TRANSITS,
    (list) => Prisma.sql`
      SELECT ${list}
      FROM (${counted('week', weeks)} UNION ALL ${counted('day', days[0])} UNION ALL ${counted('day', days[1])}) t
      GROUP BY carrier, origin, destination, hours`,
  );
}

const ENDPOINT_HOURS = columns({
  webhookId: column<string>('figure'),
  at: column<StatCount['at']>('at'),
  accepted: column<number>('COALESCE(sum(amount) FILTER (WHERE bucket = 1), 0)::int'),
  failed: column<number>('COALESCE(sum(amount) FILTER (WHERE bucket = 0), 0)::int'),
  /** Events that its filter did not let pass. */
  filteredOut: column<number>('COALESCE(sum(amount) FILTER (WHERE bucket = 2), 0)::int'),
});

/** The attempts of an endpoint in an hour, by its start. */
export type EndpointHour = RowOf<typeof ENDPOINT_HOURS>;

/** The attempts of an account's endpoints by hour; hours without any are left out. */
export async function readEndpointHours(
  db: CanTransact,
  { accountId, from }: { accountId: string; from: Date },
): Promise<EndpointHour[]> {
  return rowsByIndex(
    db,
    ENDPOINT_HOURS,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.stat_counts
      WHERE account_id = ${accountId} AND series = 'endpoint' AND at >= ${from.toISOString()}::timestamptz
      GROUP BY figure, at`,
  );
}

/** How many parcels have a status, a sub-status, a carrier. */
export type ParcelCounts = {
  statuses: ReadonlyMap<Status, number>;
  subStatuses: ReadonlyMap<SubStatus, number>;
  carriers: ReadonlyMap<string, number>;
};

/** Parcels of an account whose counts are kept for a while: fewer are counted in a few milliseconds. */
const MANY = 10_000;
const KEPT_MS = 60_000;
/** Accounts whose counts are kept. */
const MAX_KEPT = 1000;
/**
 * How long a request waits for a new count before it shows the last one. The count goes on, and the next request finds
 * it.
 */
const PATIENCE_MS = 300;

type Kept = { counts: ParcelCounts | null; countedAt: number; counting: Promise<ParcelCounts> | null };
const keptCounts = new WeakMap<object, Map<string, Kept>>();

/**
 * The parcels of an account as they are now. Of an account with many, they may be a minute old, and older (`isUpToDate`
 * is false) while they are being counted again.
 * @throws DeadlineError if they have never been counted, and counting them takes longer than a statement of a request
 *   may.
 */
export async function countParcels(db: Db, accountId: string): Promise<ParcelCounts & { isUpToDate: boolean }> {
  const accounts = keptCounts.get(db.$pool) ?? new Map<string, Kept>();
  keptCounts.set(db.$pool, accounts);
  const kept = accounts.get(accountId) ?? { counts: null, countedAt: 0, counting: null };
  const isFresh = () => kept.counts !== null && performance.now() - kept.countedAt < KEPT_MS;
  if (kept.counts && isFresh()) return { ...kept.counts, isUpToDate: true };
  kept.counting ??= countAndKeep(db, accounts, accountId, kept);
  const waitMs = kept.counts ? PATIENCE_MS : db.$statementMs;
  const counts = await within(waitMs, kept.counting, () => kept.counts);
  if (!counts) throw new DeadlineError(waitMs);
  return { ...counts, isUpToDate: isFresh() || totalOf(counts) < MANY };
}

async function countAndKeep(db: Db, accounts: Map<string, Kept>, accountId: string, kept: Kept): Promise<ParcelCounts> {
  accounts.delete(accountId);
  accounts.set(accountId, kept);
  for (const [oldest] of accounts) if (accounts.size > MAX_KEPT) accounts.delete(oldest);
  try {
    // Millions of parcels are counted in seconds, on a busy machine in more than requests and sweeps have.
    const counts = await readParcels(db.$within(DEADLINES.bulk), accountId);
    if (totalOf(counts) < MANY) accounts.delete(accountId);
    else Object.assign(kept, { counts, countedAt: performance.now() });
    return counts;
  } finally {
    kept.counting = null;
  }
}

/** All parcels. */
export function totalOf({ statuses }: ParcelCounts): number {
  return [...statuses.values()].reduce((total, count) => total + count, 0);
}

const PARCELS = columns({
  of: column<'status' | 'sub_status' | 'carrier'>('kind'),
  value: column<string>('value'),
  parcels: column<number>('parcels::int'),
});

/** Each part reads an index that has nothing but the keys of the account's parcels, in the order of the value. */
async function readParcels(db: CanTransact, accountId: string): Promise<ParcelCounts> {
  const found = await rowsByIndex(
    db,
    PARCELS,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT kind, value, sum(parcels) AS parcels FROM (
          SELECT status, sub_status, count(*) AS parcels FROM public.trackings WHERE account_id = ${accountId}
          GROUP BY status, sub_status) s
        CROSS JOIN LATERAL (VALUES ('status', status), ('sub_status', sub_status)) v (kind, value) GROUP BY kind, value
        UNION ALL SELECT 'carrier', carrier, count(*)
        FROM public.tracking_search WHERE account_id = ${accountId} GROUP BY carrier) p`,
  );
  const counted = <T extends string>(kind: RowOf<typeof PARCELS>['of']) =>
    new Map(found.flatMap(({ of, value, parcels }) => (of === kind ? [[value as T, parcels] as const] : [])));
  return { statuses: counted('status'), subStatuses: counted('sub_status'), carriers: counted('carrier') };
}

/** Events and attempts that are counted in one round: this many of each. */
const ROUND_SIZE = 2000;
/** The lock of those who change what is counted. As a lock on a row, it would give its transaction a number. */
const FOLD_LOCK = 7351001;
const LOCKED = columns({ isOurs: column<boolean>(`pg_try_advisory_xact_lock(${FOLD_LOCK})`) });

/** The newest of both logs. An id of the future, from a clock that was wrong, must not hide those that follow. */
const NEWEST = columns({
  position: column<bigint>('COALESCE((SELECT max(position) FROM public.messages), 0)'),
  attempt: column<string>(
    `LEAST(COALESCE((SELECT max(id) FROM public.delivery_attempts), ''), ${attemptIdAt('clock_timestamp()')})`,
  ),
});
const PROGRESS = columns({
  position: column<StatProgress['position']>('position'),
  attempt: column<StatProgress['attempt']>('attempt'),
  nextPosition: column<StatProgress['nextPosition']>('next_position'),
  nextAttempt: column<StatProgress['nextAttempt']>('next_attempt'),
  isSettled: column<boolean>(
    'pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= next_xact OR system <> public.feed_system()',
  ),
});
type Progress = RowOf<typeof PROGRESS>;

const FOLDED = columns({
  said: column<number>('(SELECT count(*)::int FROM said)'),
  position: column<bigint>('(SELECT max(position) FROM said)'),
  tried: column<number>('(SELECT count(*)::int FROM tried)'),
  attempt: column<string>('(SELECT max(id) FROM tried)'),
});

/** How a delivery counts: computed from the body of its event and the first estimate. Null if it does not count. */
export type TransitOf = (body: string, expected: DeliveryEstimate | null) => Transit | null;

/**
 * Counts a portion of the events and attempts that are new. What is counted and the place that it has reached are
 * stored in one transaction, so each counts once, whoever is killed. Of several processes, one does it.
 *
 * Places are taken when rows are written, and rows appear when their transactions commit, in any order. So the newest
 * places are noted first, with a transaction number that is given out after them: who took an earlier place has a lower
 * number. Once all transactions below it are over, nothing can appear up to the noted places any more, and they are
 * counted.
 * @returns whether there is more to do at once.
 */
export async function foldStats(
  db: CanTransact,
  transitOf: TransitOf,
  roundSize = ROUND_SIZE,
): Promise<{ more: boolean }> {
  return byIndex(db, async (tx) => {
    const [lock] = await hotRows(tx, LOCKED, (list) => Prisma.sql`SELECT ${list}`);
    if (!lock?.isOurs) return { more: false };
    const progress = await readProgress(tx);
    if (progress.nextPosition === progress.position && progress.nextAttempt === progress.attempt)
      return { more: await noteNewest(tx, progress) };
    if (!progress.isSettled) return { more: false };
    const [folded] = await hotRows(tx, FOLDED, (list) => fold(progress, roundSize, list));
    const position = folded?.said === roundSize ? folded.position : progress.nextPosition;
    const attempt = folded?.tried === roundSize ? folded.attempt : progress.nextAttempt;
    await addTransits(tx, await deliveredUpTo(tx, progress.position, position), transitOf);
    await hotExecute(tx, Prisma.sql`UPDATE public.stat_progress SET position = ${position}, attempt = ${attempt}`);
    return { more: folded?.said === roundSize || folded?.tried === roundSize };
  });
}

async function readProgress(tx: HotTx): Promise<Progress> {
  const [progress] = await hotRows(tx, PROGRESS, (list) => Prisma.sql`SELECT ${list} FROM public.stat_progress`);
  if (!progress) throw new Error('the row of stat_progress is missing');
  return progress;
}

/**
 * The transaction gets its number with the second statement, after it has read the places.
 * @returns whether there is anything new.
 */
async function noteNewest(tx: HotTx, progress: Progress): Promise<boolean> {
  const [newest] = await hotRows(tx, NEWEST, (list) => Prisma.sql`SELECT ${list}`);
  const isNew = newest && (newest.position > progress.position || newest.attempt > progress.attempt);
  if (!isNew) return false;
  await hotExecute(
    tx,
    Prisma.sql`
      UPDATE public.stat_progress SET next_position = GREATEST(position, ${newest.position}::bigint),
        next_attempt = GREATEST(attempt, ${newest.attempt}), next_xact = pg_current_xact_id()::text::bigint,
        system = public.feed_system()`,
  );
  return true;
}

function fold({ position, nextPosition, attempt, nextAttempt }: Progress, max: number, list: Prisma.Sql): Prisma.Sql {
  const limit = Prisma.raw(String(max));
  return Prisma.sql`
    WITH said AS MATERIALIZED (
      SELECT position, account_id, event, filtered_out, created_at FROM public.messages
      WHERE position > ${position} AND position <= ${nextPosition} ORDER BY position LIMIT ${limit}
    ), tried AS MATERIALIZED (
      SELECT * FROM public.delivery_attempts WHERE id > ${attempt} AND id <= ${nextAttempt} ORDER BY id LIMIT ${limit}
    ), ${pushes()}, counted AS (${adding(COUNTED)})
    SELECT ${list}`;
}

/**
 * Counts how many of the attempts `tried` were accepted and failed, by endpoint and hour; accepted ones by the time
 * since their change.
 */
function pushes(): Prisma.Sql {
  return Prisma.sql`
    pushed AS (
      SELECT account_id, webhook_id, hour, is_accepted, bucket, count(*) AS amount FROM (
        SELECT account_id, webhook_id, date_bin('1 hour', started_at, 'epoch') AS hour, error IS NULL AS is_accepted,
          CASE WHEN error IS NOT NULL THEN 0 WHEN round > 0 THEN -1 ELSE COALESCE(ceil(4 / ln(2::float8) * ln(GREATEST(1::float8,
            1000 * extract(epoch FROM started_at + make_interval(secs => duration_ms / 1000::float8) - (
              SELECT created_at FROM public.deliveries d WHERE d.message_id = a.message_id AND d.webhook_id = a.webhook_id
                AND d.account_id = a.account_id))::float8)))::smallint, -1) END AS bucket
        FROM tried a WHERE delivery_id IS NOT NULL AND ${WAS_SENT}) p
      GROUP BY 1, 2, 3, 4, 5)`;
}

/** The rows of `stat_counts`, from events `said` and attempts `pushed`. */
const COUNTED = Prisma.sql`
  SELECT account_id, series, date_bin(length, hour, 'epoch') AS at, figure, bucket, sum(amount)::int AS amount FROM (
    SELECT account_id, date_bin('1 hour', created_at, 'epoch') AS hour, event AS figure, 0 AS bucket, 1 AS amount FROM said
    UNION ALL
    SELECT account_id, hour, CASE WHEN is_accepted THEN 'accepted' ELSE 'failed' END, bucket, amount FROM pushed) f
  CROSS JOIN (VALUES ('hour', interval '1 hour'), ('day', interval '1 day')) g (series, length)
  GROUP BY 1, 2, 3, 4, 5
  UNION ALL SELECT account_id, 'endpoint', hour, webhook_id, is_accepted::int, sum(amount)::int FROM pushed GROUP BY 1, 3, 4, 5
  UNION ALL SELECT account_id, 'endpoint', date_bin('1 hour', created_at, 'epoch'), id, 2, count(*)::int
    FROM said CROSS JOIN jsonb_array_elements_text(filtered_out) AS id GROUP BY 1, 3, 4`;

function adding(counted: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO public.stat_counts AS c (account_id, series, at, figure, bucket, amount) ${counted}
    ON CONFLICT (account_id, series, at, figure, bucket) DO UPDATE SET amount = c.amount + excluded.amount`;
}

const DELIVERED = columns({
  accountId: column<Message['accountId']>('account_id'),
  at: column<Message['createdAt']>('created_at'),
  body: column<Message['body']>('body'),
  expected: column<DeliveryEstimate | null>('expected'),
});
type Delivered = RowOf<typeof DELIVERED>;

/** Counted before, and settled: the statement before this one has seen the same. */
async function deliveredUpTo(tx: HotTx, after: bigint, upTo: bigint): Promise<Delivered[]> {
  return hotRows(
    tx,
    DELIVERED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.messages
      WHERE position > ${after} AND position <= ${upTo} AND event = 'tracking_delivered' ORDER BY position`,
  );
}

/** Weeks begin on Mondays. */
const FIRST_MONDAY = '1970-01-05T00:00:00Z';

async function addTransits(tx: HotTx, delivered: readonly Delivered[], transitOf: TransitOf): Promise<void> {
  const transits = delivered.flatMap(({ accountId, at, body, expected }) => {
    const transit = transitOf(body, expected);
    return transit === null ? [] : { account_id: accountId, said_at: at, ...rowOf(transit) };
  });
  if (transits.length === 0) return;
  await hotExecute(
    tx,
    Prisma.sql`
    INSERT INTO public.stat_transits AS t (account_id, grain, at, carrier, origin, destination, hours, parcels, carrier_expected,
      carrier_in_time, history_expected, history_in_time)
    SELECT account_id, grain, date_bin(length, said_at, ${FIRST_MONDAY}::timestamptz), carrier, origin, destination, hours, count(*),
      sum(carrier_expected), sum(carrier_in_time), sum(history_expected), sum(history_in_time)
    FROM jsonb_to_recordset(${JSON.stringify(transits)}::jsonb) AS r(
      account_id text, said_at timestamptz, carrier text, origin text, destination text, hours int2, carrier_expected int,
      carrier_in_time int, history_expected int, history_in_time int)
    CROSS JOIN (VALUES ('day', interval '1 day'), ('week', interval '7 days')) g (grain, length)
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (account_id, grain, at, carrier, origin, destination, hours) DO UPDATE SET parcels = t.parcels + excluded.parcels,
      carrier_expected = t.carrier_expected + excluded.carrier_expected,
      carrier_in_time = t.carrier_in_time + excluded.carrier_in_time,
      history_expected = t.history_expected + excluded.history_expected,
      history_in_time = t.history_in_time + excluded.history_in_time`,
  );
}

function rowOf({ promise, ...transit }: Transit) {
  const isOf = (source: 'carrier' | 'history') => Number(promise?.source === source);
  const isKept = Number(promise?.isKept === true);
  return {
    ...transit,
    carrier_expected: isOf('carrier'),
    carrier_in_time: isOf('carrier') * isKept,
    history_expected: isOf('history'),
    history_in_time: isOf('history') * isKept,
  };
}

/** Counting tens of millions of parcels takes minutes. */
const RECOUNT_DEADLINE_MS = 30 * 60_000;
const RECOUNTED = columns({ counts: column<object[] | null>('jsonb_agg(to_jsonb(r))') });

/**
 * Counts an account whose rows were copied from another database: what it has now replaces its figures, in one
 * transaction. What is not folded yet is left to the folds. Waits for a process that folds. All is read before the
 * first row is written: a transaction gets its number then, and the feed of events waits for all numbers.
 */
export async function recount(db: Pick<Db, '$within'>, accountId: string, transitOf: TransitOf): Promise<void> {
  const work = async (tx: HotTx) => {
    await hotExecute(tx, Prisma.sql`SELECT pg_advisory_xact_lock(${FOLD_LOCK}::bigint)`);
    const { position, attempt } = await readProgress(tx);
    const [found] = await hotRows(
      tx,
      RECOUNTED,
      (list) => Prisma.sql`
        WITH said AS MATERIALIZED (
          SELECT account_id, event, filtered_out, created_at FROM public.messages
          WHERE account_id = ${accountId} AND position <= ${position}
        ), tried AS MATERIALIZED (
          SELECT * FROM public.delivery_attempts WHERE account_id = ${accountId} AND id <= ${attempt}
        ), ${pushes()}
        SELECT ${list} FROM (
          ${COUNTED}
          UNION ALL SELECT account_id, 'registered', date_bin('1 hour', created_at, 'epoch'), 'registered', 0, count(*)
          FROM public.trackings WHERE account_id = ${accountId} GROUP BY 1, 3) r`,
    );
    const delivered = await hotRows(
      tx,
      DELIVERED,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.messages
        WHERE account_id = ${accountId} AND position <= ${position} AND event = 'tracking_delivered'`,
    );
    await hotExecute(tx, Prisma.sql`DELETE FROM public.stat_counts WHERE account_id = ${accountId}`);
    await hotExecute(tx, Prisma.sql`DELETE FROM public.stat_transits WHERE account_id = ${accountId}`);
    const rows = Prisma.sql`
      SELECT ${accountId}, series, at, figure, bucket, amount FROM jsonb_to_recordset(${JSON.stringify(found?.counts ?? [])}::jsonb)
        AS r(series text, at timestamptz, figure text, bucket int2, amount int)`;
    await hotExecute(tx, adding(rows));
    await addTransits(tx, delivered, transitOf);
  };
  await db.$within(RECOUNT_DEADLINE_MS).$hotTransaction(work);
}

const DELETED = columns({ count: column<number>('count(*)::int') });

type Prune = { hoursBefore: Date; daysBefore: Date; batch: number };

/**
 * Deletes up to `batch` rows of each series of counts, and of transit times by day and by week, from before a moment.
 * Locked rows are skipped.
 * @returns the number of deleted rows; fewer than `batch` means that none are left.
 */
export async function pruneStats(db: Db, { hoursBefore, daysBefore, batch }: Prune): Promise<number> {
  const [counts, transits] = [Prisma.sql`public.stat_counts`, Prisma.sql`public.stat_transits`];
  const oldest = (table: Prisma.Sql, which: Prisma.Sql, before: Date) => Prisma.sql`
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      -- Account by account, because the key begins with it: one step for an account without old rows.
      SELECT old.ctid FROM public.accounts a CROSS JOIN LATERAL (
        SELECT ctid FROM ${table} WHERE account_id = a.id AND ${which} AND at < ${before.toISOString()}::timestamptz
        ORDER BY at LIMIT ${batch}::int FOR UPDATE SKIP LOCKED) old
      LIMIT ${batch}::int)) RETURNING 1`;
  const [deleted] = await rowsByIndex(
    db,
    DELETED,
    (list) => Prisma.sql`
    WITH hours AS (${oldest(counts, Prisma.sql`series = 'hour'`, hoursBefore)}),
      endpoints AS (${oldest(counts, Prisma.sql`series = 'endpoint'`, hoursBefore)}),
      days AS (${oldest(counts, Prisma.sql`series = 'day'`, daysBefore)}),
      registered AS (${oldest(counts, Prisma.sql`series = 'registered'`, daysBefore)}),
      transits AS (${oldest(transits, Prisma.sql`grain = 'day'`, daysBefore)}),
      weeks AS (${oldest(transits, Prisma.sql`grain = 'week'`, daysBefore)})
    SELECT ${list} FROM (
      SELECT * FROM hours UNION ALL SELECT * FROM endpoints UNION ALL SELECT * FROM days UNION ALL SELECT * FROM registered
      UNION ALL SELECT * FROM transits UNION ALL SELECT * FROM weeks) d`,
  );
  return deleted?.count ?? 0;
}
