import { BEYOND_IDS } from '@pts/core/id';
import { EVENT_KINDS } from '@pts/core/tracking/status';
import { RECENT_ATTEMPTS } from '@pts/core/webhook/endpoint';
import type { Db } from '../connection.ts';
import { column, columns, type RowOf, rows } from '../connection.ts';
import { type DeliveryAttempt, Prisma } from '../generated/client.ts';
import { WAS_SENT } from './log.ts';

const RECENT = columns({
  webhookId: column<DeliveryAttempt['webhookId']>('w.id'),
  attempts: column<number>('r.attempts'),
  /** Those that were not accepted. */
  failed: column<number>('r.failed'),
  /** How long half of the accepted ones took at most; null if there are none. */
  medianMs: column<number | null>('r.median_ms'),
  /** Of the newest one; 0: no answer, null: there is none. */
  lastStatusCode: column<DeliveryAttempt['statusCode'] | null>('r.last_status_code'),
});

/** The newest attempts of an endpoint, without pings, summed up. */
export type RecentAttempts = RowOf<typeof RECENT>;

/** The newest attempts of some endpoints of an account, summed up. */
export async function recentAttempts(
  db: Db,
  of: { accountId: string; webhookIds: readonly string[] },
): Promise<Map<string, RecentAttempts>> {
  const found = await rows(db, RECENT, () => recentStatement(of));
  return new Map(found.map((recent) => [recent.webhookId, recent]));
}

/**
 * The statement; a separate function, so that a test can inspect its plan. Hand-written: the newest of each event are a range of
 * the log's index that is read backwards, as in `log.ts`, so the cost does not grow with the attempts that an endpoint has had.
 */
export function recentStatement({
  accountId,
  webhookIds,
}: {
  accountId: string;
  webhookIds: readonly string[];
}): Prisma.Sql {
  const limit = Prisma.raw(String(RECENT_ATTEMPTS));
  return Prisma.sql`
    SELECT ${Prisma.raw(RECENT.list)} FROM unnest(${[...webhookIds]}::text[]) AS w(id) CROSS JOIN LATERAL (
      SELECT count(*)::int AS attempts, (count(*) FILTER (WHERE error IS NOT NULL))::int AS failed,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE error IS NULL) AS median_ms,
        (array_agg(status_code ORDER BY id DESC))[1] AS last_status_code
      FROM (
        SELECT p.* FROM unnest(${[...EVENT_KINDS]}::text[]) AS e(event) CROSS JOIN LATERAL (
          SELECT id, status_code, duration_ms, error FROM public.delivery_attempts
          WHERE account_id = ${accountId} AND (webhook_id, event, id) > (w.id, e.event, '')
            AND (webhook_id, event, id) < (w.id, e.event, ${BEYOND_IDS})
          ORDER BY webhook_id DESC, event DESC, id DESC LIMIT ${limit}) p
        ORDER BY p.id DESC LIMIT ${limit}
      ) newest WHERE ${WAS_SENT}
    ) r`;
}
