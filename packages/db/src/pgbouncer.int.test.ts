import type { Scan } from '@pts/core/tracking/scan';
import { emptyDatabase, MIGRATIONS, PATIENT, queryOnce, testDatabase } from '@pts/testing/database';
import { allDue, attemptOf, freshNumber, newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import { startPgBouncer, type TestPgBouncer } from '@pts/testing/servers/pgbouncer';
import { claimChecks } from './checks/schedule.ts';
import { type Db, openDatabase, pingDatabase } from './connection.ts';
import { loadDue, recordAttempts } from './deliveries/attempts.ts';
import { pendingEndpoints } from './deliveries/pending.ts';
import { prune } from './deliveries/retention.ts';
import { Prisma } from './generated/client.ts';
import { migrate } from './migrate.ts';
import { saveAnswers } from './testing/save-answers.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const SCAN: Scan = {
  time: '2031-04-01T00:00:00Z',
  timeRaw: '2031-04-01T00:00:00Z',
  zoneSource: 'carrier',
  location: '',
  description: '已取件',
  status: 'in_transit',
};

let database: Awaited<ReturnType<typeof testDatabase>>;
let bouncer: TestPgBouncer;
afterEach(async () => {
  await bouncer.stop();
  await database.close();
});

describe('behind PgBouncer in transaction mode', () => {
  let db: Db;
  beforeEach(async () => {
    database = await testDatabase();
    bouncer = await startPgBouncer(database.url);
    db = openDatabase({ url: bouncer.url, poolSize: 10, ...PATIENT });
  });
  afterEach(() => db.$disconnect());

  test('parcels are registered, claimed, saved and delivered, in many sessions at once', async () => {
    const parcels = await Promise.all(Array.from({ length: 10 }, () => mainJob(db)));
    expect(parcels).toEqual(Array.from({ length: 10 }, () => 'delivered'));
  });

  test('settings that another client left in a session have no effect', async () => {
    // Another client of the pooler gets the session that was used last.
    await queryOnce(bouncer.url, "SET search_path = 'elsewhere'");
    expect((await queryOnce(bouncer.url, 'SHOW search_path')).rows).toEqual([{ search_path: 'elsewhere' }]);
    expect(await mainJob(db)).toBe('delivered');
    expect(await prune(db, { before: NOW, overdue: NOW, batch: 10 })).toBe(0);
  });

  test('times are right whatever the time zone of the server, with and without a pooler', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await queryOnce(database.url, `ALTER DATABASE ${name} SET TimeZone = 'Asia/Shanghai'`);
    const direct = openDatabase({ url: database.url, poolSize: 1, ...PATIENT });
    for (const way of [direct, db]) {
      const id = await newAccount(way, NOW);
      await way.account.update({ where: { id }, data: { disabledAt: NOW } });
      const at = NOW.toISOString();
      const where = Prisma.sql`WHERE id = ${id} AND disabled_at = ${at}::timestamptz`;
      expect(await way.$queryRaw`SELECT disabled_at AS at FROM accounts ${where}`).toEqual([{ at: NOW }]);
      expect(await way.account.findUnique({ where: { id } })).toMatchObject({ disabledAt: NOW });
    }
    await direct.$disconnect();
  });

  test('a parameter in the address that PgBouncer refuses is named, with what to do', async () => {
    const url = new URL(bouncer.url);
    url.searchParams.set('options', '-c statement_timeout=1000');
    const refused = openDatabase({ url: url.href, poolSize: 1, ...PATIENT });
    await expect(pingDatabase(refused)).rejects.toThrow(
      /DATABASE_URL has a parameter that the pooler refuses \(.*options.*\); remove it/,
    );
    await refused.$disconnect();
  });
});

describe('migrations', () => {
  const run = (databaseUrl: string) => migrate({ databaseUrl, migrationsDir: MIGRATIONS });

  test('are refused through PgBouncer in transaction mode, and leave no lock behind', async () => {
    database = await emptyDatabase();
    bouncer = await startPgBouncer(database.url);
    await expect(run(bouncer.url)).rejects.toThrow('set MIGRATE_DATABASE_URL to the PostgreSQL server itself');
    expect((await run(database.url)).applied).not.toEqual([]);
  });

  test('go through PgBouncer in session mode', async () => {
    database = await emptyDatabase();
    bouncer = await startPgBouncer(database.url, { settings: { pool_mode: 'session', default_pool_size: 2 } });
    expect((await run(bouncer.url)).applied).not.toEqual([]);
  });

  test('go through PgBouncer in session mode that has a single connection', async () => {
    database = await emptyDatabase();
    bouncer = await startPgBouncer(database.url, { settings: { pool_mode: 'session', default_pool_size: 1 } });
    await expect(run(bouncer.url)).resolves.toBeDefined();
  });
});

/** A parcel's way from registration to the record of its push. @returns the state of the delivery. */
async function mainJob(db: Db): Promise<string | undefined> {
  const accountId = await newAccount(db, NOW);
  const webhook = await newWebhook(db, accountId, NOW);
  const provider = accountId;
  const [trackingId = ''] = await newTrackings(db, accountId, [freshNumber()], NOW, { provider });
  const [claimed] = await claimChecks(db, { provider, limit: 10, cadence: CADENCE, now: NOW });
  expect(claimed?.trackingId).toBe(trackingId);
  const answer = { kind: 'found' as const, scans: [SCAN] };
  await saveAnswers(db, [{ trackingId, answer, fingerprint: 'f', finalLook: false }], CADENCE, NOW);
  expect((await pendingEndpoints(db)).map(({ webhookId }) => webhookId)).toContain(webhook.id);
  const [due] = await loadDue(db, [allDue(webhook)], NOW);
  if (!due) throw new Error('nothing is due');
  await recordAttempts(db, [attemptOf(due, { startedAt: NOW })]);
  const delivery = await db.delivery.findFirst({ where: { id: BigInt(due.deliveryId) } });
  return delivery?.state;
}
