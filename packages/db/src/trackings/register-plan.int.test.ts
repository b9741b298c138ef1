import { PATIENT, type TestDatabase, testDatabase } from '@pts/testing/database';
import { newAccount, newTrackings } from '@pts/testing/factories';
import { analyzeGrown } from '../analyze.ts';
import { type Db, openDatabase } from '../connection.ts';
import { withoutAutovacuum } from '../testing/parcel-states.ts';
import { findByNumbers } from './records.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');

let database: TestDatabase;
let db: Db;
let accountId: string;
beforeEach(async () => {
  database = await testDatabase();
  // One connection, which keeps its plans.
  db = openDatabase({ url: database.url, poolSize: 1, preparedStatements: 'on', ...PATIENT });
  await withoutAutovacuum(db);
  accountId = await newAccount(db, NOW);
});
afterEach(async () => {
  await db.$disconnect();
  await database.close();
});

let numbers = 0;
async function register(count: number): Promise<void> {
  const fresh = Array.from({ length: count }, () => `PLAN${++numbers}`);
  expect(await newTrackings(db, accountId, fresh, NOW)).toHaveLength(count);
}

async function seed(owner: string, from: number, to: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, created_at, updated_at)
    SELECT lpad(to_hex(i), 24, '0'), ${owner}, 'SEED' || i, 'yto', true, 'scripted', '查询中', 'pending', ${NOW}::timestamptz, ${NOW}::timestamptz
    FROM generate_series(${from}::int, ${to}::int) i`;
}

/** The rows of trackings that the statements so far have read. */
async function rowsRead(): Promise<number> {
  await db.$executeRaw`SELECT pg_stat_force_next_flush()`;
  const [row] = await db.$queryRaw<{ read: bigint }[]>`
    SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_user_tables WHERE relname = 'trackings'`;
  return Number(row?.read);
}

async function rowsReadBy(work: () => Promise<void>): Promise<number> {
  const before = await rowsRead();
  await work();
  return (await rowsRead()) - before;
}

test('a number of a large account among small ones is looked up by itself', async () => {
  const accounts = await Promise.all(Array.from({ length: 20 }, () => newAccount(db, NOW)));
  for (const [n, account] of accounts.entries()) await seed(account, n * 50, n * 50 + 49);
  await db.$executeRaw`ANALYZE trackings`;
  for (let n = 0; n < 10; n++) await register(40);
  await seed(accountId, 10_000, 20_000);
  expect(await rowsReadBy(() => register(40))).toBeLessThan(200);
});

test('a table that has grown from a few rows is read by index as soon as it is analyzed', async () => {
  await register(10);
  await db.$executeRaw`ANALYZE trackings`;
  for (let n = 0; n < 10; n++) await register(40);
  await seed(accountId, 10_000, 20_000);
  expect(await analyzeGrown(db, ['public'])).toContain('public.trackings');
  expect(await rowsReadBy(() => register(40))).toBeLessThan(200);
});

test.each(['force_generic_plan', 'force_custom_plan'])(
  'a number that thousands of accounts have is looked up in one of them, with %s',
  async (mode) => {
    await db.$executeRawUnsafe(`SET plan_cache_mode = ${mode}`);
    await seed(await newAccount(db, NOW), 10_001, 40_000);
    await db.$executeRaw`
      INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, created_at, updated_at)
      SELECT lpad(to_hex(i), 24, '0'), 'account-' || i, 'COMMON1', 'yto', true, 'scripted', '查询中', 'pending', ${NOW}::timestamptz, ${NOW}::timestamptz
      FROM generate_series(1, 10000) i`;
    await db.$executeRaw`ANALYZE trackings`;
    const numbersOf = (n: number) => ['COMMON1', ...Array.from({ length: 39 }, (_, i) => `OTHER${n}${i}`)];
    for (let n = 0; n < 3; n++) {
      const read = await rowsReadBy(async () => {
        expect(await newTrackings(db, accountId, numbersOf(n), NOW)).toHaveLength(40);
        expect(await findByNumbers(db, accountId, numbersOf(n))).toHaveLength(40);
        expect(await findByNumbers(db, accountId, ['COMMON1'])).toHaveLength(1);
      });
      expect(read).toBeLessThan(300);
    }
  },
);

test('an account is deleted without reading the parcels of others', async () => {
  await seed(await newAccount(db, NOW), 1, 10_000);
  await register(1);
  await db.$executeRaw`ANALYZE trackings`;
  expect(await rowsReadBy(async () => void (await db.account.deleteMany({ where: { id: accountId } })))).toBeLessThan(
    10,
  );
  expect(await db.tracking.count()).toBe(10_000);
});
