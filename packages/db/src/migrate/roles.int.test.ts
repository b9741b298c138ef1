import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDatabase, queryOnce, type TestDatabase } from '@pts/testing/database';
import { allDue, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { MIGRATIONS } from '@pts/testing/migrate';
import { openDatabase } from '../connection/client.ts';
import { loadDue } from '../deliveries/attempts.ts';
import { migrate } from './migrate.ts';

const SCRIPT = readFileSync(join(import.meta.dirname, '../../../../k8s/examples/roles.sql'), 'utf8');

/** Roles belong to the whole server, so each test has its own. */
const prefix = `roles_${randomBytes(4).toString('hex')}`;
const roles = [`${prefix}_owner`, `${prefix}_service`];

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
  await queryOnce(database.url, SCRIPT.replaceAll('parcel_tracking', prefix));
  for (const role of roles) await queryOnce(database.url, `ALTER ROLE ${role} PASSWORD 'x'`);
  await migrate({ databaseUrl: urlOf('owner'), migrationsDir: MIGRATIONS });
});
afterAll(async () => {
  for (const role of roles) await queryOnce(database.url, `DROP OWNED BY ${role} CASCADE`);
  for (const role of roles) await queryOnce(database.url, `DROP ROLE ${role}`);
  await database.close();
});

function urlOf(role: 'owner' | 'service'): string {
  const url = new URL(database.url);
  [url.username, url.password] = [`${prefix}_${role}`, 'x'];
  return url.href;
}

test("the service's role does its work on tables that the owner has migrated", async () => {
  const db = openDatabase({ url: urlOf('service'), poolSize: 2 });
  const now = new Date();
  try {
    const accountId = await newAccount(db, now);
    const { id } = await newWebhook(db, accountId, now);
    await newDeliveries(db, accountId, now);
    expect(await loadDue(db, [allDue(id)], now)).toHaveLength(1);
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
