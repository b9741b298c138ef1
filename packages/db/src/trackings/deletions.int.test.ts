import { type OpenTestDatabase, openTestDatabase, waitingForLocks } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import pg from 'pg';
import { copyAccount } from '../accounts/personal-data.ts';
import { deleteTracking, restoreTrackings, retrack, stopTracking, updateTracking } from './records.ts';
import { seedTrackings } from './seed.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const LATER = new Date('2031-04-05T08:00:00.000Z');
/** Writers that come to the gate take it shared, and wait while a test holds it. */
const GATE = 1;

let database: OpenTestDatabase;
let other: pg.Client;
beforeEach(async () => {
  database = await openTestDatabase(8);
  other = new pg.Client({ connectionString: database.url });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  await database.close();
});

type Parcel = { accountId: string; id: string };

async function parcel(accountId?: string): Promise<Parcel> {
  const owner = accountId ?? (await newAccount(database.db, NOW));
  const [id = ''] = await newTrackings(database.db, owner, [freshNumber()], NOW);
  return { accountId: owner, id };
}

async function stopped(): Promise<Parcel> {
  const key = await parcel();
  await stopTracking(database.db, { ...key, now: NOW });
  return key;
}

async function removed(): Promise<Parcel> {
  const key = await parcel();
  await deleteTracking(database.db, { ...key, now: NOW });
  return key;
}

/** An account of another database, whose copy here lacks a parcel and its check. */
async function inAnotherDatabase(): Promise<Parcel> {
  const from = await openTestDatabase(2);
  onTestEnd.push(from.close);
  source = from;
  const accountId = await newAccount(from.db, NOW);
  await copyAccount({ from: from.db, to: database.db }, accountId, () => null);
  const [id = ''] = await newTrackings(from.db, accountId, [freshNumber()], NOW);
  return { accountId, id };
}

let source: OpenTestDatabase | undefined;
const onTestEnd: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of onTestEnd.splice(0)) await end();
});

const copy = async ({ accountId }: Parcel) =>
  source && copyAccount({ from: source.db, to: database.db }, accountId, () => null);
const register = ({ accountId }: Parcel) => newTrackings(database.db, accountId, [freshNumber()], NOW);
const again = (key: Parcel) => retrack(database.db, { ...key, floorSeconds: 0, now: LATER });
const restore = ({ accountId, id }: Parcel) => restoreTrackings(database.db, { accountId, ids: [id], now: LATER });
const seed = ({ accountId }: Parcel) =>
  seedTrackings(
    database.db,
    {
      ...{ accountId, provider: 'scripted', carrier: 'yto', total: 3, intervalSeconds: 300, dueFrom: NOW },
      lots: [
        {
          ...{ prefix: 'SEED', scans: [], status: '查询中', subStatus: 'in_transit', fingerprint: 'f', seq: 0 },
          lastAnswer: { kind: 'found', at: NOW.toISOString(), latencyMs: 1, scans: 0 },
          registeredAt: NOW,
        },
      ],
    },
    () => {},
  );
const move = (key: Parcel) => {
  const sto = { carrier: 'sto', provider: 'scripted', detected: false, floorSeconds: 0 };
  return updateTracking(database.db, { ...key, change: { move: sto }, now: LATER });
};

/** Begin at once: Prisma's own promises begin when they are waited for. */
const deleteAccount = async ({ accountId }: Parcel) => database.db.account.deleteMany({ where: { id: accountId } });
const deleteParcel = async ({ id }: Parcel) => database.db.tracking.deleteMany({ where: { id } });

/** The rows of an account that no foreign key deletes. */
async function rowsLeft({ accountId }: Parcel): Promise<number[]> {
  const { db } = database;
  const where = { accountId };
  return Promise.all([db.tracking.count({ where }), db.trackingSearch.count({ where }), db.check.count({ where })]);
}

async function closeGate(place: string): Promise<void> {
  await other.query(`
    SELECT pg_advisory_lock(${GATE});
    CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NEW; END $$;
    CREATE TRIGGER gate ${place} FOR EACH ROW EXECUTE FUNCTION pass_gate()`);
}
const openGate = () => other.query(`SELECT pg_advisory_unlock(${GATE})`);

