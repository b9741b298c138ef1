import { lowestId } from '@pts/core/id';
import { type OpenTestDatabase, openTestDatabase, PATIENT, waitingForLocks } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { allDue, attemptOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import pg from 'pg';
import { type Db, openDatabase } from '../connection.ts';
import { listEvents, recordEpoch } from '../feed.ts';
import { beginHistory, partitionsOf, pruneIn } from '../testing/history.ts';
import { type DueDelivery, loadDue, recordAttempts } from './attempts.ts';
import { prune, readHistoryAges, rotateHistory } from './retention.ts';
import { beginRound } from './send-again.ts';

const DAY_MS = 24 * 3_600_000;
const PERIOD_MS = 65_536_000;
const NOW = new Date();
const days = (count: number) => new Date(NOW.getTime() + count * DAY_MS);

let database: OpenTestDatabase;
let db: OpenTestDatabase['db'];
beforeEach(async () => {
  database = await openTestDatabase(2);
  db = database.db;
});
afterEach(() => database.close());

/** An attempt whose id has a time, as the database's clock would have said at it. */
async function attemptAt(at: Date, id = lowestId(at)) {
  await db.deliveryAttempt.create({
    data: {
      id,
      deliveryId: 1n,
      messageId: '0'.repeat(24),
      webhookId: 'w',
      accountId: 'a',
      event: 'tracking_update',
      attempt: 1,
      startedAt: at,
      statusCode: 200,
      durationMs: 1,
    },
  });
}

const rotate = (at: Date, retentionDays = 30) => rotateHistory(db, { retentionDays, now: at });
const idsOf = async (table: string) =>
  (await db.$queryRawUnsafe<{ id: string }[]>(`SELECT id FROM delivery_attempts_${table} ORDER BY id`)).map(
    ({ id }) => id,
  );
const ageOfAttempts = async (now: Date) =>
  (await readHistoryAges(db, { retentionDays: 30, now })).find(({ table }) => table === 'delivery_attempts');
/** The age in days of the oldest attempt there is. */
async function oldest(at: Date): Promise<number> {
  const first = await db.deliveryAttempt.findFirst({ orderBy: { id: 'asc' } });
  return (at.getTime() - (first?.startedAt ?? at).getTime()) / DAY_MS;
}

test('after a migration there is place for every row, and nothing to do yet', async () => {
  expect(await partitionsOf(db)).toEqual([
    { name: 'floor', begins: null, ends: expect.any(Number) },
    { name: 'tail', begins: expect.any(Number), ends: null },
  ]);
  // The schema of the tests is older than they are, and a period may have ended since.
  const [migration] = await db.$queryRaw<{ at: Date }[]>`SELECT min(started_at) AS at FROM _prisma_migrations`;
  expect(await rotate(migration?.at ?? NOW)).toBe(false);
});

test('day by day, attempts are kept for 30 days at least and 38 at most, in a few partitions', async () => {
  await beginHistory(db, days(-120));
  let [max, drops] = [0, 0];
  for (let day = -120; day <= 0; day += 1) {
    const before = (await partitionsOf(db)).length;
    await rotate(days(day));
    const after = await partitionsOf(db);
    if (after.length < before) drops += 1;
    max = Math.max(max, after.length);
    await attemptAt(days(day));
    // Never into the tail: there is always a partition for two days.
    expect(await idsOf('tail')).toEqual([]);
    const age = await oldest(days(day));
    expect(age).toBeLessThanOrEqual(38);
    if (day >= -90) expect(age).toBeGreaterThanOrEqual(30);
  }
  expect(max).toBeLessThanOrEqual(9);
  expect(drops).toBeGreaterThan(5);
  const ages = await readHistoryAges(db, { retentionDays: 30, now: NOW });
  expect(ages.map(({ table, expiredSeconds }) => [table, expiredSeconds])).toEqual([
    ['deliveries', 0],
    ['delivery_attempts', 0],
    ['messages', 0],
  ]);
  for (const { aheadSeconds } of ages) expect(aheadSeconds).toBeGreaterThanOrEqual((2 * PERIOD_MS) / 1000);
});

test('a long retention has wide partitions, and none is shorter than four days', async () => {
  await beginHistory(db, days(-400));
  for (let day = -400; day <= -20; day += 10) await rotate(days(day), 365);
  expect((await partitionsOf(db)).length).toBeLessThanOrEqual(9);
  for (let day = -20; day <= 0; day += 1) {
    await rotate(days(day), 0);
    await attemptAt(days(day));
  }
  await rotate(NOW, 0);
  expect(await oldest(NOW)).toBeGreaterThanOrEqual(4);
});

test('what was written while nothing rotated becomes a partition, and is dropped like the others', async () => {
  await beginHistory(db, days(-120));
  for (const day of [-120, -110, -80]) await attemptAt(days(day));
  const age = await ageOfAttempts(NOW);
  expect((age?.aheadSeconds ?? 0) / 86_400).toBeCloseTo(-120, -1);
  expect(await rotate(days(-70))).toBe(true);
  expect(await idsOf('tail')).toEqual([]);
  await rotate(days(-41));
  expect(await db.deliveryAttempt.count()).toBe(3);
  const late = await ageOfAttempts(days(-30));
  expect((late?.expiredSeconds ?? 0) / 86_400).toBeCloseTo(9, -1);
  await rotate(days(-35));
  expect(await db.deliveryAttempt.count()).toBe(0);
});

test('a row from a clock that was wrong has its place, holds up nothing, and is deleted in the end', async () => {
  await beginHistory(db, days(-60));
  const lowest = '0'.repeat(24);
  await attemptAt(days(0), lowest);
  await attemptAt(days(400));
  expect(await rotate(days(-50))).toBe(true);
  expect([await idsOf('floor'), await idsOf('tail')]).toEqual([[lowest], []]);
  await attemptAt(days(-40));
  await attemptAt(days(-33));
  // What is older than every partition goes with the oldest.
  expect(await rotate(NOW)).toBe(true);
  expect([await idsOf('floor'), await db.deliveryAttempt.count()]).toEqual([[], 3]);
  expect(await prune(db, { before: days(-30), overdue: days(-35), batch: 10 })).toBe(1);
  expect(await oldest(NOW)).toBeCloseTo(33);
});

test('nothing is dropped because the clock of a caller is fast', async () => {
  await beginHistory(db, days(-20));
  await rotate(days(-20));
  await attemptAt(days(-20));
  await rotate(days(1000));
  expect(await db.deliveryAttempt.count()).toBe(1);
});

test('a table that cannot be rotated does not keep the others from it', async () => {
  await beginHistory(db, days(-10));
  const [, tail] = await partitionsOf(db, 'messages');
  await db.$executeRawUnsafe(`CREATE TABLE messages_p${tail?.begins} ()`);
  await expect(rotate(NOW)).rejects.toThrow(/already exists/);
  const ages = await readHistoryAges(db, { retentionDays: 30, now: NOW });
  expect(ages.map(({ table, aheadSeconds }) => [table, aheadSeconds > 0])).toEqual([
    ['deliveries', true],
    ['delivery_attempts', true],
    ['messages', false],
  ]);
});

test('one process at a time rotates', async () => {
  await beginHistory(db, days(-20));
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(7351002)`;
    expect(await rotate(NOW)).toBe(false);
  });
  expect(await rotate(NOW)).toBe(true);
  expect(await rotate(NOW)).toBe(false);
});

test('a long reader delays a rotation, which fails at nothing and holds up writers only briefly', async () => {
  await beginHistory(db, days(-20));
  const reader = new pg.Client(database.url);
  await reader.connect();
  await reader.query('BEGIN; SELECT FROM delivery_attempts');
  let isSeen = false;
  const rotating = (async () => {
    // Again: each waits for a moment only, in which a busy machine may not look.
    while (!isSeen) await rotate(NOW);
  })();
  await eventually(async () => expect(await waitingForLocks(database.url)).toHaveLength(1), { everyMs: 5 });
  isSeen = true;
  await attemptAt(NOW);
  await rotating;
  expect((await partitionsOf(db)).map(({ name }) => name)).toEqual(['floor', 'tail']);
  await reader.query('COMMIT');
  await reader.end();
  expect(await rotate(NOW)).toBe(true);
  expect(await db.deliveryAttempt.count()).toBe(1);
});

test('partitions have the settings that they do not inherit, and the whole has statistics', async () => {
  await beginHistory(db, days(-20));
  await attemptAt(days(-19));
  await rotate(NOW);
  const settings = await db.$queryRaw<{ table: string; attname: string }[]>`
    SELECT p."table", a.attname, a.attoptions FROM history_partitions p JOIN pg_attribute a ON a.attrelid = p.name::regclass
    WHERE a.attoptions IS NOT NULL`;
  const tables = {
    messages: ['account_id'],
    deliveries: ['webhook_id'],
    delivery_attempts: ['account_id', 'webhook_id'],
  };
  for (const [table, columns] of Object.entries(tables)) {
    const count = (await partitionsOf(db, table as keyof typeof tables)).length;
    const set = settings.filter((one) => one.table === table).map(({ attname }) => attname);
    expect(set.sort()).toEqual(columns.flatMap((column) => Array(count).fill(column)));
  }
  expect(settings).toEqual(settings.map((one) => ({ ...one, attoptions: ['n_distinct=1'] })));
  const analyzed = await db.$queryRaw`
    SELECT reltuples FROM pg_class WHERE oid = 'delivery_attempts'::regclass`;
  expect(analyzed).toEqual([{ reltuples: 1 }]);
});

describe('messages and deliveries', () => {
  let accountId: string;
  let webhookId: string;
  beforeEach(async () => {
    await beginHistory(db, days(-90));
    accountId = await newAccount(db, days(-90));
    webhookId = (await newWebhook(db, accountId, days(-90))).id;
  });

  /** An event of a time, which is delivered then, unless it stays pending. */
  async function eventAt(at: Date, isPending = false): Promise<DueDelivery> {
    await rotate(at);
    return newEvent(at, isPending);
  }
  async function newEvent(at: Date, isPending = false): Promise<DueDelivery> {
    await newDeliveries(db, accountId, at);
    const delivery = (await loadDue(db, [allDue({ id: webhookId, accountId })], NOW)).at(-1);
    if (!delivery) throw new Error('nothing is due');
    if (!isPending) await deliver(delivery, at);
    return delivery;
  }
  const deliver = (delivery: DueDelivery, at: Date) => recordAttempts(db, [attemptOf(delivery, { startedAt: at })]);
  const kept = async () => ({
    messages: (await db.message.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id),
    deliveries: (await db.delivery.findMany({ orderBy: { messageId: 'asc' } })).map(({ messageId }) => messageId),
  });
  const only = (...deliveries: DueDelivery[]) => {
    const ids = deliveries.map(({ messageId }) => messageId);
    return { messages: ids, deliveries: ids };
  };

  test('are dropped with their partitions, and no row is deleted', async () => {
    await eventAt(days(-60));
    await eventAt(days(-50));
    const young = [await eventAt(days(-25)), await eventAt(days(-1))];
    await rotate(NOW);
    expect(await kept()).toEqual(only(...young));
    await db.$executeRaw`SELECT pg_stat_force_next_flush()`;
    const deleted = await db.$queryRaw`
      SELECT sum(n_tup_del)::int AS deleted FROM pg_stat_user_tables JOIN history_partitions ON name = relname`;
    expect(deleted).toEqual([{ deleted: 0 }]);
    expect(await eventAt(NOW)).toMatchObject({ attempt: 1 });
  });

  test('are not dropped while one of them is pending, and later on are', async () => {
    const old = await eventAt(days(-60));
    const pending = await eventAt(days(-50), true);
    const young = await eventAt(days(-1));
    await rotate(NOW);
    expect(await kept()).toEqual(only(pending, young));
    expect(await kept()).not.toEqual(only(old, pending, young));
    await recordAttempts(db, [attemptOf(pending, { startedAt: NOW, state: 'owed', nextAttemptAt: days(1) })]);
    await rotate(NOW);
    expect(await kept()).toEqual(only(pending, young));
    await deliver({ ...pending, attempt: 2 }, NOW);
    await rotate(NOW);
    expect(await kept()).toEqual(only(young));
  });

  test('are not dropped if one of them is becoming pending at that moment', async () => {
    const old = await eventAt(days(-50));
    const { id } = await db.deliveryAttempt.findFirstOrThrow({ where: { messageId: old.messageId } });
    await db.$executeRaw`UPDATE delivery_attempts SET id = history_id_at(now()) WHERE id = ${id}`;
    const record = await db.deliveryAttempt.findFirstOrThrow({ where: { messageId: old.messageId } });
    await db.$transaction(async (tx) => {
      expect(await beginRound(tx as Db, { accountId, recordId: record.id, now: NOW })).toBe(true);
      await rotate(NOW);
    });
    await rotate(NOW);
    expect(await kept()).toEqual(only(old));
  });

  describe('after a long stop of all dispatchers', () => {
    /** As a dispatcher deletes. */
    const LIMIT = { before: days(-30), overdue: days(-41), batch: 100 };

    test('what is dropped with its partition is not deleted row by row first', async () => {
      for (const day of [-60, -50]) await eventAt(days(day));
      await attemptAt(days(-62));
      const attempts = await db.deliveryAttempt.count();
      const young = await newEvent(days(-1));
      expect([await prune(db, LIMIT), await db.deliveryAttempt.count()]).toEqual([0, attempts + 1]);
      await rotate(NOW);
      expect([await kept(), await db.deliveryAttempt.count()]).toEqual([only(young), attempts]);
    });

    /** One in a partition that is dropped; the others are where a pending one will stay. */
    async function history() {
      await eventAt(days(-75));
      const pending = await newEvent(days(-60), true);
      await newEvent(days(-59));
      return only(pending, await newEvent(days(-1)));
    }

    test('rows are deleted beside a rotation, which comes later, and neither fails', async () => {
      const young = await history();
      const other = openDatabase({ url: database.url, poolSize: 2, ...PATIENT });
      await other.$transaction(async (tx) => {
        expect(await pruneIn(tx as Db, LIMIT)).toBe(1);
        // The table is in use, and the account is locked, which keeps the place where its feed begins.
        await rotate(NOW);
        expect(await db.message.count()).toBe(4);
      });
      await other.$disconnect();
      await rotate(NOW);
      expect(await kept()).toEqual(young);
    });

    test('deleting rows waits for a rotation, and goes on after it', async () => {
      const young = await history();
      const other = new pg.Client(database.url);
      await other.connect();
      await other.query('BEGIN');
      for (const table of ['messages', 'deliveries', 'delivery_attempts'])
        await other.query('SELECT history_rotate($1, 30, $2)', [table, NOW]);
      const pruning = prune(db, LIMIT);
      await eventually(async () => expect(await waitingForLocks(database.url)).toHaveLength(1));
      await other.query('COMMIT');
      await other.end();
      expect(await pruning).toBe(1);
      expect(await kept()).toEqual(young);
    });
  });

  test('a reader of the feed learns which of its events were dropped', async () => {
    await eventAt(days(-60));
    const last = await eventAt(days(-50));
    const { xact, position } = await db.message.findUniqueOrThrow({ where: { id: last.messageId } });
    const young = await eventAt(days(-1));
    await recordEpoch(db);
    // An event is shown once every older transaction of the server has ended, also those of other tests.
    await eventually(async () => {
      const page = await listEvents(db, { accountId, after: { xact: 0n, position: 0n }, limit: 10 });
      expect(page).toMatchObject({ prunedTo: { xact, position }, events: [{ id: young.messageId }] });
    });
  });

  test('a message that is deleted takes its deliveries along', async () => {
    const [one, other] = [await eventAt(days(-2)), await eventAt(days(-1))];
    await db.message.delete({ where: { id: one.messageId } });
    expect(await kept()).toEqual(only(other));
    await db.message.deleteMany();
    expect(await kept()).toEqual(only());
  });
});
