import { type EndpointKey, MAX_REPLAYS, type PendingEndpoint } from '@pts/core/webhook/endpoint';
import { type PushFilter, passes } from '@pts/core/webhook/filter';
import { messageIdAfter, messageIdAt, readTrackingBody } from '@pts/core/webhook/push';
import { column, columns, columnsOf, type Db, type RowOf, rows, rowsByIndex, type Tx } from '../connection.ts';
import { type Delivery, type DeliveryAttempt, Prisma, type Replay as ReplayRow } from '../generated/client.ts';
import { freshId } from '../ids.ts';
import { DEADLINES } from '../pool.ts';
import type { DeliveryState } from './attempts.ts';

/** The maximum number of rounds: what the column can store. */
export const MAX_ROUNDS = 32_767;

const REDELIVERY = columns({
  ...columnsOf<DeliveryAttempt>('a')('messageId', 'webhookId', 'event'),
  state: column<DeliveryState>('d.state'),
  ...columnsOf<Delivery>('d')('attempts', 'round'),
  /** The round of the record. */
  recordRound: column<DeliveryAttempt['round']>('a.round'),
  nextAttemptAt: column<Delivery['nextAttemptAt']>('d.next_attempt_at'),
  isFailing: column<boolean>('COALESCE(w.failing_since IS NOT NULL, false)'),
  /** False for a ping. */
  isOfEvent: column<boolean>('a.delivery_id IS NOT NULL'),
  hasWebhook: column<boolean>('w.id IS NOT NULL'),
  isEnabled: column<boolean>('COALESCE(w.enabled, false)'),
  /** Whether message and delivery are still kept. */
  isKept: column<boolean>('d.id IS NOT NULL'),
});

/** The message of a delivery record: its state, and which rows that a redelivery needs still exist. */
export type Redelivery = RowOf<typeof REDELIVERY>;

/**
 * Whether a new round of a delivery `d` may begin: once it is settled, or while it waits for a later attempt. One that
 * has just begun has no attempt yet, which tells it apart also where the clock of this call is behind that of another.
 */
function mayBegin(at: string): Prisma.Sql {
  return Prisma.sql`(d.state <> 'owed' OR (d.attempts > 0 AND d.next_attempt_at > ${at}::timestamptz)) AND d.round < ${MAX_ROUNDS}`;
}

/**
 * Makes the message of a record pending again, even if it waits for a later attempt: a new round of the retry schedule,
 * due now. One conditional statement, so concurrent calls start one round; it locks the message so that it is not
 * pruned during the call.
 * @param input.isOnce only if no other round has begun since the record.
 * @returns false if it is already due or cannot be sent again; `findRedelivery` says why.
 */
export async function beginRound(
  db: Db,
  { accountId, recordId, isOnce = false, now }: { accountId: string; recordId: string; isOnce?: boolean; now: Date },
): Promise<boolean> {
  const at = now.toISOString();
  const count = await db.$executeRaw`
    WITH kept AS (
      SELECT m.id, a.webhook_id, a.account_id, a.round FROM public.delivery_attempts a CROSS JOIN LATERAL (
        SELECT id FROM public.messages WHERE id = a.message_id AND account_id = a.account_id LIMIT 1 FOR KEY SHARE) m
      WHERE a.id = ${recordId} AND a.account_id = ${accountId} AND a.delivery_id IS NOT NULL
    )
    UPDATE public.deliveries d SET state = 'owed', attempts = 0, round = d.round + 1, fresh = false,
      next_attempt_at = ${at}::timestamptz
    FROM kept, public.webhooks w
    WHERE d.message_id = kept.id AND d.webhook_id = kept.webhook_id AND d.account_id = kept.account_id
      AND w.id = d.webhook_id AND w.account_id = d.account_id AND w.enabled
      AND ${mayBegin(at)} AND (NOT ${isOnce}::boolean OR d.round = kept.round)`;
  return count > 0;
}

/**
 * The message of a delivery record. The limit keeps PostgreSQL from looking for the account's deliveries in all
 * partitions.
 * @returns null when the account has no such record.
 */
