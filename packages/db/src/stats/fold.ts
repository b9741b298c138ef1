import type { DeliveryEstimate } from '@pts/core/estimates';
import type { Transit } from '@pts/core/stats';
import type { Db, HotTx } from '../connection.ts';
import { byIndex, column, columns, hotExecute, hotRows, type RowOf } from '../connection.ts';
import { type Message, Prisma, type StatDelta } from '../generated/client.ts';
import { LOCKED } from './lock.ts';

/** Deltas folded in one round. */
const ROUND_SIZE = 2000;

/** Weeks begin on Mondays. */
const FIRST_MONDAY = '1970-01-05T00:00:00Z';

const FOLDED = columns({
  deltas: column<number>('(SELECT count(*)::int FROM taken)'),
  delivered: column<Delivered[] | null>(`(SELECT jsonb_agg(jsonb_build_object('accountId', account_id,
    'hour', hour, 'messageId', message_id, 'expected', expected)) FROM taken WHERE message_id IS NOT NULL)`),
});
const BODY = columns({ id: column<Message['id']>('id'), body: column<Message['body']>('body') });

type Delivered = Pick<StatDelta, 'accountId' | 'messageId'> & { hour: string; expected: DeliveryEstimate | null };

/** How a delivery counts: computed from the body of its event and the first estimate. Null if it does not count. */
export type TransitOf = (body: string, expected: DeliveryEstimate | null) => Transit | null;

/**
 * Folds a portion of the deltas into the figures of their accounts. One transaction removes and adds them, so each counts once,
 * whoever is killed. Of several processes, one does it.
 * @returns whether there are more.
 */
export async function foldStats(
  db: Pick<Db, '$hotTransaction'>,
  transitOf: TransitOf,
  roundSize = ROUND_SIZE,
): Promise<{ more: boolean }> {
  return byIndex(db, async (tx) => {
    const [lock] = await hotRows(tx, LOCKED, (list) => Prisma.sql`SELECT ${list}`);
    if (!lock?.isOurs) return { more: false };
    const [folded] = await hotRows(tx, FOLDED, (list) => fold(roundSize, list));
    await addTransits(tx, folded?.delivered ?? [], transitOf);
    return { more: folded?.deltas === roundSize };
  });
}

/** In the order of the key, in which the index leads to the oldest deltas of each account. */
function fold(roundSize: number, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    WITH taken AS (
      DELETE FROM public.stat_deltas WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM public.stat_deltas ORDER BY account_id, id LIMIT ${roundSize}::int FOR UPDATE SKIP LOCKED))
      RETURNING *
    ), parcels AS (
      INSERT INTO public.stat_parcels AS p (account_id, carrier, status, sub_status, parcels)
      SELECT account_id, carrier, status, sub_status, sum(amount) FROM taken WHERE carrier IS NOT NULL
      GROUP BY 1, 2, 3, 4 HAVING sum(amount) <> 0
      ON CONFLICT (account_id, carrier, status, sub_status) DO UPDATE SET parcels = p.parcels + excluded.parcels
    ), counts AS (
      INSERT INTO public.stat_counts AS c (account_id, grain, at, figure, bucket, amount)
      SELECT account_id, grain, date_bin(length, hour, 'epoch'), figure, bucket, sum(amount)
      FROM taken CROSS JOIN (VALUES ('hour', interval '1 hour'), ('day', interval '1 day')) g (grain, length) WHERE hour IS NOT NULL
      GROUP BY 1, 2, 3, 4, 5
      ON CONFLICT (account_id, grain, at, figure, bucket) DO UPDATE SET amount = c.amount + excluded.amount
    ), endpoints AS (
      INSERT INTO public.stat_endpoints AS e (account_id, at, webhook_id, accepted, failed)
      SELECT account_id, hour, webhook_id, COALESCE(sum(amount) FILTER (WHERE figure = 'accepted'), 0),
        COALESCE(sum(amount) FILTER (WHERE figure = 'failed'), 0)
      FROM taken WHERE webhook_id IS NOT NULL GROUP BY 1, 2, 3
      ON CONFLICT (account_id, at, webhook_id) DO UPDATE SET accepted = e.accepted + excluded.accepted,
        failed = e.failed + excluded.failed
    )
    SELECT ${list}`;
}

/** A delivery whose event has been deleted meanwhile is left out. */
async function addTransits(tx: HotTx, delivered: readonly Delivered[], transitOf: TransitOf): Promise<void> {
  if (delivered.length === 0) return;
  const ids = delivered.map(({ messageId }) => messageId).sort();
  const accounts = [...new Set(delivered.map(({ accountId }) => accountId))];
  const bodies = new Map(
    (
      await hotRows(
        tx,
        BODY,
        (list) => Prisma.sql`
        SELECT ${list} FROM public.messages WHERE id = ANY (${ids}::text[]) AND id >= ${ids[0]} AND id <= ${ids.at(-1)}
          AND account_id = ANY (${accounts}::text[])`,
      )
    ).map(({ id, body }: RowOf<typeof BODY>) => [id, body]),
  );
  const transits = delivered.flatMap(({ accountId, hour, messageId, expected }) => {
    const body = bodies.get(messageId ?? '');
    const transit = body === undefined ? null : transitOf(body, expected);
    return transit === null ? [] : { account_id: accountId, hour, ...rowOf(transit) };
  });
  await hotExecute(
    tx,
    Prisma.sql`
    INSERT INTO public.stat_transits AS t (account_id, grain, at, carrier, origin, destination, hours, parcels, carrier_expected,
      carrier_in_time, history_expected, history_in_time)
    SELECT account_id, grain, date_bin(length, hour, ${FIRST_MONDAY}::timestamptz), carrier, origin, destination, hours, count(*), sum(carrier_expected), sum(carrier_in_time),
      sum(history_expected), sum(history_in_time)
    FROM jsonb_to_recordset(${JSON.stringify(transits)}::jsonb) AS r(
      account_id text, hour timestamptz, carrier text, origin text, destination text, hours int2, carrier_expected int,
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
