import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Db, openDatabase } from '@pts/db/connection';
import { migrate } from '@pts/db/migrate';
import { migrateQueue } from '@pts/queue/postgres/schema';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { testServer } from './stores.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');

/** For clients of a test's database: a busy machine must not look like a database in trouble. */
export const PATIENT = { connectMs: 60_000, statementMs: 60_000, idleTransactionMs: 60_000 } as const;

/** PostgreSQL's code for, among others, a database to which somebody is connected. */
const OBJECT_IN_USE = '55006';

export type TestDatabase = { url: string; close(): Promise<void> };
export type OpenTestDatabase = TestDatabase & { db: Db };

/**
 * A migrated database of its own, without a row, in milliseconds: a clone of a template made once per version of the
 * schema.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const server = testServer('TEST_DATABASE_URL');
  return createDatabase(server, await templateDatabase(server));
}

/** `testDatabase` with a client on it; `close` ends both. */
export async function openTestDatabase(poolSize: number): Promise<OpenTestDatabase> {
  const { url, close } = await testDatabase();
  const db = openDatabase({ url, poolSize, ...PATIENT });
  return {
    url,
    db,
    close: async () => {
      await db.$disconnect();
      await close();
    },
  };
}

/**
 * The statements in a database that wait for a lock. On a connection of its own: a transaction sees the sessions of its
 * first look.
 */
export async function waitingForLocks(url: string): Promise<string[]> {
  const waiting = await queryOnce(
    url,
    `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting.rows.map(({ query }) => query);
}

/** A database without any table, for tests of the migrations. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase(testServer('TEST_DATABASE_URL'));
}

/** A database with what another one holds, to which nothing may be connected. */
export async function copyOf({ url }: TestDatabase): Promise<TestDatabase> {
  return createDatabase(testServer('TEST_DATABASE_URL'), new URL(url).pathname.slice(1));
}

/** A database on a server, without any table unless the template has some. */
export async function createDatabase(server: string, template = 'template0'): Promise<TestDatabase> {
  const name = `pts_test_${randomBytes(6).toString('hex')}`;
  // Copying files takes a third of the time of PostgreSQL's default, which writes every page to the log.
  await whenUnused(() => queryOnce(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`));
  return {
    url: databaseOn(server, name),
    close: async () => {
      await queryOnce(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/**
 * Closed sessions of a database may still be ending, and on a busy machine for longer than the server waits for them.
 */
async function whenUnused(change: () => Promise<unknown>): Promise<void> {
  const failure = await eventually(async () => {
    const error = await change().then(
      () => null,
      (refusal: { code?: string }) => refusal,
    );
    if (error?.code === OBJECT_IN_USE) throw error;
    return error;
  });
  if (failure) throw failure;
}

let ready: Promise<string> | undefined;

function templateDatabase(server: string): Promise<string> {
  ready ??= onServer(server, async (client) => {
    const name = `pts_template_${schemaVersion()}`;
    // Test files run in several processes; the lock ends with the connection.
    await client.query(`SELECT pg_advisory_lock(hashtext('pts_template'))`);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount) return name;
    const unfinished = `${name}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished}`);
    await migrateDatabase(databaseOn(server, unfinished));
    await whenUnused(() => client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`));
    return name;
  });
  return ready;
}

/** Changes with the migrations, and with the lockfile, on whose BullMQ the queue's tables depend. */
function schemaVersion(): string {
  const files = readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.sql'));
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const path of files.sort()) hash.update(path).update(readFileSync(join(MIGRATIONS, path)));
  return hash.digest('hex').slice(0, 12);
}

/**
 * Waits until every transaction that is open on the server now has ended, also those of other tests: from then on, the
 * feed shows all that was stored before.
 */
export async function untilFeedIsComplete(url: string): Promise<void> {
  const snapshot = async () => {
    const { rows } = await queryOnce<{ oldest: string; next: string }>(
      url,
      'SELECT pg_snapshot_xmin(s)::text AS oldest, pg_snapshot_xmax(s)::text AS next FROM pg_current_snapshot() s',
    );
    return { oldest: BigInt(rows[0]?.oldest ?? 0), next: BigInt(rows[0]?.next ?? 0) };
  };
  const { next } = await snapshot();
  await eventually(async () => {
    if ((await snapshot()).oldest < next) throw new Error('a transaction that hides events is still open');
  });
}

/** Sends one statement over a connection of its own. */
export function queryOnce<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<pg.QueryResult<Row>> {
  return onServer(url, (client) => client.query<Row>(sql));
}

async function onServer<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // if the server ends in between, the query says so
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function databaseOn(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** The folder with the migrations of this version. */
export const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

/** Brings a database to this version's schema; the queue's is for installations without Redis. */
export async function migrateDatabase(databaseUrl: string): Promise<void> {
  await migrate({ databaseUrl, migrationsDir: MIGRATIONS });
  await migrateQueue(databaseUrl);
}