export async function findRedelivery(db: Db, accountId: string, recordId: string): Promise<Redelivery | null> {
  const [redelivery] = await rows(
    db,
    REDELIVERY,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.delivery_attempts a
      LEFT JOIN LATERAL (
        SELECT * FROM public.deliveries
        WHERE message_id = a.message_id AND webhook_id = a.webhook_id AND account_id = a.account_id LIMIT 1
      ) d ON a.delivery_id IS NOT NULL
      LEFT JOIN public.webhooks w ON w.id = a.webhook_id AND w.account_id = a.account_id
      WHERE a.id = ${recordId} AND a.account_id = ${accountId}`,
  );
  return redelivery ?? null;
}

const REPLAY = columns({
  id: column<ReplayRow['id']>('id'),
  webhookId: column<ReplayRow['webhookId']>('webhook_id'),
  since: column<ReplayRow['since']>('since'),
  until: column<ReplayRow['until']>('until'),
  state: column<'running' | 'done' | 'cancelled'>('state'),
  /** Messages to send; null when there are too many to count. */
  total: column<ReplayRow['total']>('total'),
  /** Messages that were made pending so far. */
  replayed: column<ReplayRow['replayed']>('replayed'),
  createdAt: column<ReplayRow['createdAt']>('created_at'),
  finishedAt: column<ReplayRow['finishedAt']>('finished_at'),
});

export type Replay = RowOf<typeof REPLAY>;

/**
 * Messages per page of a replay; the next page follows when fewer than this are pending. For an endpoint that works
 * again, only due ones count: those of its outage may wait for their next attempt for a day.
 */
export const REPLAY_PAGE = 500;
/** Replays that one statement feeds. */
const BATCH = 10;
/** More messages than this are not counted. */
const MAX_COUNTED = 50_000;
/** Its twin for an endpoint with a filter reads the bodies, too. */
const MAX_COUNTED_BODIES = 5000;
/** The maximum difference between the time of a message and that of its transaction. */
const SKEW_MS = 5 * 60_000;

/** The events of a replay: those of a range that the endpoint subscribes to and whose filter lets them pass. */
type Wanted = EndpointKey & {
  events: readonly string[];
  filter: PushFilter | null;
  since: Date;
  until: Date;
  /** Only what the endpoint missed: it was disabled then. */
  missedFrom?: Date;
};

/**
 * Starts a replay. Messages are read in the order of their transactions, in which the events of a parcel are ordered;
 * messages near the start and end of the range give the bounds.
 * @param tx stores it.
 * @returns null if another replay is running or the endpoint was just deleted.
 */
export async function startReplay(
  db: Db,
  input: Wanted & { now: Date },
  tx: Pick<Tx, '$queryRaw'> = db,
): Promise<Replay | null> {
  const { webhookId, accountId, since, until, missedFrom, filter, now } = input;
  const range = await boundsOf(db, input);
  const total = await countMessages(db, { ...input, ...range });
  const [started] = await rows(
    tx,
    REPLAY,
    (list) => Prisma.sql`
    INSERT INTO public.replays (id, webhook_id, account_id, since, until, events, filter, missed_from, total, xact, position,
      end_xact, created_at)
    SELECT ${freshId(now)}, w.id, ${accountId}, ${since.toISOString()}::timestamptz, ${until.toISOString()}::timestamptz,
      ${[...input.events]}::text[], ${filter === null ? null : JSON.stringify(filter)}::jsonb,
      ${missedFrom?.toISOString() ?? null}::timestamptz, ${total}::int, ${range.xact}::bigint, 0, ${range.endXact}::bigint,
      ${now.toISOString()}::timestamptz
    FROM public.webhooks w WHERE w.id = ${webhookId} AND w.account_id = ${accountId} FOR KEY SHARE
    ON CONFLICT (webhook_id) WHERE state = 'running' DO NOTHING
    RETURNING ${list}`,
  );
  return started ?? null;
}

/** How many messages a replay of this range would send; null when there are too many to count. */
export async function countReplay(db: Db, wanted: Wanted): Promise<number | null> {
  return countMessages(db, { ...wanted, ...(await boundsOf(db, wanted)) });
}

/** The bounds of the replay. */
const BOUNDS = columns({
  xact: column<bigint>('COALESCE(f.first, 0)'),
  endXact: column<bigint>('COALESCE(l.last, pg_snapshot_xmax(pg_current_snapshot())::text::bigint + f.margin)'),
});
/** Transactions that may begin before a change is committed that this one belongs to. */
const MARGIN_XACTS = 100_000;
type Bounds = RowOf<typeof BOUNDS>;

async function boundsOf(db: Db, { since, until, missedFrom }: Wanted): Promise<Bounds> {
  // What it missed ends when it is enabled, which is not committed yet.
  const margin = missedFrom ? MARGIN_XACTS : 0;
  const [from, to] = [new Date(since.getTime() - SKEW_MS), new Date(until.getTime() + SKEW_MS)];
  const [bounds] = await rows(
    db,
    BOUNDS,
    (list) => Prisma.sql`
      SELECT ${list} FROM
        (SELECT (SELECT xact FROM public.messages WHERE created_at <= ${from.toISOString()}::timestamptz
          ORDER BY created_at DESC LIMIT 1) AS first, ${margin}::bigint AS margin) f,
        (SELECT (SELECT xact FROM public.messages WHERE created_at >= ${to.toISOString()}::timestamptz AND id >= ${messageIdAt(to)}
          ORDER BY created_at LIMIT 1) AS last) l`,
  );
  if (!bounds) throw new Error('a query without a table has answered no row');
  return bounds;
}

/**
 * The condition that an endpoint missed a message `m`, because it was disabled then: its delivery was dropped, or there
 * is none. The clock of the process that stored the message may have been a little behind.
 */
function isMissed(of: { webhookId: Prisma.Sql; accountId: Prisma.Sql; from: Prisma.Sql }): Prisma.Sql {
  return Prisma.sql`(${of.from} IS NULL OR COALESCE(
    (SELECT d.state = 'cancelled' FROM public.deliveries d
      WHERE d.message_id = m.id AND d.webhook_id = ${of.webhookId} AND d.account_id = ${of.accountId} LIMIT 1),
    m.created_at >= ${of.from} - interval '1 minute'))`;
}

const COUNTED = columns({
  seen: column<number>('count(*)::int'),
  matching: column<number>('(count(*) FILTER (WHERE m.matches))::int'),
  /** The events that match, for an endpoint with a filter. */
  contents: column<Content[] | null>(
    "json_agg(json_build_object('body', m.body, 'problem', m.problem)) FILTER (WHERE m.matches)",
  ),
});

async function countMessages(db: Db, range: Wanted & Bounds): Promise<number | null> {
  const { webhookId, accountId, filter, since, until, missedFrom } = range;
  const most = filter === null ? MAX_COUNTED : MAX_COUNTED_BODIES;
  const [counts] = await rowsByIndex(
    db,
    COUNTED,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT event = ANY (${[...range.events]}::text[]) AND created_at >= ${since.toISOString()}::timestamptz
          AND created_at < ${until.toISOString()}::timestamptz
          AND ${isMissed({
            webhookId: Prisma.sql`${webhookId}`,
            accountId: Prisma.sql`${accountId}`,
            from: Prisma.sql`${missedFrom?.toISOString() ?? null}::timestamptz`,
          })} AS matches, CASE WHEN ${filter !== null}::boolean THEN body END AS body, problem
        FROM public.messages m
        WHERE account_id = ${accountId} AND xact >= ${range.xact} AND xact < ${range.endXact}
          AND id >= ${messageIdAt(since)} AND id < ${messageIdAfter(until)}
        ORDER BY xact, position LIMIT ${most + 1}) m`,
  );
  if (!counts || counts.seen > most) return null;
  return filter === null
    ? counts.matching
    : (counts.contents ?? []).filter((content) => isWanted(filter, content)).length;
}

