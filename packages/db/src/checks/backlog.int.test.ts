import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { START, watchedParcels } from '../testing/rings.ts';
import { MAX_COUNTED, readBacklogs } from './schedule.ts';

const { db, close } = await openTestDatabase(1);
afterAll(close);

const at = (seconds: number) => new Date(START.getTime() + seconds * 1000);
const MANY = 3 * MAX_COUNTED;

/** Checks that are due one by one, in the order of a generated series. */
async function seed(provider: string, count: number): Promise<void> {
  const account = await newAccount(db, START);
  await db.$executeRaw`
    WITH parcels AS (
      INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, created_at, updated_at)
      SELECT substr(md5(${provider} || i), 1, 24), ${account}, 'SEED' || i, 'yto', true, ${provider}, '查询中', 'pending',
        ${START}::timestamptz, ${START}::timestamptz FROM generate_series(1, ${count}::int) i
      RETURNING id, account_id, provider, carrier, tracking_number
    )
    INSERT INTO checks (tracking_id, account_id, provider, carrier, tracking_number, next_check_at, expires_at)
    SELECT id, account_id, provider, carrier, tracking_number, ${START}::timestamptz + make_interval(secs => random() * 300),
      ${at(1e6)}::timestamptz FROM parcels`;
}

/** Rows that the statements so far have read from the tables of checks and their slots. */
async function rowsRead(): Promise<number> {
  await db.$executeRaw`SELECT pg_stat_force_next_flush()`;
  const [row] = await db.$queryRaw<{ read: bigint }[]>`
    SELECT sum(seq_tup_read + idx_tup_fetch) AS read FROM pg_stat_user_tables WHERE relname IN ('checks', 'check_slots')`;
  return Number(row?.read);
}

test('reading the backlog costs no more when everything is due, with statistics and without', async () => {
  await seed('crowded', MANY);
  const parcels = await watchedParcels(db, 'ringed', 50);
  await parcels.claim();
  for (const analyzed of [false, true]) {
    if (analyzed) await db.$executeRaw`ANALYZE checks, check_slots`;
    const before = await rowsRead();
    const found = await readBacklogs(db, at(2000));
    expect((await rowsRead()) - before).toBeLessThan(MAX_COUNTED + 1000);
    expect(found.map(({ provider, due }) => [provider, due]).sort()).toEqual([
      ['crowded', MAX_COUNTED],
      ['ringed', 50],
    ]);
  }
}, 60_000);

test('the oldest of a provider is its oldest single check or its oldest slot with a check, and nothing is due before', async () => {
  const parcels = await watchedParcels(db, 'both', 3);
  const single = await newAccount(db, START);
  await newTrackings(db, single, [freshNumber()], at(200), { provider: 'both' });
  const backlog = async (seconds: number) =>
    (await readBacklogs(db, at(seconds))).find(({ provider }) => provider === 'both');
  expect(await backlog(-1)).toBeUndefined();
  expect(await backlog(0)).toEqual({ provider: 'both', due: 3, oldestAt: at(0) });
  await parcels.claim();
  expect(await backlog(100)).toBeUndefined();
  expect(await backlog(200)).toEqual({ provider: 'both', due: 1, oldestAt: at(200) });
  const slots = await db.checkSlot.findMany({ where: { provider: 'both' }, orderBy: { dueAt: 'asc' } });
  expect(await backlog(2000)).toEqual({ provider: 'both', due: 4, oldestAt: at(200) });
  await db.check.deleteMany({ where: { accountId: single } });
  expect(await backlog(2000)).toEqual({ provider: 'both', due: 3, oldestAt: slots[0]?.dueAt });
  await db.check.deleteMany({ where: { provider: 'both', slot: slots[0]?.slot ?? -1 } });
  expect(await backlog(2000)).toMatchObject({ oldestAt: slots[1]?.dueAt });
});

test('a leased slot stays due until its claim ends, but not while a floor keeps others from claiming it', async () => {
  for (const [provider, floorSeconds, due] of [
    ['soon', 0, 2],
    ['floored', 3600, 0],
  ] as const) {
    const parcels = await watchedParcels(db, provider, 2, {
      cadence: { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds },
    });
    await parcels.claim();
    parcels.pass(8000);
    await parcels.take();
    const found = (await readBacklogs(db, parcels.now())).find((each) => each.provider === provider);
    expect([provider, found?.due ?? 0]).toEqual([provider, due]);
  }
});
