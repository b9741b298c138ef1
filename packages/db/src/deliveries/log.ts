import { BEYOND_IDS, lowestId } from '@pts/core/id';
import { isSuccess } from '@pts/core/webhook/retry';
import type { Db } from '../connection.ts';
import { column, columns, hotRows, type RowOf, rowsByIndex } from '../connection.ts';
import { type DeliveryAttempt, Prisma } from '../generated/client.ts';
import { attemptsOfMessages } from './of-message.ts';

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
export type LogPage = { rows: AttemptRow[]; next: string | null };

/** Attempts read for a page, at most, where no index has those that are wanted. */
const MAX_WALKED = 10_000;
/** Of an endpoint and event, at least as many are read: more than a page has. */
const MIN_WALKED = 250;

/**
 * An account's attempts, newest first (spec section 4.1). A filter that no index has reads a bounded part of the log: the page may
 * have fewer rows than its limit, or none, and still says where the next one starts.
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
 * their group afterwards: given one group, the planner may scan the primary key, or all of an endpoint's rows. For the same reason,
 * no bounds of the id leave out partitions: a step looks into each of them, of which there are few.
 */
function newest(filter: LogFilter, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    WITH RECURSIVE ${newestOf(filter)}
    SELECT ${list} FROM newest CROSS JOIN LATERAL (
      SELECT * FROM public.delivery_attempts WHERE id = newest.id AND account_id = ${filter.accountId} LIMIT 1) a
    ORDER BY a.id DESC`;
}

/** The expressions of `newest`, for a recursive WITH: the ids of the newest attempts, newest first. */
export function newestOf(
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

/** Of a group `g`. */
function isWanted({ webhookId, event }: Pick<LogFilter, 'webhookId' | 'event'>): Prisma.Sql {
  return Prisma.sql`(true ${webhookId === undefined ? Prisma.empty : Prisma.sql`AND g.webhook_id = ${webhookId}`}
    ${event === undefined ? Prisma.empty : Prisma.sql`AND g.event = ${event}`})`;
}

/** `fits`: false of an end that is only named. Rows of an index have neither. */
type WalkedRow = AttemptRow & { fits?: boolean; isEnd?: boolean };
const WALKED = columns({ ...ATTEMPT.columns, fits: column<boolean>('p.fits'), isEnd: column<boolean>('p.is_end') });

/**
 * The wanted groups share what may be read, and each is read backwards until a page of it fits or its share is used up: then `is_end`
 * marks the last row read. What is older than the newest of these ends is left to the next page, because a group that stopped there
 * may have more. Each range ends with its group: the rows of other groups would use up its share.
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

/** As part of the text: a plan that is made once must know how few rows are read. */
function literal(limit: number): Prisma.Sql {
  return Prisma.raw(String(Math.trunc(limit)));
}
