import { isSuccess } from '@pts/core/webhook/verdict';
import type { Db } from '../connection/client.ts';
import { column, columns, hotRows, type RowOf } from '../connection/rows.ts';
import { type DeliveryAttempt, Prisma } from '../generated/client.ts';
import { attemptsOfMessage } from './of-message.ts';

const ATTEMPT = columns({
  id: column<DeliveryAttempt['id']>('a.id'),
  messageId: column<DeliveryAttempt['messageId']>('a.message_id'),
  webhookId: column<DeliveryAttempt['webhookId']>('a.webhook_id'),
  event: column<DeliveryAttempt['event']>('a.event'),
  attempt: column<DeliveryAttempt['attempt']>('a.attempt'),
  round: column<DeliveryAttempt['round']>('a.round'),
  startedAt: column<DeliveryAttempt['startedAt']>('a.started_at'),
  /** 0: no answer. */
  statusCode: column<DeliveryAttempt['statusCode']>('a.status_code'),
  error: column<DeliveryAttempt['error']>('a.error'),
  durationMs: column<DeliveryAttempt['durationMs']>('a.duration_ms'),
  responseExcerpt: column<DeliveryAttempt['responseExcerpt']>('a.response_excerpt'),
  nextAttemptAt: column<DeliveryAttempt['nextAttemptAt']>('a.next_attempt_at'),
});

/** An attempt as the log lists it. */
export type AttemptRow = RowOf<typeof ATTEMPT>;

/** Whether an attempt succeeded, failed, or failed without another one to follow. */
export type Outcome = 'delivered' | 'failed' | 'exhausted';

/** A record of an attempt: a superseded update has a record, too, but was not sent. */
export const WAS_SENT = Prisma.sql`(error IS NULL OR error NOT LIKE 'superseded:%')`;

/** Conditions of a row of `delivery_attempts`. */
export const OUTCOMES: Readonly<Record<Outcome, Prisma.Sql>> = {
  delivered: Prisma.sql`error IS NULL`,
  failed: Prisma.sql`error IS NOT NULL`,
  exhausted: Prisma.sql`error IS NOT NULL AND next_attempt_at IS NULL AND ${WAS_SENT}`,
};

export type LogFilter = {
  accountId: string;
  webhookId?: string | undefined;
  event?: string | undefined;
  messageId?: string | undefined;
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
  before?: bigint | undefined;
  limit: number;
};

/** Greater than every id. */
const NEWEST = 2n ** 63n - 1n;

/** An account's attempts, newest first (spec section 4.1). */
export async function listAttempts(db: Db, filter: LogFilter): Promise<AttemptRow[]> {
  const statement = await logStatement(db, filter);
  return hotRows(db, ATTEMPT, () => statement);
}

/** The statement of a listing; a separate function, so that a test can inspect its plan. */
export async function logStatement(db: Db, filter: LogFilter): Promise<Prisma.Sql> {
  const list = Prisma.raw(ATTEMPT.list);
  if (filter.messageId !== undefined) return ofMessage(filter, filter.messageId, list);
  return newest({ ...filter, ...(await idsOfRange(db, filter)) }, list);
}

/** Ids follow the ends of attempts, times are their beginnings: they differ by less than this. */
const SLACK_MS = 60_000;

/** The ids between which all attempts of a range of time are. */
async function idsOfRange(
  db: Db,
  { since, until, before = NEWEST }: LogFilter,
): Promise<{ from?: bigint; before?: bigint }> {
  if (!since && !until) return {};
  const from = since ? await firstSince(db, new Date(since.getTime() - SLACK_MS)) : 0n;
  const end = until ? await firstSince(db, new Date(until.getTime() + SLACK_MS)) : NEWEST;
  return { from, before: end < before ? end : before };
}

const ID = columns({ id: column<bigint>('id') });

/** The id of the first attempt at a time or later, or one beyond all: by halving the range of ids, as no index has the time. */
async function firstSince(db: Db, at: Date): Promise<bigint> {
  const [found] = await hotRows(
    db,
    ID,
    () => Prisma.sql`
      WITH RECURSIVE halves AS (
        SELECT 0::bigint AS low, COALESCE((SELECT max(id) FROM public.delivery_attempts), 0) + 1 AS high
        UNION ALL
        SELECT CASE WHEN a.started_at < ${at.toISOString()}::timestamptz THEN a.id + 1 ELSE low END,
          CASE WHEN a.started_at < ${at.toISOString()}::timestamptz THEN high ELSE (low + high) / 2 END
        FROM halves CROSS JOIN LATERAL (
          SELECT id, started_at FROM public.delivery_attempts WHERE id >= (low + high) / 2 ORDER BY id LIMIT 1) a
        WHERE low < high
      )
      SELECT max(low) AS id FROM halves`,
  );
  return found?.id ?? 0n;
}

