import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyDatabase, queryOnce, type TestDatabase, waitingForLocks } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import pg from 'pg';
import { migrate } from './migrate.ts';

let database: TestDatabase;
let migrationsDir: string;

beforeEach(async () => {
  database = await emptyDatabase();
  migrationsDir = mkdtempSync(join(tmpdir(), 'pts-migrations-'));
});

afterEach(async () => {
  await database.close();
  rmSync(migrationsDir, { recursive: true });
});

function migration(name: string, sql: string): void {
  mkdirSync(join(migrationsDir, name), { recursive: true });
  writeFileSync(join(migrationsDir, name, 'migration.sql'), sql);
}

const query = async (sql: string) => (await queryOnce(database.url, sql)).rows;

const run = () => migrate({ databaseUrl: database.url, migrationsDir });

const sessions: pg.Client[] = [];
async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  sessions.push(client);
  await client.connect();
  return client;
}
const endSessions = async () => void (await Promise.all(sessions.splice(0).map((client) => client.end())));

/** Columns, indexes, constraints, functions and triggers. */
async function schemaOf(url: string): Promise<unknown[]> {
  const parts = [
    `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY 1, 2`,
    `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`,
    `SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    `SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1, 2`,
    'SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1',
  ];
  return Promise.all(parts.map(async (sql) => (await queryOnce(url, sql)).rows));
}

test("pending migrations are applied in order and once, and recorded in Prisma's format", async () => {
  migration('2_second', 'ALTER TABLE parcels ADD COLUMN weight int;');
  migration('1_first', 'CREATE TABLE parcels (id int);');
  const reported: string[] = [];
  expect(await migrate({ databaseUrl: database.url, migrationsDir, onApplied: (name) => reported.push(name) })).toEqual(
    {
      applied: ['1_first', '2_second'],
    },
  );
  expect(reported).toEqual(['1_first', '2_second']);
  expect(await run()).toEqual({ applied: [] });
  expect(await query('SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1')).toEqual(
    [{ migration_name: '1_first' }, { migration_name: '2_second' }],
  );
});

test('of several concurrent runs, one applies the migrations, and all succeed', async () => {
  migration('1_slow', 'SELECT pg_sleep(0.2); CREATE TABLE parcels (id int);');
  const results = await Promise.all([run(), run(), run()]);
  expect(results.flatMap(({ applied }) => applied)).toEqual(['1_slow']);
});

test('a failed migration reports what failed and why, leaves nothing behind, and succeeds once it is repaired', async () => {
  migration('1_first', 'CREATE TABLE parcels (id int);');
  migration('2_broken', 'CREATE TABLE orders (id int); CREATE TABLE parcels (id int);');
  for (const _attempt of ['first', 'second']) {
    await expect(run()).rejects.toThrow('migration 2_broken: relation "parcels" already exists');
  }
  expect(await query(`SELECT to_regclass('orders') AS orders`)).toEqual([{ orders: null }]);
  migration('2_broken', 'CREATE TABLE orders (id int);');
  expect(await run()).toEqual({ applied: ['2_broken'] });
});

test('a migration that was changed after it had been applied is refused before anything else is applied', async () => {
  migration('1_first', 'CREATE TABLE parcels (id int);');
  await run();
  migration('1_first', 'CREATE TABLE parcels (id bigint);');
  migration('2_second', 'CREATE TABLE orders (id int);');
  const refusal = await run().then(() => '', String);
  expect(refusal).toContain('migration 1_first was changed after it had been applied here: restore its file');
  expect(await query(`SELECT to_regclass('orders') AS orders`)).toEqual([{ orders: null }]);
  // It says how to accept the schema as it is.
  await query(/UPDATE public\._prisma_migrations .*/.exec(refusal)?.[0] as string);
  expect(await run()).toEqual({ applied: ['2_second'] });
});

test("a later release's migrations in the database do not matter, finished or not", async () => {
  migration('1_first', 'CREATE TABLE parcels (id int);');
  await run();
  await query(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES
    ('x', '', '9_later', now()), ('y', '', '9_later_still', NULL)`);
  migration('2_second', 'CREATE TABLE orders (id int);');
  expect(await run()).toEqual({ applied: ['2_second'] });
});