/** The parts of a message that filters read. */
type Content = { body: string; problem: string | null };

/** Whether a filter lets a stored event pass. */
function isWanted(filter: PushFilter, { body, problem }: Content): boolean {
  return passes(filter, readTrackingBody(body).data, problem);
}

const NEWEST = columns({ body: column<string>('m.body'), problem: column<string | null>('m.problem') });

/** How many of an account's newest events of some kinds a filter lets pass. */
export async function countPassing(
  db: Db,
  {
    accountId,
    events,
    filter,
    limit,
  }: { accountId: string; events: readonly string[]; filter: PushFilter; limit: number },
): Promise<{ events: number; passed: number }> {
  const found = await rowsByIndex(
    db,
    NEWEST,
    (list) => Prisma.sql`
      SELECT ${list} FROM (
        SELECT event, body, problem FROM public.messages WHERE account_id = ${accountId} ORDER BY xact DESC, position DESC LIMIT ${limit}) m
      WHERE m.event = ANY (${[...events]}::text[])`,
  );
  return { events: found.length, passed: found.filter((content) => isWanted(filter, content)).length };
}

/** An endpoint's replays, newest first. */
export async function listReplays(db: Db, accountId: string, webhookId: string): Promise<Replay[]> {
  const found = await db.replay.findMany({
    where: { accountId, webhookId },
    orderBy: { createdAt: 'desc' },
    take: MAX_REPLAYS,
  });
  return found as unknown as Replay[];
}