const untilWaiting = (count: number) =>
  eventually(async () => expect(await waitingForLocks(database.url)).toHaveLength(count));

type Write = (key: Parcel) => Promise<unknown>;
const WRITTEN = 'AFTER INSERT ON checks';

test.each<[string, string, () => Promise<Parcel>, Write]>([
  ['registers has written all', WRITTEN, parcel, register],
  ['registers the first of its month has written all', WRITTEN, async () => withoutQuota(await parcel()), register],
  ['registers is about to charge', 'BEFORE INSERT ON quota_usage', parcel, register],
  ['restores is about to', 'BEFORE INSERT ON trackings', removed, restore],
  ['restores has written all', WRITTEN, removed, restore],
  ['seeds is about to', 'BEFORE INSERT ON trackings', parcel, seed],
  ['copies from elsewhere is about to', 'BEFORE INSERT ON trackings', inAnotherDatabase, copy],
  ['copies from elsewhere is about to store a check', 'BEFORE INSERT ON checks', inAnotherDatabase, copy],
])('an account that is deleted when who %s leaves no parcel', async (_who, place, prepare, write) => {
  const key = await prepare();
  await closeGate(place);
  const writing = write(key).catch(() => {});
  await untilWaiting(1);
  let isDeleted = false;
  const deleting = deleteAccount(key).then(() => {
    isDeleted = true;
  });
  await eventually(async () => expect(isDeleted || (await waitingForLocks(database.url)).length === 2).toBe(true));
  await openGate();
  await Promise.all([writing, deleting]);
  expect(await rowsLeft(key)).toEqual([0, 0, 0]);
});

async function withoutQuota(key: Parcel): Promise<Parcel> {
  await database.db.quotaUsage.deleteMany({ where: { accountId: key.accountId } });
  return key;
}

test.each<[string, () => Promise<Parcel>, Write]>([
  ['registers', parcel, register],
  ['registers the first of its month', async () => withoutQuota(await parcel()), register],
  ['restores', removed, restore],
])('who %s while its account is being deleted stores nothing', async (_who, prepare, write) => {
  const key = await prepare();
  await other.query('BEGIN');
  await other.query('DELETE FROM accounts WHERE id = $1', [key.accountId]);
  const writing = write(key).catch(() => {});
  await untilWaiting(1);
  await other.query('COMMIT');
  await writing;
  expect(await rowsLeft(key)).toEqual([0, 0, 0]);
});

test.each<[string, string, () => Promise<Parcel>, Write]>([
  ['is retracked', WRITTEN, stopped, again],
  ['gets another carrier', WRITTEN, stopped, move],
  ['is copied from elsewhere', 'BEFORE INSERT ON checks', inAnotherDatabase, copy],
])('a parcel that is deleted while it %s has no check left', async (_what, place, prepare, write) => {
  const key = await prepare();
  await closeGate(place);
  const writing = write(key);
  await untilWaiting(1);
  const deleting = deleteParcel(key);
  await untilWaiting(2);
  await openGate();
  await Promise.all([writing, deleting]);
  expect(await rowsLeft(key)).toEqual([0, 0, 0]);
});

test.each<[string, () => Promise<Parcel>, Write]>([
  ['is retracked', stopped, again],
  ['gets another carrier', stopped, move],
])('a parcel that %s while it is being deleted gets no check', async (_what, prepare, write) => {
  const key = await prepare();
  await other.query('BEGIN');
  await other.query('DELETE FROM trackings WHERE id = $1', [key.id]);
  const writing = write(key);
  await untilWaiting(1);
  await other.query('COMMIT');
  expect(await writing).toMatchObject({ kind: 'not_registered' });
  expect(await rowsLeft(key)).toEqual([0, 0, 0]);
});

test('a parcel whose number has another one there is not copied, and neither is its check', async () => {
  const key = await inAnotherDatabase();
  const { trackingNumber = '' } = (await source?.db.tracking.findUnique({ where: { id: key.id } })) ?? {};
  const [id] = await newTrackings(database.db, key.accountId, [trackingNumber], NOW);
  await copy(key);
  expect(await rowsLeft(key)).toEqual([1, 1, 1]);
  expect(await database.db.check.findMany({ where: { accountId: key.accountId } })).toMatchObject([{ trackingId: id }]);
});
