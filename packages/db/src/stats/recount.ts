import { type Db, hotExecute } from '../connection.ts';
import { WAS_SENT } from '../deliveries/log.ts';
import { Prisma } from '../generated/client.ts';
import { withDeadline } from '../pool.ts';
import { FOLD_LOCK } from './lock.ts';

/** Counting tens of millions of parcels takes minutes. */
const DEADLINE_MS = 30 * 60_000;

/**
 * Counts an account whose rows were copied from another database: what it has now replaces its figures, all in one transaction. Waits
 * for a process that folds.
 */
export async function recount(db: Pick<Db, '$hotTransaction'>, accountId: string): Promise<void> {
  await withDeadline(DEADLINE_MS, () =>
    db.$hotTransaction(async (tx) => {
      await hotExecute(tx, Prisma.sql`SELECT pg_advisory_xact_lock(${FOLD_LOCK}::bigint)`);
      await hotExecute(tx, statement(accountId));
    }),
  );
}

/**
 * What is counted becomes deltas. One statement has one snapshot: deltas in it are part of the count; those of transactions that
 * are still running are not, and stay. The order has everything read before the first row is written: a transaction
 * gets its number then, and the feed of events waits for all numbers.
 */
function statement(accountId: string): Prisma.Sql {
  return Prisma.sql`
    WITH deltas AS (DELETE FROM public.stat_deltas WHERE account_id = ${accountId}),
      parcels AS (DELETE FROM public.stat_parcels WHERE account_id = ${accountId}),
      counts AS (DELETE FROM public.stat_counts WHERE account_id = ${accountId}),
      transits AS (DELETE FROM public.stat_transits WHERE account_id = ${accountId}),
      endpoints AS (DELETE FROM public.stat_endpoints WHERE account_id = ${accountId})
    INSERT INTO public.stat_deltas (account_id, figure, hour, bucket, carrier, status, sub_status, message_id, expected, webhook_id, amount)
    SELECT ${accountId}, * FROM (
      SELECT 'registered' AS figure, date_bin('1 hour', created_at, 'epoch') AS hour, 0 AS bucket, carrier, status, sub_status,
        NULL AS message_id, NULL::jsonb AS expected, NULL AS webhook_id, count(*) AS amount
      FROM public.trackings WHERE account_id = ${accountId} GROUP BY 2, 4, 5, 6
      UNION ALL
      SELECT event, date_bin('1 hour', created_at, 'epoch'), 0, NULL, NULL, NULL, NULL, NULL, NULL, count(*)
      FROM public.messages WHERE account_id = ${accountId} AND event <> 'tracking_delivered' GROUP BY 1, 2
      UNION ALL
      SELECT event, date_bin('1 hour', created_at, 'epoch'), 0, NULL, NULL, NULL, id,
        (SELECT annotations -> 'firstEstimate' FROM public.trackings t
          WHERE t.id = m.tracking_id AND t.account_id = m.account_id), NULL, 1
      FROM public.messages m WHERE account_id = ${accountId} AND event = 'tracking_delivered'
      UNION ALL
      SELECT CASE WHEN error IS NULL THEN 'accepted' ELSE 'failed' END, hour, bucket, NULL, NULL, NULL, NULL, NULL, webhook_id, count(*)
      FROM (SELECT error, webhook_id, date_bin('1 hour', started_at, 'epoch') AS hour,
          CASE WHEN error IS NOT NULL THEN 0 WHEN round > 0 THEN -1
            ELSE COALESCE(public.stat_lag_bucket(started_at + make_interval(secs => duration_ms / 1000::float8)
              - (SELECT created_at FROM public.deliveries
                WHERE message_id = a.message_id AND webhook_id = a.webhook_id AND account_id = a.account_id)), -1) END AS bucket
        FROM public.delivery_attempts a
        WHERE account_id = ${accountId} AND delivery_id IS NOT NULL AND ${WAS_SENT}) a
      GROUP BY 1, 2, 3, 9) counted
    ORDER BY figure, hour`;
}