type ReplayKey = EndpointKey & { id: string };

/**
 * Ends the running replay of an endpoint, if it is the given one; deliveries that it made pending stay pending.
 * @param replay.id default: any.
 */
export async function endReplay(
  db: Pick<Tx, 'replay'>,
  { accountId, webhookId, id }: EndpointKey & Partial<ReplayKey>,
  now: Date,
): Promise<void> {
  await db.replay.updateMany({
    where: { accountId, webhookId, state: 'running', ...(id !== undefined && { id }) },
    data: { state: 'cancelled', finishedAt: now },
  });
}

/** @returns null if the endpoint has no such replay. */
export async function findReplay(db: Db, { accountId, webhookId, id }: ReplayKey): Promise<Replay | null> {
  return (await db.replay.findFirst({ where: { accountId, webhookId, id } })) as unknown as Replay | null;
}

const FED = columns({
  id: column<string>('r.id'),
  webhookId: column<string>('r.webhook_id'),
  accountId: column<string>('r.account_id'),
  isFailing: column<boolean>('r.failing_since IS NOT NULL'),
  /** Messages that were examined. */
  seen: column<number>('COALESCE(s.seen, 0)'),
  /** Examined messages that are now pending. */
  pending: column<number>('(SELECT count(*)::int FROM pending WHERE pending.webhook_id = r.webhook_id)'),
});

/**
 * Queues the next page of every running replay whose endpoint has few late deliveries pending: a replay runs behind
 * live events and never fills the table. Any number of processes may call it at once.
 * @returns the endpoints for which something new is pending, and whether there may be more to feed at once.
 */
export async function feedReplays(db: Db, now: Date): Promise<{ pending: PendingEndpoint[]; more: boolean }> {
  const pending: PendingEndpoint[] = [];
  let more = false;
  for (let after = '', size = BATCH; size === BATCH; ) {
    const fed = await feedBatch(db.$within(DEADLINES.bulk), after, now);
    for (const { webhookId, accountId, isFailing, ...replay } of fed) {
      if (replay.pending > 0) pending.push({ webhookId, accountId, isFailing });
      more ||= replay.seen === REPLAY_PAGE;
    }
    size = fed.length;
    after = fed.at(-1)?.id ?? '';
  }
  return { pending, more };
}

/** The replays `r` that are fed next, with their endpoints `w`. */
const NEXT_RUNNING = (after: string) => Prisma.sql`
  r.state = 'running' AND r.id > ${after} ORDER BY r.id LIMIT ${BATCH}`;

/** The next messages of a replay `r`. A plan by index begins after the last one that was examined. */
const NEXT_MESSAGES = Prisma.sql`
  FROM public.messages
  WHERE account_id = r.account_id AND (xact, position) > (r.xact, r.position) AND xact < r.end_xact
    AND id >= public.history_id_at(r.since) AND id < public.history_id_at(r.until + interval '1 day')
  ORDER BY xact, position LIMIT ${REPLAY_PAGE}`;

/**
 * Whether there is room for a page of a replay `r`: few late deliveries are pending to its endpoint, and what was
 * pending when that was disabled is dropped.
 */
