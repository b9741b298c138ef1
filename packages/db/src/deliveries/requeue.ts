import type { EndpointKey } from '@pts/core/webhook/endpoint';
import type { Db } from '../connection.ts';
import { column, columns, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';

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
 * Makes these deliveries due now, a millisecond apart and in the order of their events. Their attempts stay the same ones: none is
 * added.
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
