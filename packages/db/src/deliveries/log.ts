import type { PushedAttention } from '@pts/core/attention';
import { BEYOND_IDS, lowestId, timeOfId } from '@pts/core/id';
import { EVENT_KINDS, type Status, type SubStatus, type TrackingEventKind } from '@pts/core/tracking/status';
import { MAX_OTHER_ATTEMPTS, MAX_TRACKING_EVENTS, RECENT_ATTEMPTS } from '@pts/core/webhook/endpoint';
import { CLOCK_SLACK_MS, lowestAttemptOf, type PushFormat } from '@pts/core/webhook/push';
import { isSuccess } from '@pts/core/webhook/retry';
import { column, columns, columnsOf, type Db, hotRows, type RowOf, rows, rowsByIndex } from '../connection.ts';
import { type DeliveryAttempt, Prisma } from '../generated/client.ts';
import type { DeliveryState } from './attempts.ts';

const ATTEMPT = columns({
  ...columnsOf<DeliveryAttempt>('a')('id', 'messageId', 'webhookId', 'event', 'attempt', 'round', 'startedAt'),
  /** 0: no answer. */
  ...columnsOf<DeliveryAttempt>('a')('statusCode', 'error', 'durationMs', 'responseExcerpt', 'nextAttemptAt'),
});

/** An attempt as the log lists it. */
export type AttemptRow = RowOf<typeof ATTEMPT>;

/** Whether an attempt succeeded, failed, or failed without another one to follow. */
type Outcome = 'delivered' | 'failed' | 'exhausted';

/** A record of an attempt: a superseded update has a record, too, but was not sent. */
export const WAS_SENT = Prisma.sql`(error IS NULL OR error NOT LIKE '["attempt.superseded"%')`;

/** Conditions of a row of `delivery_attempts`. */
const OUTCOMES: Readonly<Record<Outcome, Prisma.Sql>> = {
  delivered: Prisma.sql`error IS NULL`,
  failed: Prisma.sql`error IS NOT NULL`,
  exhausted: Prisma.sql`error IS NOT NULL AND next_attempt_at IS NULL AND ${WAS_SENT}`,
};

export type LogFilter = {
  accountId: string;
  webhookId?: string | undefined;
  event?: string | undefined;
  messageId?: string | undefined;
  /** Only those of the parcel's events. */
  trackingId?: string | undefined;
  /** Only attempts that failed; false: only those that succeeded. */
  failed?: boolean | undefined;
  /** Only those with this result; 0: no answer. */
  statusCode?: number | undefined;
  outcome?: Outcome | undefined;
  /** Only those that began then or later. */
  since?: Date | undefined;
  /** Only those that began before. */
  until?: Date | undefined;
  /** Only those older than this one. */
  before?: string | undefined;
  limit: number;
};

/** `next`: the page after it begins before this attempt; null if there is none. */
type LogPage = { rows: AttemptRow[]; next: string | null };

/** Attempts read for a page, at most, where no index has those that are wanted. */
const MAX_WALKED = 10_000;
/** Minimum number of attempts read for each endpoint and event: more than a page has. */
const MIN_WALKED = 250;

/**
 * An account's attempts, newest first (spec section 4.1). A filter that no index has reads a bounded part of the log:
 * the page may have fewer rows than its limit, or none, and still says where the next one starts.
 */
export async function listAttempts(db: Db, filter: LogFilter, maxWalked = MAX_WALKED): Promise<LogPage> {
  const { limit } = filter;
  // One more than a page shows whether there is a next page.
  const wanted = { ...filter, limit: limit + 1 };
  const { statement, isWalk } = logStatement(wanted, maxWalked);
  const found: WalkedRow[] = isWalk
    ? await rowsByIndex(db, WALKED, () => statement)
    : await hotRows(db, ATTEMPT, () => statement);
  const end = found.find(({ isEnd }) => isEnd)?.id ?? null;
  const fitting = found.filter(({ fits }) => fits !== false);
  const rows = fitting.slice(0, limit);
  return { rows, next: fitting.length > limit ? (rows.at(-1)?.id ?? null) : end };
}

const PARCEL = columns({
  messageId: column<string>('m.id'),
  id: column<string>('m.tracking_id'),
  trackingNumber: column<string>(`m.body::json #>> '{data,tracking_number}'`),
});