function isRoomy(at: string): Prisma.Sql {
  return Prisma.sql`r.enabled AND r.drop_before IS NULL AND ${REPLAY_PAGE} > (
    SELECT count(*) FROM (SELECT 1 FROM public.deliveries
      WHERE webhook_id = r.webhook_id AND account_id = r.account_id AND state = 'owed' AND NOT fresh
        AND next_attempt_at <= CASE WHEN r.failing_since IS NULL THEN ${at}::timestamptz ELSE 'infinity' END
      LIMIT ${REPLAY_PAGE}) late)`;
}

/** A replay, with the state of its endpoint. */
const REPLAY_OF_ENDPOINT = Prisma.sql`
  SELECT r.*, w.enabled AND a.disabled_at IS NULL AS enabled, w.failing_since, w.drop_before FROM public.replays r
  JOIN public.webhooks w ON w.id = r.webhook_id AND w.account_id = r.account_id
  JOIN public.accounts a ON a.id = r.account_id`;

const CANDIDATE = columns({
  replay: column<string>('r.id'),
  place: column<string>("r.xact || ' ' || r.position"),
  filter: column<PushFilter>('r.filter'),
  message: column<string | null>('m.id'),
  body: column<string | null>('m.body'),
  problem: column<string | null>('m.problem'),
});

/**
 * The pages of those of the next replays that have a filter: of each replay the place where its page begins, and the
 * messages in it that pass.
 */
async function filteredPages(db: Db, after: string, at: string): Promise<{ places: string[]; passing: string[] }> {
  const found = await rowsByIndex(
    db,
    CANDIDATE,
    (list) => Prisma.sql`
      WITH running AS MATERIALIZED (${REPLAY_OF_ENDPOINT} WHERE ${NEXT_RUNNING(after)})
      SELECT ${list} FROM running r LEFT JOIN LATERAL (SELECT id, body, problem ${NEXT_MESSAGES}) m ON ${isRoomy(at)}
      WHERE r.filter IS NOT NULL`,
  );
  return {
    places: [...new Set(found.map(({ replay, place }) => `${replay} ${place}`))],
    passing: found.flatMap(({ replay, filter, message, body, problem }) =>
      message !== null && body !== null && isWanted(filter, { body, problem }) ? `${replay} ${message}` : [],
    ),
  };
}

/**
 * Hand-written: one statement advances the replay and makes the page pending, also what waits for a later attempt. Its
 * messages are due a millisecond apart, in the order of their events. Messages are locked so that they are not pruned;
 * deliveries in the order of their keys, as in `recordAttempts`, so that the two do not deadlock. Disabling an
 * endpoint, or its account, ends its replay. Without a plan by index, it would sort all messages that are left for each
 * page. A replay with a filter goes on only from the place for which its page was filtered.
 */
