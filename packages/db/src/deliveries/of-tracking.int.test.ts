import { openTestDatabase } from '@pts/testing/database';
import { listAttempts, logStatement, messagesOfTracking, ofTrackingStatement } from './log.ts';

const ACCOUNT = '0'.repeat(24);
const WEBHOOK = '1'.repeat(24);
/** Messages, ten of each parcel; each was sent once. */
const COUNT = 20_000;
const idOf = (n: number) => String(n).padStart(24, '0');

const { db, close } = await openTestDatabase(1);
afterAll(close);
beforeAll(async () => {
  await db.$executeRaw`
    INSERT INTO messages (id, account_id, tracking_id, event, seq, body)
    SELECT lpad(n::text, 24, '0'), ${ACCOUNT}, lpad((n / 10)::text, 24, '0'), 'tracking_update', n % 10 + 1,
      '{"data":{"status":"查询中","sub_status":"in_transit"}}'
    FROM generate_series(0, ${COUNT - 1}::int) n`;
  await db.$executeRaw`
    INSERT INTO deliveries (message_id, webhook_id, account_id, state, attempts)
    SELECT id, ${WEBHOOK}, ${ACCOUNT}, 'delivered', 1 FROM messages`;
  await db.$executeRaw`
    INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, duration_ms)
    SELECT id, message_id, ${WEBHOOK}, ${ACCOUNT}, 'tracking_update', 1, now(), 200, 5 FROM deliveries`;
  await db.$executeRaw`ANALYZE messages, deliveries, delivery_attempts`;
}, 60_000);

test.each([
  ['the events of a parcel', () => ofTrackingStatement(ACCOUNT, idOf(700))],
  ['its part of the log', () => logStatement({ accountId: ACCOUNT, trackingId: idOf(700), limit: 51 }).statement],
])('%s are found by its id, their deliveries and attempts by theirs: nothing else is read', async (_what, made) => {
  const statement = made();
  const rows = await db.$queryRaw<{ 'QUERY PLAN': string }[]>`EXPLAIN (COSTS off) ${statement}`;
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  // The tails have no rows yet.
  expect(plan.replace(/Seq Scan on \w+_tail/g, '')).not.toContain('Seq Scan');
  expect(plan).toMatch(/Index Cond: \(\(tracking_id\)::text = /);
  expect(plan).toMatch(/Index Cond: \(\(message_id\)::text = /);
  expect(plan).toMatch(/Index Cond: \(delivery_id = /);
});

test('newest first, with the last attempt of each push', async () => {
  const found = await messagesOfTracking(db, { accountId: ACCOUNT, id: idOf(700) });
  expect(found.map(({ seq }) => seq)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  const last = expect.objectContaining({ statusCode: 200, durationMs: 5 });
  expect(found[0]).toMatchObject({
    id: idOf(7009),
    subStatus: 'in_transit',
    deliveries: [{ webhookId: WEBHOOK, last }],
  });
});

test('its part of the log has the attempts of all its events, or of one of them, in pages', async () => {
  const log = async (more: object) => {
    const page = await listAttempts(db, { accountId: ACCOUNT, trackingId: idOf(700), limit: 50, ...more });
    return page.rows.map(({ messageId }) => messageId).sort();
  };
  expect(await log({})).toEqual(Array.from({ length: 10 }, (_, n) => idOf(7000 + n)));
  expect(await log({ messageId: idOf(7003) })).toEqual([idOf(7003)]);
  expect(await log({ messageId: idOf(8003) })).toEqual([]);
  expect(await log({ limit: 3 })).toHaveLength(3);
});

test('those of another account are none', async () => {
  const other = { accountId: WEBHOOK, id: idOf(700) };
  expect(await messagesOfTracking(db, other)).toEqual([]);
  expect((await listAttempts(db, { ...other, trackingId: other.id, limit: 50 })).rows).toEqual([]);
});
