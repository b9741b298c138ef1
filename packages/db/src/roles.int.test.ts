import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDatabase, MIGRATIONS, PATIENT, queryOnce, type TestDatabase } from '@pts/testing/database';
import { allDue, attemptOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { analyzeGrown } from './analyze.ts';
import { openDatabase } from './connection.ts';
import { loadDue, recordAttempts } from './deliveries/attempts.ts';
import { rotateHistory } from './deliveries/retention.ts';
import { withoutRights } from './diagnosis.ts';
import { migrate } from './migrate.ts';
import { beginHistory, partitionsOf } from './testing/history.ts';

const SCRIPT = readFileSync(join(import.meta.dirname, '../../../k8s/examples/roles.sql'), 'utf8');

const OPERATIONS = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');

/** Roles belong to the whole server, so each test has its own. */
const prefix = `roles_${randomBytes(4).toString('hex')}`;
const roles = [`${prefix}_owner`, `${prefix}_service`, `${prefix}_service_2`];

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
  await queryOnce(database.url, SCRIPT.replaceAll('parcel_tracking', prefix));
  const [successor = ''] = /CREATE ROLE parcel_tracking_service_2 [^`]*/.exec(OPERATIONS) ?? [];
  await queryOnce(database.url, successor.replaceAll('parcel_tracking', prefix));
  for (const role of roles) await queryOnce(database.url, `ALTER ROLE ${role} PASSWORD 'x'`);
  await migrate({ databaseUrl: urlOf('owner'), migrationsDir: MIGRATIONS });
});
afterAll(async () => {
  for (const role of roles) await queryOnce(database.url, `DROP OWNED BY ${role} CASCADE`);
  for (const role of roles) await queryOnce(database.url, `DROP ROLE ${role}`);
  await database.close();
});

function urlOf(role: 'owner' | 'service' | 'service_2'): string {
  const url = new URL(database.url);
  [url.username, url.password] = [`${prefix}_${role}`, 'x'];
  return url.href;
}

test.each([
  ["the service's role", 'service'],
  ['a second one, which takes over with another password,', 'service_2'],
] as const)('%s does its work on tables that the owner has migrated', async (_which, role) => {
  const db = openDatabase({ url: urlOf(role), poolSize: 2, ...PATIENT });
  const now = new Date();
  try {
    expect(await withoutRights(db, ['public'])).toEqual([]);
    await analyzeGrown(db, ['public']);
    const accountId = await newAccount(db, now);
    const webhook = await newWebhook(db, accountId, now);
    await newDeliveries(db, accountId, now);
    expect(await loadDue(db, [allDue(webhook)], now)).toHaveLength(1);
  } finally {
    await db.$disconnect();
  }
});

test("the service's role rotates the history, whose partitions it can neither create nor drop itself", async () => {
  const owner = openDatabase({ url: urlOf('owner'), poolSize: 1, ...PATIENT });
  const db = openDatabase({ url: urlOf('service'), poolSize: 2, ...PATIENT });
  const now = new Date();
  try {
    await beginHistory(owner, new Date(now.getTime() - 60 * 24 * 3_600_000));
    expect(await rotateHistory(db, { retentionDays: 30, now })).toBe(true);
    expect((await partitionsOf(db)).length).toBeGreaterThan(2);
    expect(await withoutRights(db, ['public'])).toEqual([]);
    const [{ name } = { name: '' }] = await partitionsOf(db);
    await expect(queryOnce(urlOf('service'), `DROP TABLE delivery_attempts_${name}`)).rejects.toThrow(/must be owner/);
    const accountId = await newAccount(db, now);
    const webhook = await newWebhook(db, accountId, now);
    await newDeliveries(db, accountId, now);
    const due = await loadDue(db, [allDue(webhook)], now);
    await recordAttempts(
      db,
      due.map((delivery) => attemptOf(delivery, { startedAt: now })),
    );
    expect(await db.deliveryAttempt.count()).toBe(1);
  } finally {
    await Promise.all([owner.$disconnect(), db.$disconnect()]);
  }
});

test("the service's role has tables analyzed that have grown, which it does not own", async () => {
  await queryOnce(urlOf('owner'), 'ALTER TABLE learned_prefixes SET (autovacuum_enabled = off)');
  const db = openDatabase({ url: urlOf('service'), poolSize: 1, ...PATIENT });
  const rowsOf = async () =>
    (
      await db.$queryRaw<{ n: number }[]>`SELECT reltuples::int AS n FROM pg_class WHERE relname = 'learned_prefixes'`
    )[0]?.n;
  try {
    await db.$executeRaw`
      INSERT INTO learned_prefixes (prefix, carrier, finds, updated_at)
      SELECT '12:' || lpad(n::text, 6, '0'), 'yto', 1, now() FROM generate_series(1, 3000) n`;
    expect(await analyzeGrown(db, ['public'])).toContain('public.learned_prefixes');
    expect(await rowsOf()).toBe(3000);
    expect(await analyzeGrown(db, ['public'])).not.toContain('public.learned_prefixes');
  } finally {
    await db.$disconnect();
  }
});

test.each([
  ['drop a table', 'DROP TABLE accounts CASCADE', /must be owner/],
  ['empty one', 'TRUNCATE accounts CASCADE', /permission denied/],
  ['change one', 'ALTER TABLE accounts ADD COLUMN x int', /must be owner/],
  ['create one', 'CREATE TABLE x (id int)', /permission denied/],
])('it cannot %s', async (_what, statement, refusal) => {
  await expect(queryOnce(urlOf('service'), statement)).rejects.toThrow(refusal);
});