test("a database with another program's tables is left alone", async () => {
  await query('CREATE TABLE theirs (id int)');
  migration('1_first', 'CREATE TABLE parcels (id int);');
  await expect(run()).rejects.toThrow('use a database of its own');
  expect(await query(`SELECT to_regclass('_prisma_migrations') AS history`)).toEqual([{ history: null }]);
});

test('a database of a release before the baseline is refused by one sentence, and nothing in it changes', async () => {
  migration('1_init', 'CREATE TABLE parcels (id int);');
  await run();
  rmSync(join(migrationsDir, '1_init'), { recursive: true });
  migration('2_baseline', 'CREATE TABLE orders (id int);');
  const before = [await schemaOf(database.url), await query('SELECT * FROM _prisma_migrations')];
  await expect(run()).rejects.toThrow(
    /: the database was written by a release before 0\.4\.0, .* nothing in it was changed: export the accounts with `accounts export`/,
  );
  expect([await schemaOf(database.url), await query('SELECT * FROM _prisma_migrations')]).toEqual(before);
});

describe('while others use the table', () => {
  let reader: pg.Client;
  beforeEach(async () => {
    migration('1_first', 'CREATE TABLE parcels (id int);');
    await run();
    reader = await session();
    await reader.query('BEGIN; SELECT * FROM parcels');
  });
  afterEach(endSessions);

  test('a migration that never gets its lock fails with what to do, and leaves nothing behind', async () => {
    migration('2_second', 'CREATE TABLE orders (id int);\n\nALTER TABLE parcels ADD COLUMN weight int;');
    await expect(migrate({ databaseUrl: database.url, migrationsDir, lockMs: 10, patienceMs: 0 })).rejects.toThrow(
      /migration 2_second: .*lock timeout \(ALTER TABLE .*\)\. Nothing of it was kept; end the transaction/,
    );
    expect(await query(`SELECT to_regclass('orders') AS orders`)).toEqual([{ orders: null }]);
  });
});

describe('an online migration', () => {
  let writer: pg.Client;
  const ONLINE = `-- online: the table is large.
    CREATE TABLE IF NOT EXISTS orders (id int);

    CREATE INDEX CONCURRENTLY IF NOT EXISTS parcels_by_id ON parcels (id);

    DROP INDEX CONCURRENTLY IF EXISTS parcels_id;`;
  const isValid = async (name: string) =>
    (await query(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${name}')`))[0]?.indisvalid;
  beforeEach(async () => {
    migration('1_first', 'CREATE TABLE parcels (id int); CREATE INDEX parcels_id ON parcels (id);');
    await run();
    writer = await session();
  });
  afterEach(endSessions);

  /** The server ends the session that builds the index, as it does when it is stopped. */
  async function interrupt(): Promise<void> {
    await writer.query('BEGIN; INSERT INTO parcels VALUES (1)');
    const failure = run().catch(String);
    await eventually(async () =>
      expect(await waitingForLocks(database.url)).toEqual([expect.stringContaining('INDEX')]),
    );
    await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    expect(await failure).toContain('migration 2_online: ');
    await writer.query('COMMIT');
  }

  test('is repeated after an interruption, and an invalid index is built again', async () => {
    migration('2_online', ONLINE);
    await interrupt();
    expect(await isValid('parcels_by_id')).toBe(false);
    expect(await run()).toEqual({ applied: ['2_online'] });
    expect([await isValid('parcels_by_id'), await isValid('parcels_id')]).toEqual([true, undefined]);
  });

  test('that fails leaves no invalid index, says at which statement, and is repeated once the cause is fixed', async () => {
    migration(
      '2_online',
      `-- online\nALTER TABLE parcels ADD COLUMN IF NOT EXISTS weight int;\n\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS u ON parcels (id);`,
    );
    await query('INSERT INTO parcels VALUES (1), (1)');
    await expect(run()).rejects.toThrow(
      /migration 2_online: could not create unique index "u" \(CREATE UNIQUE .*\)\. What it has done so far is kept, and can be repeated; fix the cause/,
    );
    expect(await isValid('u')).toBeUndefined();
    await query('DELETE FROM parcels');
    expect(await run()).toEqual({ applied: ['2_online'] });
    expect(await isValid('u')).toBe(true);
  });
});