async function feedBatch(db: Db, after: string, now: Date): Promise<RowOf<typeof FED>[]> {
  const at = now.toISOString();
  const first = new Date(now.getTime() - REPLAY_PAGE).toISOString();
  const { places, passing } = await filteredPages(db, after, at);
  return rowsByIndex(
    db,
    FED,
    (list) => Prisma.sql`
    WITH running AS (
      ${REPLAY_OF_ENDPOINT} WHERE ${NEXT_RUNNING(after)} FOR UPDATE OF r SKIP LOCKED
    ), roomy AS (
      SELECT * FROM running r WHERE ${isRoomy(at)}
        AND (r.filter IS NULL OR r.id || ' ' || r.xact || ' ' || r.position = ANY (${places}::text[]))
    ), page AS (
      SELECT r.id, r.webhook_id, r.account_id, m.id AS message_id, m.xact, m.position,
        m.event = ANY (r.events) AND m.created_at >= r.since AND m.created_at < r.until
          AND (r.filter IS NULL OR r.id || ' ' || m.id = ANY (${passing}::text[]))
          AND ${isMissed({
            webhookId: Prisma.raw('r.webhook_id'),
            accountId: Prisma.raw('r.account_id'),
            from: Prisma.raw('r.missed_from'),
          })} AS wanted,
        row_number() OVER (PARTITION BY r.id ORDER BY m.xact, m.position) AS place
      FROM roomy r CROSS JOIN LATERAL (SELECT id, xact, position, event, created_at ${NEXT_MESSAGES}) m
    ), pending AS (
      INSERT INTO public.deliveries AS d (message_id, webhook_id, account_id, fresh, next_attempt_at, created_at)
      SELECT p.message_id, p.webhook_id, p.account_id, false,
        ${first}::timestamptz + p.place * interval '1 millisecond', ${at}::timestamptz
      FROM page p CROSS JOIN LATERAL (
        SELECT 1 FROM public.messages WHERE id = p.message_id AND account_id = p.account_id LIMIT 1 FOR KEY SHARE) kept
      WHERE p.wanted ORDER BY p.message_id, p.webhook_id
      ON CONFLICT (message_id, webhook_id) DO UPDATE SET state = 'owed', attempts = 0, round = d.round + 1,
        fresh = false, next_attempt_at = excluded.next_attempt_at
      WHERE ${mayBegin(at)}
      RETURNING webhook_id
    ), seen AS (
      SELECT r.id, r.account_id, count(p.id)::int AS seen, (count(*) FILTER (WHERE p.wanted))::int AS wanted
      FROM roomy r LEFT JOIN page p ON p.id = r.id GROUP BY r.id, r.account_id
    ), moved AS (
      UPDATE public.replays r SET replayed = r.replayed + s.wanted,
        xact = COALESCE(l.xact, r.xact), position = COALESCE(l.position, r.position),
        state = CASE WHEN s.seen < ${REPLAY_PAGE} THEN 'done' ELSE r.state END,
        finished_at = CASE WHEN s.seen < ${REPLAY_PAGE} THEN ${at}::timestamptz END
      FROM seen s LEFT JOIN page l ON l.id = s.id AND l.place = s.seen
      WHERE r.id = s.id AND r.account_id = s.account_id
    ), closed AS (
      UPDATE public.replays r SET state = 'cancelled', finished_at = ${at}::timestamptz
      FROM running o WHERE r.id = o.id AND r.account_id = o.account_id AND NOT o.enabled
    )
    SELECT ${list} FROM running r LEFT JOIN seen s ON s.id = r.id ORDER BY r.id`,
  );
}

const PAGE = 1000;
const COUNT = columns({ count: column<number>('count(*)::int') });

/** Deliveries that are due within this time are left as they are; those that were requeued are due before it, too. */
const SOON_MS = 60_000;

/** How many deliveries of an endpoint wait for their place in the retry schedule. */
export async function countWaiting(db: Db, endpoint: EndpointKey, now: Date): Promise<number> {
  const [row] = await rows(
    db.$within(DEADLINES.bulk),
    COUNT,
    (list) =>
      Prisma.sql`SELECT ${list} FROM public.deliveries WHERE account_id = ${endpoint.accountId} AND ${isWaiting(endpoint, now)}`,
  );
  return row?.count ?? 0;
}

/**
 * Makes these deliveries due now, a millisecond apart and in the order of their events. Their attempts stay the same
 * ones: none is added.
 * @returns how many.
 */
export async function requeue(db: Db, endpoint: EndpointKey, now: Date): Promise<number> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const { webhookId, accountId } = endpoint;
  let requeued = 0;
  for (let count = PAGE; count === PAGE; requeued += count) {
    const place = Prisma.sql`LEAST(${requeued}::int + p.place, ${SOON_MS}::int)`;
    count = await db.$within(DEADLINES.bulk).$executeRaw`
      UPDATE public.deliveries d SET next_attempt_at = ${at} + ${place} * interval '1 millisecond'
      FROM (
        SELECT message_id, row_number() OVER (ORDER BY id) AS place FROM (
          SELECT id, message_id FROM public.deliveries WHERE account_id = ${accountId} AND ${isWaiting(endpoint, now)}
          ORDER BY id LIMIT ${PAGE}::int FOR UPDATE SKIP LOCKED) page) p
      WHERE d.message_id = p.message_id AND d.webhook_id = ${webhookId} AND d.account_id = ${accountId}`;
  }
  return requeued;
}

function isWaiting({ webhookId }: EndpointKey, now: Date): Prisma.Sql {
  const after = new Date(now.getTime() + SOON_MS).toISOString();
  return Prisma.sql`webhook_id = ${webhookId} AND state = 'owed' AND NOT fresh AND next_attempt_at > ${after}::timestamptz`;
}
