import type { EndpointKey } from '@pts/core/webhook/pending-endpoint';
import type { Db } from '../connection/client.ts';
import { DEADLINES, withDeadline } from '../connection/deadline.ts';
import { column, columns, type RowOf, rows } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';

const PENDING = columns({
  webhookId: column<string>('p.webhook_id'),
  accountId: column<string>('p.account_id'),
  dueAt: column<Date>('GREATEST(p.due_at, w.not_before)'),
  /** Null for one that accepts deliveries. */
  failingSince: column<Date | null>('w.failing_since'),
  /** Whether the endpoint is disabled or deleted. */
  isClosed: column<boolean>('NOT COALESCE(w.enabled, false)'),
});

/** An endpoint to which deliveries are pending, and when the first of them is due. */
export type PendingFor = RowOf<typeof PENDING>;

/**
 * Every endpoint for which something is pending. Hand-written: a loose scan, one step of a partial index per endpoint, so
 * that it costs the same for one pending delivery as for a million.
 */
export async function pendingEndpoints(db: Db): Promise<PendingFor[]> {
  return rows(
    db,
    PENDING,
    (list) => Prisma.sql`
    WITH RECURSIVE fresh AS (
      (SELECT webhook_id, account_id, created_at AS due_at FROM public.deliveries WHERE state = 'owed' AND fresh ORDER BY webhook_id, id LIMIT 1)
      UNION ALL
      SELECT n.* FROM fresh CROSS JOIN LATERAL (
        SELECT webhook_id, account_id, created_at FROM public.deliveries
        WHERE state = 'owed' AND fresh AND webhook_id > fresh.webhook_id ORDER BY webhook_id, id LIMIT 1) n
    ), late AS (
      (SELECT webhook_id, account_id, next_attempt_at AS due_at FROM public.deliveries WHERE state = 'owed' AND NOT fresh
       ORDER BY webhook_id, next_attempt_at LIMIT 1)
      UNION ALL
      SELECT n.* FROM late CROSS JOIN LATERAL (
        SELECT webhook_id, account_id, next_attempt_at FROM public.deliveries
        WHERE state = 'owed' AND NOT fresh AND webhook_id > late.webhook_id ORDER BY webhook_id, next_attempt_at LIMIT 1) n
    ), pending AS (
      SELECT webhook_id, account_id, min(due_at) AS due_at FROM (SELECT * FROM fresh UNION ALL SELECT * FROM late) e GROUP BY 1, 2
    )
    SELECT ${list} FROM pending p LEFT JOIN LATERAL (
      SELECT * FROM public.webhooks WHERE id = p.webhook_id AND account_id = p.account_id LIMIT 1) w ON true`,
  );
}

/** That a delivery `d` is one of a short list. The bounds leave out partitions, which a list does not. */
const isIn = (list: 'page' | 'older') =>
  Prisma.raw(`d.message_id = ANY (ARRAY(SELECT message_id FROM ${list}))
      AND d.message_id >= (SELECT min(message_id) FROM ${list}) AND d.message_id <= (SELECT max(message_id) FROM ${list})`);

/** Drops up to `limit` pending deliveries of an endpoint that is disabled or deleted. @returns how many. */
export async function cancelPending(db: Db, { webhookId, accountId }: EndpointKey, limit: number): Promise<number> {
  // First attempts and late ones apart: each has an index, and all together have none.
  const some = (which: Prisma.Sql) => Prisma.sql`
    SELECT message_id FROM (
      SELECT message_id FROM public.deliveries
      WHERE webhook_id = ${webhookId} AND account_id = ${accountId} AND state = 'owed' AND ${which}
        AND NOT EXISTS (SELECT 1 FROM public.webhooks WHERE id = ${webhookId} AND account_id = ${accountId} AND enabled)
      LIMIT ${limit} FOR UPDATE SKIP LOCKED) s`;
  return db.$executeRaw`
    WITH page AS MATERIALIZED (
      SELECT message_id FROM (${some(Prisma.sql`fresh`)} UNION ALL ${some(Prisma.sql`NOT fresh`)}) p LIMIT ${limit}
    )
    UPDATE public.deliveries d SET state = 'cancelled', next_attempt_at = NULL
    WHERE d.webhook_id = ${webhookId} AND d.account_id = ${accountId} AND ${isIn('page')}`;
}

/**
 * Drops up to `limit` superseded updates of a failing endpoint with `supersede`: of a parcel's undelivered
 * `tracking_update`s only the newest stays pending, since each is a snapshot. The log shows what was dropped, and for what.
 * @returns how many deliveries were dropped.
 */
export async function supersedePending(
  db: Db,
  { webhookId, accountId }: EndpointKey,
  { limit, now }: { limit: number; now: Date },
): Promise<number> {
  const pending = (which: Prisma.Sql) => Prisma.sql`
    SELECT message_id, attempts FROM public.deliveries
    WHERE webhook_id = ${webhookId} AND account_id = ${accountId} AND state = 'owed' AND ${which}`;
  const drop = () => db.$executeRaw`
    WITH updates AS (
      SELECT d.message_id, d.attempts,
        first_value(d.message_id) OVER newest_first AS newest, row_number() OVER newest_first AS place
      FROM (${pending(Prisma.sql`fresh`)} UNION ALL ${pending(Prisma.sql`NOT fresh`)}) d CROSS JOIN LATERAL (
        SELECT tracking_id, seq, event FROM public.messages WHERE id = d.message_id AND account_id = ${accountId} LIMIT 1) m
      WHERE m.event = 'tracking_update' AND EXISTS (SELECT 1 FROM public.webhooks
        WHERE id = ${webhookId} AND account_id = ${accountId} AND supersede AND failing_since IS NOT NULL)
      WINDOW newest_first AS (PARTITION BY m.tracking_id ORDER BY m.seq DESC)
    ), older AS MATERIALIZED (
      SELECT * FROM updates WHERE place > 1 LIMIT ${limit}
    ), dropped AS (
      UPDATE public.deliveries d SET state = 'superseded', next_attempt_at = NULL
      FROM older WHERE d.message_id = older.message_id AND d.webhook_id = ${webhookId} AND d.account_id = ${accountId}
        AND ${isIn('older')} AND d.state = 'owed' AND d.attempts = older.attempts
      RETURNING d.id, d.message_id, d.webhook_id, d.account_id, d.attempts, d.round, older.newest
    )
    INSERT INTO public.delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, round, started_at,
      status_code, error, duration_ms)
    SELECT id, message_id, webhook_id, account_id, 'tracking_update', attempts + 1, round, ${now.toISOString()}::timestamptz,
      0, 'superseded: not sent, message ' || newest || ' has a newer state of this parcel', 0
    FROM dropped ON CONFLICT DO NOTHING`;
  return withDeadline(DEADLINES.bulk, drop);
}