/**
 * Hand-written: one index in the order (account, endpoint, event, id) serves every filter. A loose scan steps from one
 * endpoint and event of the account to the next, and the newest of each are a range that is read backwards; so the
 * cost grows with the endpoints an account has had, not with its attempts. Ranges begin at a whole key and are cut to
 * their group afterwards: given one group, the planner may scan the primary key, or all of an endpoint's rows. For the same reason,
 * no bounds of the id leave out partitions: a step looks into each of them, of which there are few. Only a range of time ends
 * within its group, too, as rows that are too new or too old would be read up to the end of the index.
 */
function newest(filter: LogFilter & { from?: bigint }, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    WITH RECURSIVE ${newestOf(filter)}
    SELECT ${list} FROM newest CROSS JOIN LATERAL (
      SELECT * FROM public.delivery_attempts WHERE id = newest.id AND account_id = ${filter.accountId} LIMIT 1) a
    ORDER BY a.id DESC`;
}

/** The expressions of `newest`, for a recursive WITH: the ids of the newest attempts, newest first. */
export function newestOf(filter: Omit<LogFilter, 'messageId'> & { from?: bigint }): Prisma.Sql {
  const { accountId, webhookId, event, before = NEWEST, from, limit } = filter;
  const since =
    from === undefined
      ? Prisma.empty
      : Prisma.sql`AND (webhook_id, event, id) >= (g.webhook_id, g.event, ${from}::bigint)`;
  const there = (name: Prisma.Sql) =>
    webhookId === undefined ? Prisma.empty : Prisma.sql`AND ${name}.webhook_id = ${webhookId}`;
  return Prisma.sql`
    groups AS (
      (SELECT webhook_id, event FROM public.delivery_attempts
       WHERE account_id = ${accountId} AND (webhook_id, event) >= (${webhookId ?? ''}, '')
       ORDER BY webhook_id, event LIMIT 1)
      UNION ALL
      SELECT n.* FROM groups g CROSS JOIN LATERAL (
        SELECT webhook_id, event FROM public.delivery_attempts
        WHERE account_id = ${accountId} AND (webhook_id, event) > (g.webhook_id, g.event) ORDER BY webhook_id, event LIMIT 1) n
      WHERE true ${there(Prisma.sql`n`)}
    ), newest AS (
      SELECT p.id FROM groups g CROSS JOIN LATERAL (
        SELECT webhook_id, event, id FROM public.delivery_attempts
        WHERE account_id = ${accountId} ${resultAndTime(filter)} AND (webhook_id, event, id) < (g.webhook_id, g.event, ${before}::bigint) ${since}
        ORDER BY webhook_id DESC, event DESC, id DESC LIMIT ${literal(limit)}) p
      WHERE p.webhook_id = g.webhook_id AND p.event = g.event ${there(Prisma.sql`g`)}
        ${event === undefined ? Prisma.empty : Prisma.sql`AND g.event = ${event}`}
      ORDER BY p.id DESC LIMIT ${literal(limit)}
    )`;
}

/** The attempts of one event's message: found through its deliveries, one per endpoint, before they are sorted. */
function ofMessage(filter: LogFilter, messageId: string, list: Prisma.Sql): Prisma.Sql {
  const { accountId, webhookId, event, before = NEWEST, limit } = filter;
  return Prisma.sql`
    WITH attempts AS MATERIALIZED (
      SELECT a.* FROM ${attemptsOfMessage(accountId, messageId, before)}
    )
    SELECT ${list} FROM attempts a
    WHERE true ${resultAndTime(filter)}
      ${webhookId === undefined ? Prisma.empty : Prisma.sql`AND a.webhook_id = ${webhookId}`}
      ${event === undefined ? Prisma.empty : Prisma.sql`AND a.event = ${event}`}
    ORDER BY a.id DESC LIMIT ${literal(limit)}`;
}

/**
 * The conditions that the index of the log lacks. Every failure has an error, and an index of its own. Values are subqueries:
 * the planner would scan the table for a value that it believes to be rare.
 */
function resultAndTime({ failed, statusCode, outcome, since, until }: LogFilter): Prisma.Sql {
  const when = (isGiven: unknown, condition: Prisma.Sql) => (isGiven ? condition : Prisma.empty);
  const isFailure = failed || (statusCode !== undefined && !isSuccess(statusCode));
  return Prisma.sql`${when(isFailure, Prisma.sql`AND ${OUTCOMES.failed}`)}
    ${when(failed === false, Prisma.sql`AND ${OUTCOMES.delivered}`)}
    ${outcome === undefined ? Prisma.empty : Prisma.sql`AND ${OUTCOMES[outcome]}`}
    ${when(statusCode !== undefined, Prisma.sql`AND status_code = (SELECT ${statusCode}::int)`)}
    ${when(statusCode === 0, Prisma.sql`AND ${WAS_SENT}`)}
    ${when(since, Prisma.sql`AND started_at >= (SELECT ${since?.toISOString()}::timestamptz)`)}
    ${when(until, Prisma.sql`AND started_at < (SELECT ${until?.toISOString()}::timestamptz)`)}`;
}

/** As part of the text: a plan that is made once must know how few rows are read. */
function literal(limit: number): Prisma.Sql {
  return Prisma.raw(String(Math.trunc(limit)));
}
