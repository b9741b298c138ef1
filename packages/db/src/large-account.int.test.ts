import { openTestDatabase } from '@pts/testing/database';
import { openDatabase } from './connection/client.ts';
import { listAttempts } from './deliveries/log.ts';
import { findPage } from './pages/page.ts';
import { listShipments as list } from './shipments/list.ts';
import { NEWEST_CHANGE_FIRST, type ShipmentCursor, type ShipmentFilter } from './shipments/shipment.ts';
import { findAnswered, findByIds, findByNumbers, findTracking } from './trackings/records.ts';

const ACCOUNTS = 1500;
const LARGE = 30_000;
const PAGE = 50;

const { db: setup, url, close } = await openTestDatabase(1);
// One connection, which keeps its plans.
const db = openDatabase({ url, poolSize: 1, preparedStatements: 'on' });
afterAll(async () => {
  await db.$disconnect();
  await close();
});

const id = (n: number) => n.toString(16).padStart(24, '0');
const MERCHANT = id(7);
const itsIds = (count: number) => Array.from({ length: count }, (_, n) => id(100_000 + 37 * n));

async function listShipments(filter: ShipmentFilter, after?: ShipmentCursor) {
  return (await list(db, { filter, order: NEWEST_CHANGE_FIRST, after, limit: PAGE })).rows;
}

/** One account with thousands of parcels and attempts, and many with ten. */
beforeAll(async () => {
  await setup.$executeRaw`
    INSERT INTO accounts (id, name, plan) SELECT lpad(to_hex(i), 24, '0'), 'x', 'free' FROM generate_series(0, ${ACCOUNTS - 1}::int) i`;
  await setup.$executeRaw`INSERT INTO page_settings (account_id, enabled) SELECT id, true FROM accounts`;
  await setup.$executeRaw`
    CREATE TABLE owned AS
    SELECT i, lpad(to_hex(i % ${ACCOUNTS}::int), 24, '0') AS account_id FROM generate_series(0, ${10 * ACCOUNTS - 1}::int) i
    UNION ALL SELECT i, ${MERCHANT} FROM generate_series(100_000, ${100_000 + LARGE - 1}::int) i`;
  await setup.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, updated_at, answered_at)
    SELECT lpad(to_hex(i), 24, '0'), account_id, 'N' || i, 'yto', true, 'scripted', '查询中', 'pending',
      now() - i * interval '1 second', now() FROM owned`;
  await setup.$executeRaw`
    INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, error, duration_ms)
    SELECT i, lpad(i::text, 24, '0'), account_id, account_id, CASE WHEN i % 10 = 0 THEN 'tracking_delivered' ELSE 'tracking_update' END,
      1, now(), 200, CASE WHEN i % 100 = 1 THEN 'failed' END, 5 FROM owned`;
  await setup.$executeRaw`ANALYZE trackings, delivery_attempts`;
  // PostgreSQL decides so for most statements after five plans of their own.
  await db.$executeRaw`SET plan_cache_mode = force_generic_plan`;
}, 60_000);

/** The pages of these tables and their indexes that were touched so far. */
async function pagesTouched(): Promise<number> {
  await db.$executeRaw`SELECT pg_stat_force_next_flush()`;
  const [row] = await db.$queryRaw<{ pages: bigint }[]>`
    SELECT sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::bigint AS pages FROM pg_statio_user_tables
    WHERE relname = 'trackings' OR relname LIKE 'delivery\\_attempts\\_%'`;
  return Number(row?.pages);
}

test.each<[string, (accountId: string) => Promise<unknown[]>]>([
  ['a number', (account) => findByNumbers(db, account, ['N100007'])],
  [
    'forty numbers',
    (account) =>
      findByNumbers(
        db,
        account,
        Array.from({ length: 40 }, (_, n) => `N${100_000 + n}`),
      ),
  ],
  ['an id', async (account) => [await findTracking(db, account, id(100_007))]],
  [
    "a buyer's page",
    async () => [await findPage(db, { trackingId: id(100_007), generation: 0 })].filter((page) => page !== null),
  ],
  ['forty ids', (account) => findByIds(db, account, itsIds(40))],
  ['the answered ones of forty ids', (account) => findAnswered(db, account, itsIds(40))],
  ['a page of shipments', (accountId) => listShipments({ accountId })],
  ['a status', (accountId) => listShipments({ accountId, status: '查询中' })],
  ['shipments by ids', (accountId) => listShipments({ accountId, ids: itsIds(10) })],
  [
    'a deep page of shipments',
    (accountId) => listShipments({ accountId }, { updatedAt: new Date(Date.now() - 110_000_000), id: id(0) }),
  ],
  ['a page of the delivery log', (accountId) => listAttempts(db, { accountId, limit: PAGE })],
  ['what failed', (accountId) => listAttempts(db, { accountId, limit: PAGE, failed: true })],
  ['an event', (accountId) => listAttempts(db, { accountId, limit: PAGE, event: 'tracking_delivered' })],
  ['an endpoint', (accountId) => listAttempts(db, { accountId, limit: PAGE, webhookId: accountId })],
])(
  'for a large account among small ones, %s touches few pages, with a plan that is made for any account',
  async (_, read) => {
    const before = await pagesTouched();
    expect((await read(MERCHANT)).length).toBeGreaterThan(0);
    expect((await pagesTouched()) - before).toBeLessThan(450);
  },
);