/** The parcel of a message, as its event names it. */
export type MessageParcel = Omit<RowOf<typeof PARCEL>, 'messageId'>;

/**
 * The parcels of messages, also of those that were deleted since, by the message's id. Pings, notices and messages that
 * have expired have none.
 */
export async function findParcels(
  db: Db,
  accountId: string,
  messageIds: readonly string[],
): Promise<Map<string, MessageParcel>> {
  if (messageIds.length === 0) return new Map();
  const found = await hotRows(
    db,
    PARCEL,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.messages m
      WHERE m.id = ANY(${[...new Set(messageIds)]}::text[]) AND m.account_id = ${accountId} AND m.tracking_id IS NOT NULL`,
  );
  return new Map(found.map(({ messageId, ...parcel }) => [messageId, parcel]));
}

/** The statement of a listing; a separate function, so that a test can inspect its plan. */
export function logStatement(filter: LogFilter, maxWalked = MAX_WALKED): { statement: Prisma.Sql; isWalk: boolean } {
  const list = Prisma.raw(ATTEMPT.list);
  if (filter.messageId !== undefined || filter.trackingId !== undefined)
    return { statement: ofMessages(filter, list), isWalk: false };
  const { statusCode, outcome, failed, since, until } = filter;
  const isIndexed = [statusCode, since, until].every((part) => part === undefined) && failed !== false;
  const within = { ...filter, ...idsOfRange(filter) };
  return isIndexed && (outcome === undefined || outcome === 'failed')
    ? { statement: newest(within, list), isWalk: false }
    : { statement: walk(within, maxWalked), isWalk: true };
}

/** Ids are made when an attempt is recorded, by the database's clock; it began less than this before. */
const SLACK_MS = 60_000;

/** The ids between which all attempts of a range of time are. */
function idsOfRange({ since, until, before = BEYOND_IDS }: LogFilter): { from: string; before: string } {
  const from = since ? lowestId(new Date(since.getTime() - SLACK_MS)) : '';
  const end = until ? lowestId(new Date(until.getTime() + SLACK_MS)) : BEYOND_IDS;
  return { from, before: end < before ? end : before };
}

/**
 * Hand-written: one index in the order (account, endpoint, event, id) serves every filter. A loose scan steps from one
 * endpoint and event of the account to the next, and the newest of each are a range that is read backwards; so the
 * cost grows with the endpoints an account has had, not with its attempts. Ranges begin at a whole key and are cut to
 * their group afterwards: given one group, the planner may scan the primary key, or all of an endpoint's rows. For the
 * same reason, no bounds of the id leave out partitions: a step looks into each of them, of which there are few.
 */
function newest(filter: LogFilter, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    WITH RECURSIVE ${newestOf(filter)}
    SELECT ${list} FROM newest CROSS JOIN LATERAL (
      SELECT * FROM public.delivery_attempts WHERE id = newest.id AND account_id = ${filter.accountId} LIMIT 1) a
    ORDER BY a.id DESC`;
}

/** The expressions of `newest`, for a recursive WITH: the ids of the newest attempts, newest first. */
function newestOf(
  filter: Pick<LogFilter, 'accountId' | 'webhookId' | 'event' | 'failed' | 'outcome' | 'before' | 'limit'>,
): Prisma.Sql {
  const { accountId, before = BEYOND_IDS, limit } = filter;
  return Prisma.sql`
    ${groupsOf(filter)}, newest AS (
      SELECT p.id FROM groups g CROSS JOIN LATERAL (
        SELECT webhook_id, event, id FROM public.delivery_attempts
        WHERE account_id = ${accountId} ${ofFailures(filter)} AND (webhook_id, event, id) < (g.webhook_id, g.event, ${before})
        ORDER BY webhook_id DESC, event DESC, id DESC LIMIT ${literal(limit)}) p
      WHERE p.webhook_id = g.webhook_id AND p.event = g.event AND ${isWanted(filter)}
      ORDER BY p.id DESC LIMIT ${literal(limit)}
    )`;
}

/** Each endpoint and event of which the account has attempts: a step of the index for each. */
function groupsOf({ accountId, webhookId }: Pick<LogFilter, 'accountId' | 'webhookId'>): Prisma.Sql {
  return Prisma.sql`
    groups AS (
      (SELECT webhook_id, event FROM public.delivery_attempts
       WHERE account_id = ${accountId} AND (webhook_id, event) >= (${webhookId ?? ''}, '')
       ORDER BY webhook_id, event LIMIT 1)
      UNION ALL
      SELECT n.* FROM groups g CROSS JOIN LATERAL (
        SELECT webhook_id, event FROM public.delivery_attempts
        WHERE account_id = ${accountId} AND (webhook_id, event) > (g.webhook_id, g.event) ORDER BY webhook_id, event LIMIT 1) n
      WHERE true ${webhookId === undefined ? Prisma.empty : Prisma.sql`AND n.webhook_id = ${webhookId}`}
    )`;
}

/** The filter's condition for a group named `g`. */
function isWanted({ webhookId, event }: Pick<LogFilter, 'webhookId' | 'event'>): Prisma.Sql {
  return Prisma.sql`(true ${webhookId === undefined ? Prisma.empty : Prisma.sql`AND g.webhook_id = ${webhookId}`}
    ${event === undefined ? Prisma.empty : Prisma.sql`AND g.event = ${event}`})`;
}

/** `fits`: false of an end that is only named. Rows of an index have neither. */
type WalkedRow = AttemptRow & { fits?: boolean; isEnd?: boolean };
const WALKED = columns({ ...ATTEMPT.columns, fits: column<boolean>('p.fits'), isEnd: column<boolean>('p.is_end') });

/**
 * The wanted groups share what may be read, and each is read backwards until a page of it fits or its share is used up:
 * then `is_end` marks the last row read. What is older than the newest of these ends is left to the next page, because
 * a group that stopped there may have more. Each range ends with its group: the rows of other groups would use up its
 * share.
 */
function walk(filter: LogFilter & { from?: string }, maxWalked: number): Prisma.Sql {
  const { accountId, before = BEYOND_IDS, from = '', limit } = filter;
  const least = Math.max(limit, Math.min(MIN_WALKED, maxWalked));
  return Prisma.sql`
    WITH RECURSIVE ${groupsOf(filter)}, share AS (
      SELECT GREATEST(${literal(least)}, ${literal(maxWalked)} / GREATEST(count(*), 1)) AS rows FROM groups g WHERE ${isWanted(filter)}
    ), found AS MATERIALIZED (
      SELECT p.* FROM groups g CROSS JOIN LATERAL (
        WITH walked AS MATERIALIZED (
          SELECT * FROM (
            SELECT id, (true ${resultAndTime(filter)}) AS fits FROM public.delivery_attempts
            WHERE account_id = ${accountId} ${ofFailures(filter)}
              AND (webhook_id, event, id) < (g.webhook_id, g.event, ${before})
              AND (webhook_id, event, id) >= (g.webhook_id, g.event, ${from})
            ORDER BY webhook_id DESC, event DESC, id DESC LIMIT ${literal(Math.max(maxWalked, least))}) r
          LIMIT (SELECT rows FROM share)
        )
        SELECT * FROM (
          (SELECT id, fits, false AS is_end FROM walked WHERE fits LIMIT ${literal(limit)})
          UNION ALL (SELECT id, false, true FROM walked OFFSET (SELECT rows - 1 FROM share))
        ) w LIMIT ${literal(limit)}) p
      WHERE ${isWanted(filter)}
    ), picked AS (
      SELECT * FROM found WHERE id >= COALESCE((SELECT max(id) FROM found WHERE is_end), '')
      ORDER BY id DESC, is_end LIMIT ${literal(limit)}
    )
    SELECT ${Prisma.raw(WALKED.list)} FROM picked p CROSS JOIN LATERAL (
      SELECT * FROM public.delivery_attempts WHERE id = p.id AND account_id = ${accountId} LIMIT 1) a
    ORDER BY a.id DESC, p.is_end`;
}

/**
 * The attempts of one event's message, or of a parcel's: found through their deliveries, one per endpoint, before they
 * are sorted.
 */
function ofMessages(filter: LogFilter, list: Prisma.Sql): Prisma.Sql {
  const { accountId, webhookId, event, before = BEYOND_IDS, limit } = filter;
  return Prisma.sql`
    WITH attempts AS MATERIALIZED (
      SELECT a.* FROM ${attemptsOfMessages(accountId, filter, before)}
    )
    SELECT ${list} FROM attempts a
    WHERE true ${resultAndTime(filter)}
      ${webhookId === undefined ? Prisma.empty : Prisma.sql`AND a.webhook_id = ${webhookId}`}
      ${event === undefined ? Prisma.empty : Prisma.sql`AND a.event = ${event}`}
    ORDER BY a.id DESC LIMIT ${literal(limit)}`;
}

/** Failures have an index of their own. Every failure has an error. */
function ofFailures({ failed, statusCode, outcome }: Pick<LogFilter, 'failed' | 'statusCode' | 'outcome'>): Prisma.Sql {
  const isStatusOfFailure = statusCode !== undefined && !isSuccess(statusCode);
  const isOfFailures = failed || isStatusOfFailure || (outcome !== undefined && outcome !== 'delivered');
  return isOfFailures ? Prisma.sql`AND ${OUTCOMES.failed}` : Prisma.empty;
}

/** All conditions on the result and the time, as the continuation of others. */
function resultAndTime(filter: LogFilter): Prisma.Sql {
  const { failed, statusCode, outcome, since, until } = filter;
  const when = (isGiven: unknown, condition: Prisma.Sql) => (isGiven ? condition : Prisma.empty);
  return Prisma.sql`${ofFailures(filter)}
    ${when(failed === false, Prisma.sql`AND ${OUTCOMES.delivered}`)}
    ${outcome === undefined ? Prisma.empty : Prisma.sql`AND ${OUTCOMES[outcome]}`}
    ${when(statusCode !== undefined, Prisma.sql`AND status_code = ${statusCode}::int`)}
    ${when(statusCode === 0, Prisma.sql`AND ${WAS_SENT}`)}
    ${when(since, Prisma.sql`AND started_at >= ${since?.toISOString()}::timestamptz`)}
    ${when(until, Prisma.sql`AND started_at < ${until?.toISOString()}::timestamptz`)}`;
}

/** A limit as part of the statement's text: a plan that is made once must know how few rows are read. */
function literal(limit: number): Prisma.Sql {
  return Prisma.raw(String(Math.trunc(limit)));
}

// The attempts to deliver a message are those of its deliveries, with an id that is not lower than the message's time,
// so that earlier partitions are not read. A message whose clock was fast has its attempts around the real time.

/**
 * The conditions for the attempts of a delivery named `d`.
 * @param lowest the lowest id that they can have, by their message
 */
function areOfDelivery(lowest: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`delivery_id = d.id AND id >= LEAST(${lowest}, public.history_id_at(now() - interval '1 hour'))`;
}

/** Selects one message, or those of a parcel; both together select one that must be the parcel's. */
type MessageFilter = { messageId?: string | undefined; trackingId?: string | undefined };

/** The source of a statement's rows: an account's attempts for such messages, named `a`, before one of them. */
function attemptsOfMessages(accountId: string, { messageId, trackingId }: MessageFilter, before: string): Prisma.Sql {
  const isThisOne = (id: string) =>
    messageId === undefined ? Prisma.empty : Prisma.sql`AND ${Prisma.raw(id)} = ${messageId}`;
  const attempts = (lowest: Prisma.Sql) => Prisma.sql`CROSS JOIN LATERAL (
        SELECT * FROM public.delivery_attempts WHERE account_id = ${accountId} AND ${areOfDelivery(lowest)}) a`;
  const isWanted = Prisma.sql`d.account_id = ${accountId} ${isThisOne('d.message_id')} AND a.id < ${before}`;
  if (trackingId === undefined)
    return Prisma.sql`public.deliveries d ${attempts(Prisma.sql`${lowestAttemptOf(messageId ?? '')}::text`)} WHERE ${isWanted}`;
  return Prisma.sql`(
        SELECT id, created_at FROM public.messages WHERE account_id = ${accountId} AND ${areOfTracking(trackingId)}
          ${isThisOne('id')}) m
      CROSS JOIN LATERAL (SELECT * FROM public.deliveries WHERE message_id = m.id AND account_id = ${accountId}) d
      ${attempts(Prisma.sql`public.history_id_at(m.created_at - interval '1 hour')`)} WHERE ${isWanted}`;
}

/**
 * The condition for the messages of a parcel. The id of a tracking begins with the period of its registration, which
 * those of its messages do not precede, unless the clock was fast then.
 */
export function areOfTracking(trackingId: string): Prisma.Sql {
  return Prisma.sql`tracking_id = ${trackingId}
    AND id >= LEAST(left(${trackingId}, 4), public.history_id_at(now() - interval '1 day'))`;
}

/** Prisma's conditions for the attempts of a delivery beside a known one, which tells the real time. */
function besideAttempt({ id, deliveryId, messageId }: { id: string; deliveryId: bigint; messageId: string }) {
  const [lowest, near] = [lowestAttemptOf(messageId), lowestId(new Date(timeOfId(id) - CLOCK_SLACK_MS))];
  const from = lowest < near ? lowest : near;
  return { deliveryId, id: { not: id, gte: from } };
}

/** Selects messages by the last attempt to send each of them to a webhook. Attempts after `ceiling` do not count. */
export type LastRecordFilter = Omit<LogFilter, 'before' | 'limit'> & { ceiling: string };

/** The ids of records, newest first; `next`: where to go on, null at the end. */
type LastRecords = { ids: string[]; next: string | null };

/** Attempts are stored in the order of their ends: one that began earlier is not much further back. */
const SKEW_MS = 5 * 60_000;

/** The id of the newest record of any account; empty if there is none. */
export async function newestRecord(db: Db): Promise<string> {
  const newest = await db.deliveryAttempt.findFirst({ orderBy: { id: 'desc' }, select: { id: true } });
  return newest?.id ?? '';
}

const LAST_WALKED = columns({
  ...columnsOf<DeliveryAttempt>('a')('id', 'startedAt'),
  fits: column<boolean>('a.fits'),
});

/** Reads at most `depth` records before one, and returns those that match. Pings and superseded updates never do. */
export async function walkLastRecords(
  db: Db,
  filter: LastRecordFilter,
  { before, depth }: { before: string; depth: number },
): Promise<LastRecords> {
  const { since } = filter;
  const walked = await rows(db, LAST_WALKED, (list) => walkLast(filter, before, depth, list));
  const last = walked.at(-1);
  const isTooOld = since !== undefined && last !== undefined && last.startedAt.getTime() < since.getTime() - SKEW_MS;
  const ids = walked.flatMap(({ id, fits }) => (fits ? [id] : []));
  return { ids, next: walked.length < depth || isTooOld ? null : (last?.id ?? null) };
}

function walkLast(filter: LastRecordFilter, before: string, depth: number, list: Prisma.Sql): Prisma.Sql {
  const { accountId, webhookId, event, messageId, trackingId } = filter;
  const newest =
    messageId === undefined && trackingId === undefined
      ? newestOf({ accountId, webhookId, event, before, limit: depth })
      : lastOfMessages(filter, before, depth);
  return Prisma.sql`
    WITH RECURSIVE ${newest}
    SELECT ${list} FROM newest CROSS JOIN LATERAL (
      SELECT t.id, t.started_at, ${matching(filter)} AS fits FROM public.delivery_attempts t
      WHERE t.id = newest.id AND t.account_id = ${accountId} LIMIT 1) a
    ORDER BY a.id DESC`;
}

/** The newest attempts for messages, found through their deliveries as in the log. */
function lastOfMessages(filter: LastRecordFilter, before: string, depth: number): Prisma.Sql {
  const { accountId, webhookId, event } = filter;
  return Prisma.sql`
    newest AS (
      SELECT a.id FROM ${attemptsOfMessages(accountId, filter, before)}
        ${webhookId === undefined ? Prisma.empty : Prisma.sql`AND a.webhook_id = ${webhookId}`}
        ${event === undefined ? Prisma.empty : Prisma.sql`AND a.event = ${event}`}
      ORDER BY a.id DESC LIMIT ${depth}
    )`;
}

/** The condition that a record named `t` is the last of its message and webhook and matches the rest of the filter. */
function matching({ failed, statusCode, outcome, since, until, ceiling }: LastRecordFilter): Prisma.Sql {
  const conditions = [
    Prisma.sql`t.delivery_id IS NOT NULL`,
    WAS_SENT,
    ...(failed === undefined ? [] : [failed ? OUTCOMES.failed : OUTCOMES.delivered]),
    ...(statusCode === undefined ? [] : [Prisma.sql`t.status_code = ${statusCode}`]),
    ...(outcome === undefined ? [] : [OUTCOMES[outcome]]),
    ...(since === undefined ? [] : [Prisma.sql`t.started_at >= ${since.toISOString()}::timestamptz`]),
    ...(until === undefined ? [] : [Prisma.sql`t.started_at < ${until.toISOString()}::timestamptz`]),
    Prisma.sql`NOT EXISTS (SELECT 1 FROM public.delivery_attempts n
      WHERE n.delivery_id = t.delivery_id AND n.account_id = t.account_id AND (n.round, n.attempt) > (t.round, t.attempt)
        AND n.id >= public.history_id_at(t.started_at - interval '1 hour') AND n.id <= ${ceiling})`,
  ];
  return Prisma.sql`(${Prisma.join(conditions, ' AND ')})`;
}

const RECENT = columns({
  webhookId: column<DeliveryAttempt['webhookId']>('w.id'),
  attempts: column<number>('r.attempts'),
  /** Number of attempts that were not accepted. */
  failed: column<number>('r.failed'),
  /** How long half of the accepted ones took at most; null if there are none. */
  medianMs: column<number | null>('r.median_ms'),
  /** The status code of the newest attempt; 0: no answer, null: there is no attempt. */
  lastStatusCode: column<DeliveryAttempt['statusCode'] | null>('r.last_status_code'),
});

/** The newest attempts of an endpoint, without pings, summed up. */
type RecentAttempts = RowOf<typeof RECENT>;

/** The newest attempts of some endpoints of an account, summed up. */
export async function recentAttempts(
  db: Db,
  of: { accountId: string; webhookIds: readonly string[] },
): Promise<Map<string, RecentAttempts>> {
  const found = await rows(db, RECENT, () => recentStatement(of));
  return new Map(found.map((recent) => [recent.webhookId, recent]));
}

/**
 * The statement; a separate function, so that a test can inspect its plan.
 */
export function recentStatement({
  accountId,
  webhookIds,
}: {
  accountId: string;
  webhookIds: readonly string[];
}): Prisma.Sql {
  return Prisma.sql`
    SELECT ${Prisma.raw(RECENT.list)} FROM unnest(${[...webhookIds]}::text[]) AS w(id) CROSS JOIN LATERAL (
      SELECT count(*)::int AS attempts, (count(*) FILTER (WHERE error IS NOT NULL))::int AS failed,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE error IS NULL) AS median_ms,
        (array_agg(status_code ORDER BY id DESC))[1] AS last_status_code
      FROM (${newestOfEndpoint({ accountId: Prisma.sql`${accountId}`, webhookId: Prisma.sql`w.id` }, RECENT_ATTEMPTS)}) newest
    ) r`;
}

/**
 * Selects the newest attempts of an endpoint, without pings: a range of the log's index for each event, read backwards,
 * so that the cost does not grow with the attempts that it has had.
 */
export function newestOfEndpoint(
  { accountId, webhookId }: { accountId: Prisma.Sql; webhookId: Prisma.Sql },
  limit: number,
): Prisma.Sql {
  return Prisma.sql`
    SELECT * FROM (
      SELECT p.* FROM unnest(${[...EVENT_KINDS]}::text[]) AS e(event) CROSS JOIN LATERAL (
        SELECT id, status_code, duration_ms, error FROM public.delivery_attempts
        WHERE account_id = ${accountId} AND (webhook_id, event, id) > (${webhookId}, e.event, '')
          AND (webhook_id, event, id) < (${webhookId}, e.event, ${BEYOND_IDS})
        ORDER BY webhook_id DESC, event DESC, id DESC LIMIT ${literal(limit)}) p
      ORDER BY p.id DESC LIMIT ${literal(limit)}
    ) tried WHERE ${WAS_SENT}`;
}

/** The connection details of an attempt, as they were recorded. */
type StoredTrace = Partial<{
  /** Where it was sent: the webhook may have another URL by now. */
  url: string;
  /** The headers of a test push, whose event and time may differ from those of its record. */
  headers: Record<string, string>;
  /** The static headers that it was sent with, masked. */
  staticHeaders: Record<string, string>;
  /** The form of the push, if it was not this service's own. */
  format: PushFormat;
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  reused: boolean | null;
  head: string | null;
}>;

/** An attempt, with its delivery, message and endpoint as far as they still exist. */
export type AttemptRecord = NonNullable<Awaited<ReturnType<typeof findAttempt>>>;

/** One attempt of an account with all its details. @returns null if the account has none with this id. */
export async function findAttempt(db: Db, accountId: string, id: string) {
  const attempt = await db.deliveryAttempt.findFirst({ where: { id, accountId } });
  if (!attempt) return null;
  const { deliveryId, messageId, webhookId } = attempt;
  const [webhook, message, delivery, others] = await Promise.all([
    db.webhook.findFirst({ where: { id: webhookId, accountId } }),
    db.message.findUnique({ where: { id: messageId, accountId }, select: { body: true } }),
    deliveryId === null
      ? null
      : db.delivery.findUnique({ where: { messageId_webhookId: { messageId, webhookId }, accountId } }),
    deliveryId === null
      ? []
      : db.deliveryAttempt.findMany({
          where: { accountId, ...besideAttempt({ id, deliveryId, messageId }) },
          orderBy: [{ round: 'desc' }, { attempt: 'desc' }],
          take: MAX_OTHER_ATTEMPTS,
        }),
  ]);
  const trace = attempt.trace as StoredTrace | null;
  const standing = delivery && { ...delivery, state: delivery.state as DeliveryState };
  return { attempt, trace, webhook, body: message?.body ?? null, delivery: standing, others };
}

/** A delivery of an event, as JSON, and its last attempt. */
export type EventDelivery = {
  webhookId: string;
  state: DeliveryState;
  attempts: number;
  round: number;
  nextAttemptAt: string | null;
  /** When the event was stored, or this delivery of it by a replay. */
  createdAt: string;
  last: { id: string; startedAt: string; statusCode: number; error: string | null; durationMs: number } | null;
};

const EVENT = columns({
  id: column<string>('m.id'),
  event: column<TrackingEventKind>('m.event'),
  seq: column<number | null>('m.seq'),
  createdAt: column<Date>('m.created_at'),
  status: column<Status>(`m.body::json #>> '{data,status}'`),
  subStatus: column<SubStatus>(`m.body::json #>> '{data,sub_status}'`),
  /** Why the parcel needed attention, in the event that says so. */
  attention: column<PushedAttention | null>(`m.body::json #> '{data,attention}'`),
  deliveries: column<EventDelivery[]>('COALESCE(d.list, json_build_array())'),
  /** The endpoints that subscribed to it and whose filter did not let it pass; null if there were none. */
  filteredOut: column<string[] | null>('m.filtered_out'),
});

/** An event that a tracking emitted, with what became of its pushes. */
export type TrackingMessage = RowOf<typeof EVENT>;

/** The events that a tracking emitted, newest first, as far as they are stored, and their deliveries. */
export function messagesOfTracking(
  db: Db,
  { accountId, id }: { accountId: string; id: string },
): Promise<TrackingMessage[]> {
  return rows(db, EVENT, (list) => ofTrackingStatement(accountId, id, list));
}

/** The statement of `messagesOfTracking`; a separate function, so that a test can inspect its plan. */
export function ofTrackingStatement(accountId: string, id: string, list = Prisma.raw(EVENT.list)): Prisma.Sql {
  return Prisma.sql`
    WITH newest AS MATERIALIZED (
      SELECT * FROM public.messages WHERE account_id = ${accountId} AND ${areOfTracking(id)}
      ORDER BY seq DESC NULLS LAST, position DESC LIMIT ${Prisma.raw(String(MAX_TRACKING_EVENTS))}
    )
    SELECT ${list} FROM newest m CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object(
          'webhookId', d.webhook_id, 'state', d.state, 'attempts', d.attempts, 'round', d.round,
          'createdAt', d.created_at, 'nextAttemptAt', CASE WHEN d.state = 'owed' THEN d.next_attempt_at END, 'last', a.last)
        ORDER BY d.id) AS list
      FROM public.deliveries d LEFT JOIN LATERAL (
        SELECT json_build_object('id', id, 'startedAt', started_at, 'statusCode', status_code, 'error', error,
          'durationMs', duration_ms) AS last
        FROM public.delivery_attempts
        WHERE account_id = ${accountId} AND ${areOfDelivery(Prisma.sql`public.history_id_at(m.created_at - interval '1 hour')`)}
        ORDER BY round DESC, attempt DESC LIMIT 1) a ON true
      WHERE d.message_id = m.id AND d.account_id = ${accountId}) d
    ORDER BY m.seq DESC NULLS LAST, m.position DESC`;
}
