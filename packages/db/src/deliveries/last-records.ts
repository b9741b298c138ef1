import { column, columns, type Db, rows } from '../connection.ts';
import { type DeliveryAttempt, Prisma } from '../generated/client.ts';
import { newestOf, OUTCOMES, type Outcome, WAS_SENT } from './log.ts';
import { attemptsOfMessages } from './of-message.ts';

/** Which messages, by the last attempt to send each of them to a webhook. */
export type LastRecordFilter = {
  accountId: string;
  webhookId?: string | undefined;
  event?: string | undefined;
  messageId?: string | undefined;
  trackingId?: string | undefined;
  /** Only if it failed; false: only if it succeeded. */
  failed?: boolean | undefined;
  /** Only if it had this result; 0: no answer. */
  statusCode?: number | undefined;
  outcome?: Outcome | undefined;
  /** It was made at this time or later, and before that one. */
  since?: Date | undefined;
  until?: Date | undefined;
  /** Later attempts do not count. */
  ceiling: string;
};

/** The ids of records, newest first; `next`: where to go on, null at the end. */
export type LastRecords = { ids: string[]; next: string | null };

/** Attempts are stored in the order of their ends: one that began earlier is not much further back. */
const SKEW_MS = 5 * 60_000;

/** The id of the newest record of any account; empty if there is none. */
export async function newestRecord(db: Db): Promise<string> {
  const newest = await db.deliveryAttempt.findFirst({ orderBy: { id: 'desc' }, select: { id: true } });
  return newest?.id ?? '';
}

const WALKED = columns({
  id: column<DeliveryAttempt['id']>('a.id'),
  startedAt: column<DeliveryAttempt['startedAt']>('a.started_at'),
  fits: column<boolean>('a.fits'),
});

/** Reads at most `depth` records before one, and returns those that match. Pings and superseded updates never do. */
export async function walkLastRecords(
  db: Db,
  filter: LastRecordFilter,
  { before, depth }: { before: string; depth: number },
): Promise<LastRecords> {
  const { since } = filter;
  const walked = await rows(db, WALKED, (list) => walk(filter, before, depth, list));
  const last = walked.at(-1);
  const isTooOld = since !== undefined && last !== undefined && last.startedAt.getTime() < since.getTime() - SKEW_MS;
  const ids = walked.flatMap(({ id, fits }) => (fits ? [id] : []));
  return { ids, next: walked.length < depth || isTooOld ? null : (last?.id ?? null) };
}

function walk(filter: LastRecordFilter, before: string, depth: number, list: Prisma.Sql): Prisma.Sql {
  const { accountId, webhookId, event, messageId, trackingId } = filter;
  const newest =
    messageId === undefined && trackingId === undefined
      ? newestOf({ accountId, webhookId, event, before, limit: depth })
      : ofMessages(filter, before, depth);
  return Prisma.sql`
    WITH RECURSIVE ${newest}
    SELECT ${list} FROM newest CROSS JOIN LATERAL (
      SELECT t.id, t.started_at, ${matching(filter)} AS fits FROM public.delivery_attempts t
      WHERE t.id = newest.id AND t.account_id = ${accountId} LIMIT 1) a
    ORDER BY a.id DESC`;
}

/** As in the log: their attempts are found through their deliveries. */
function ofMessages(filter: LastRecordFilter, before: string, depth: number): Prisma.Sql {
  const { accountId, webhookId, event } = filter;
  return Prisma.sql`
    newest AS (
      SELECT a.id FROM ${attemptsOfMessages(accountId, filter, before)}
        ${webhookId === undefined ? Prisma.empty : Prisma.sql`AND a.webhook_id = ${webhookId}`}
        ${event === undefined ? Prisma.empty : Prisma.sql`AND a.event = ${event}`}
      ORDER BY a.id DESC LIMIT ${depth}
    )`;
}

/** Of a record named `t`: it is the last of its message and webhook, and matches the rest of the filter. */
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
