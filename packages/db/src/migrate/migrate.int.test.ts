import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyDatabase, queryOnce, type TestDatabase } from '@pts/testing/database';
import { migrate } from './migrate.ts';

let database: TestDatabase;
let migrationsDir: string;

beforeEach(async () => {
  database = await emptyDatabase();
  migrationsDir = mkdtempSync(join(tmpdir(), 'pts-migrations-'));
  writeFileSync(join(migrationsDir, 'migration_lock.toml'), 'provider = "postgresql"\n');
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

test('an unfinished migration of more than one transaction is left to an operator', async () => {
  migration('1_half', 'BEGIN; CREATE TABLE parcels (id int); COMMIT; SELECT missing();');
  await expect(run()).rejects.toThrow('function missing() does not exist');
  await expect(run()).rejects.toThrow('The `1_half` migration started at');
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
