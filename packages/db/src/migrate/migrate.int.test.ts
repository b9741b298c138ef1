import { createHash } from 'node:crypto';
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

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

test('semicolons in comments and function bodies do not end statements', async () => {
  migration('1_tricky', `-- first; then\nCREATE FUNCTION one() RETURNS int LANGUAGE sql AS $$ SELECT 0; SELECT 1; $$;`);
  await run();
  expect(await query('SELECT one()')).toEqual([{ one: 1 }]);
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

test('a failed migration is recorded as rolled back, with the statement and what to do', async () => {
  migration('1_broken', 'CREATE TABLE parcels (id int);\n-- Oops.\nSELECT missing(),\n  1;');
  await expect(run()).rejects.toThrow(
    'migration 1_broken: function missing() does not exist (statement 2 of 2: SELECT missing(), 1). Nothing of it was kept; fix the cause, and migrate again',
  );
  expect(
    await query(
      `SELECT finished_at, rolled_back_at IS NOT NULL AS "isRolledBack", logs LIKE 'migration 1_broken: %' AS "isExplained" FROM _prisma_migrations`,
    ),
  ).toEqual([{ finished_at: null, isRolledBack: true, isExplained: true }]);
});

test('a migration that ends its own transaction is refused before it begins', async () => {
  migration('1_half', 'CREATE TABLE parcels (id int); COMMIT; SELECT missing();');
  await expect(run()).rejects.toThrow('migration 1_half is one transaction already: remove its COMMIT');
  expect(await query(`SELECT to_regclass('parcels') AS parcels`)).toEqual([{ parcels: null }]);
});

test('a statement that needs to be outside of a transaction fails with what to do', async () => {
  migration('1_index', 'CREATE TABLE parcels (id int); CREATE INDEX CONCURRENTLY parcels_id ON parcels (id);');
  await expect(run()).rejects.toThrow('Nothing of it was kept; begin its file with "-- online", and migrate again');
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

test('a role with limits for short statements and a search path of its own can migrate', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c statement_timeout=100 -c search_path=elsewhere');
  migration('1_slow', 'SELECT pg_sleep(0.3); CREATE TABLE parcels (id int);');
  await migrate({ databaseUrl: url.href, migrationsDir });
  expect(await query(`SELECT to_regclass('public.parcels') IS NOT NULL AS found`)).toEqual([{ found: true }]);
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

test("a migration that failed in Prisma's engine runs again", async () => {
  migration('1_first', 'CREATE TABLE parcels (id int);');
  await run();
  migration('2_second', 'CREATE TABLE orders (id int);');
  await query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('x', '', '2_second', 'why')`,
  );
  expect(await run()).toEqual({ applied: ['2_second'] });
  // Otherwise Prisma's own tools would refuse to go on.
  expect(await query('SELECT id FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL')).toEqual(
    [],
  );
});

test("a migration is recorded as by Prisma: with its file's SHA-256, as one step", async () => {
  const sql = '-- One.\nCREATE TABLE parcels (id int);\nCREATE TABLE orders (id int);\n';
  migration('1_first', sql);
  await run();
  expect(await query('SELECT *, started_at <= finished_at AS "isInOrder" FROM _prisma_migrations')).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      checksum: sha256(sql),
      migration_name: '1_first',
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
      isInOrder: true,
      rolled_back_at: null,
      logs: null,
      applied_steps_count: 1,
    },
  ]);
});

describe('while others use the table', () => {
  let reader: pg.Client;
  let writer: pg.Client;
  beforeEach(async () => {
    migration('1_first', 'CREATE TABLE parcels (id int);');
    await run();
    [reader, writer] = [await session(), await session()];
    await reader.query('BEGIN; SELECT * FROM parcels');
  });
  afterEach(endSessions);

  test('a migration that waits for a long reader lets writers through, and succeeds once the reader is done', async () => {
    migration('2_second', 'ALTER TABLE parcels ADD COLUMN weight int;');
    const progress: string[] = [];
    const onProgress = (line: string) => progress.push(line);
    const migrating = migrate({ databaseUrl: database.url, migrationsDir, lockMs: 100, onProgress });
    await eventually(async () => expect(await waitingForLocks(database.url)).toHaveLength(1), { everyMs: 5 });
    await writer.query('INSERT INTO parcels VALUES (1)');
    // Its progress says why nothing happens, and the pauses grow.
    const pauses = () => progress.map((line) => /2_second got no lock.* in (\d+) ms/.exec(line)?.[1]);
    await eventually(() => expect(pauses().slice(0, 2)).toEqual(['250', '500']));
    await reader.query('COMMIT');
    expect(await migrating).toEqual({ applied: ['2_second'] });
  });

  test('a migration that never gets its lock fails with what to do, and leaves nothing behind', async () => {
    migration('2_second', 'CREATE TABLE orders (id int); ALTER TABLE parcels ADD COLUMN weight int;');
    await expect(migrate({ databaseUrl: database.url, migrationsDir, lockMs: 10, patienceMs: 0 })).rejects.toThrow(
      /migration 2_second: .*lock timeout \(statement 2 of 2: ALTER TABLE .*\)\. Nothing of it was kept; end the transaction/,
    );
    expect(await query(`SELECT to_regclass('orders') AS orders`)).toEqual([{ orders: null }]);
  });

  test('an index is built online while others wait for their turn to migrate', async () => {
    migration('2_index', '-- online\nCREATE INDEX CONCURRENTLY parcels_id ON parcels (id);');
    await writer.query('BEGIN; INSERT INTO parcels VALUES (1)');
    const migrating = [run(), run(), run()];
    await eventually(async () => expect(await waitingForLocks(database.url)).toHaveLength(1));
    await (await session()).query('INSERT INTO parcels VALUES (2)');
    await writer.query('COMMIT');
    await reader.query('COMMIT');
    expect((await Promise.all(migrating)).flatMap(({ applied }) => applied)).toEqual(['2_index']);
  });
});

describe('an online migration', () => {
  const ONLINE = `-- online: the table is large.
    CREATE TABLE orders (id int);
    CREATE INDEX CONCURRENTLY parcels_by_id ON parcels (id);
    DROP INDEX CONCURRENTLY parcels_id;`;
  const isValid = async (name: string) =>
    (await query(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${name}')`))[0]?.indisvalid;
  let writer: pg.Client;
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

  test('tells which statement runs, and how far it has come', async () => {
    migration('2_online', ONLINE);
    const progress: string[] = [];
    await writer.query('BEGIN; INSERT INTO parcels VALUES (1)');
    const options = { databaseUrl: database.url, migrationsDir, progressMs: 20 };
    const migrating = migrate({ ...options, onProgress: (line) => progress.push(line) });
    await eventually(() =>
      expect(progress.at(-1)).toMatch(
        /^the statement has been running for \d+ s: waiting for writers before build, 0 %$/,
      ),
    );
    // On a busy machine, it may be seen before it waits.
    expect(progress.filter((line) => !line.startsWith('the statement has been running for '))).toEqual([
      'migration 2_online, statement 1 of 3: CREATE TABLE orders (id int)',
      'migration 2_online, statement 2 of 3: CREATE INDEX CONCURRENTLY parcels_by_id ON parcels (id)',
    ]);
    await writer.query('COMMIT');
    expect(await migrating).toEqual({ applied: ['2_online'] });
  });

  test('goes on after an interruption: what is applied is not repeated, and an invalid index is built again', async () => {
    migration('2_online', ONLINE);
    await interrupt();
    expect(await isValid('parcels_by_id')).toBe(false);
    expect(await run()).toEqual({ applied: ['2_online'] });
    expect([await isValid('parcels_by_id'), await isValid('parcels_id')]).toEqual([true, undefined]);
    expect(
      await query(`SELECT applied_steps_count, logs FROM _prisma_migrations WHERE migration_name = '2_online'`),
    ).toEqual([{ applied_steps_count: 1, logs: null }]);
  });

  test.each([
    ['an index that is finished', 'CREATE INDEX CONCURRENTLY parcels_by_id ON parcels (id)', 1],
    ['an index that is gone', 'DROP INDEX CONCURRENTLY parcels_id', 2],
  ])('goes on after a kill before the record of %s', async (_what, statement, steps) => {
    migration('2_online', ONLINE);
    await query('CREATE TABLE orders (id int)');
    await query(statement);
    await query(`INSERT INTO _prisma_migrations (id, checksum, migration_name, applied_steps_count)
      VALUES ('x', '${sha256(ONLINE)}', '2_online', ${steps})`);
    expect(await run()).toEqual({ applied: ['2_online'] });
    expect(await isValid('parcels_id')).toBeUndefined();
  });

  test('that fails leaves no invalid index, says where it goes on, and does so once the cause is fixed', async () => {
    migration(
      '2_online',
      `-- online\nALTER TABLE parcels ADD COLUMN weight int;\nCREATE UNIQUE INDEX CONCURRENTLY u ON parcels (id);`,
    );
    await query('INSERT INTO parcels VALUES (1), (1)');
    await expect(run()).rejects.toThrow(
      /migration 2_online: could not create unique index "u" \(statement 2 of 2: CREATE UNIQUE .*\)\. 1 of its statements are applied; the next run goes on from there; fix the cause/,
    );
    expect(await isValid('u')).toBeUndefined();
    await query('DELETE FROM parcels');
    expect(await run()).toEqual({ applied: ['2_online'] });
    expect(await isValid('u')).toBe(true);
  });

  test('a procedure commits its parts, and is called again after an interruption', async () => {
    const fill = `CREATE PROCEDURE fill() LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO parcels VALUES (1) ON CONFLICT DO NOTHING; COMMIT;
        IF (SELECT count(*) FROM orders) = 0 THEN RAISE EXCEPTION 'interrupted'; END IF;
        INSERT INTO parcels VALUES (2) ON CONFLICT DO NOTHING; COMMIT;
      END $$`;
    migration(
      '2_fill',
      `-- online\nCREATE UNIQUE INDEX u ON parcels (id); CREATE TABLE orders (id int); ${fill}; CALL fill();`,
    );
    await expect(run()).rejects.toThrow('interrupted (statement 4 of 4: CALL fill()). 3 of its statements are applied');
    expect(await query('SELECT id FROM parcels')).toEqual([{ id: 1 }]);
    await query('INSERT INTO orders VALUES (1)');
    expect(await run()).toEqual({ applied: ['2_fill'] });
    expect(await query('SELECT id FROM parcels ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('that was changed after a part of it was applied is left to an operator', async () => {
    migration('2_online', ONLINE);
    await interrupt();
    migration('2_online', `${ONLINE}\nSELECT 1;`);
    await expect(run()).rejects.toThrow('migration 2_online was changed after 1 of its statements had been applied');
  });
});

test('a server that does not answer is named without its password', async () => {
  const failure = await migrate({ databaseUrl: 'postgresql://user:hidden@127.0.0.1:1/parcels', migrationsDir }).catch(
    String,
  );
  expect(failure).toContain('could not migrate the database at 127.0.0.1:1/parcels: connect ECONNREFUSED');
  expect(failure).not.toContain('hidden');
});

test('a URL that is not PostgreSQL is refused without being repeated', async () => {
  const failure = await migrate({ databaseUrl: 'mysql://user:hidden@127.0.0.1/parcels', migrationsDir }).catch(String);
  expect(failure).toContain('DATABASE_URL must have the form postgresql://');
  expect(failure).not.toContain('hidden');
});
