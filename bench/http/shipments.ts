import { type Db, openDatabase } from '@pts/db/connection/client';
import { listShipments, type ShipmentFilter } from '@pts/db/trackings/records';
import { createAccount } from '@pts/service/accounts/create';
import { testDatabase } from '@pts/testing/database';
import { type Figure, figure } from '../parts/figure.ts';

const COUNT = 1_000_000;
/** Rows per statement, so that no transaction is long. */
const CHUNK = 50_000;
const LIMIT = 200;
const ROUNDS = 200;

/**
 * Pages of GET /shipments of an account with a million trackings, in milliseconds, against as many rows of the same
 * table by primary key: what a page costs beyond reading its rows.
 */
export async function benchShipments(): Promise<Figure[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 2 });
  const { account } = await createAccount({ db, now: () => new Date() }, { name: 'bench', plan: 'enterprise' });
  for (let from = 0; from < COUNT; from += CHUNK) await insert(db, account.id, from);
  await db.$executeRaw`VACUUM ANALYZE trackings`;
  const page = (filter: Omit<ShipmentFilter, 'accountId' | 'limit'>) =>
    medianMs(() => listShipments(db, { accountId: account.id, limit: LIMIT + 1, ...filter }));
  const after = { updatedAt: timeOf(COUNT / 2), id: idOf(COUNT / 2) };
  const bare = await medianMs(() => byPrimaryKey(db));
  const pages: [string, Omit<ShipmentFilter, 'accountId' | 'limit'>][] = [
    ['first', {}],
    ['deep', { after }],
    ['status', { status: '已签收' }],
    ['status deep', { status: '已签收', after }],
    ['sub_status deep', { subStatus: 'delivered', after }],
  ];
  const figures: Figure[] = [];
  for (const [name, filter] of pages) figures.push(figure(`shipments ${name}`, await page(filter), bare, 'ms a page'));
  await db.$disconnect();
  await database.close();
  return figures;
}

/** A batch of forty has the same time, like registrations; one in a hundred is delivered. */
async function insert(db: Db, accountId: string, from: number): Promise<void> {
  const event = JSON.stringify({
    time: timeOf(0).toISOString(),
    location: '杭州市',
    description: '已揽收',
    status: 'in_transit',
  });
  await db.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, latest_event,
      created_at, updated_at)
    SELECT lpad(to_hex(i), 24, '0'), ${accountId}, 'BENCH' || i, 'yto', false, 'bench',
      CASE WHEN i % 100 = 0 THEN '已签收' ELSE '查询中' END, CASE WHEN i % 100 = 0 THEN 'delivered' ELSE 'in_transit' END,
      ${event}::jsonb, ${timeOf(0)}::timestamptz, ${timeOf(0)}::timestamptz + make_interval(secs => i / 40)
    FROM generate_series(${from + 1}::int, ${from + CHUNK}::int) i`;
}

function timeOf(index: number): Date {
  return new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 40) * 1000);
}

function idOf(index: number): string {
  return index.toString(16).padStart(24, '0');
}

async function byPrimaryKey(db: Db): Promise<unknown> {
  return db.$queryRaw`
    SELECT id, tracking_number, carrier, status, sub_status, latest_event, updated_at FROM trackings
    WHERE id > ${idOf(COUNT / 2)} ORDER BY id LIMIT ${LIMIT + 1}`;
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b)[ROUNDS / 2] ?? 0;
}
