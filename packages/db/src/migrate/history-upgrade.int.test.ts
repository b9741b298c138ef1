import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIRST_TIMED_ID } from '@pts/core/webhook/attempt-id';
import { emptyDatabase, PATIENT, queryOnce, type TestDatabase } from '@pts/testing/database';
import { MIGRATIONS } from '@pts/testing/migrate';
import pg from 'pg';
import { openDatabase } from '../connection/client.ts';
import { partitionsOf } from '../testing/history.ts';
import { migrate } from './migrate.ts';

const [INDEX, PARTITIONS] = ['20261208010000_history_index', '20261208020000_history_partitions'];
const LAST_BEFORE = '20261206010000_messages_of_a_tracking';
/** As 0.2.0 writes it: without an id. */
const INSERT = `INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, error, duration_ms)
  SELECT n, lpad(n::text, 24, '0'), 'w', 'a', 'tracking_update', 1, now() - interval '20 days', 200, NULL, 5 FROM generate_series(1, 500) n`;

let database: TestDatabase;
let folder: string;
beforeEach(async () => {
  database = await emptyDatabase();
  folder = mkdtempSync(join(tmpdir(), 'pts-before-history-'));
  for (const name of readdirSync(MIGRATIONS))
    if (name <= LAST_BEFORE) cpSync(join(MIGRATIONS, name), join(folder, name), { recursive: true });
  await migrate({ databaseUrl: database.url, migrationsDir: folder });
  await query(INSERT);
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await database.close();
});

const query = async (sql: string) => (await queryOnce(database.url, sql)).rows;
const run = () => migrate({ databaseUrl: database.url, migrationsDir: MIGRATIONS });
const fileOf = async (table: string) => (await query(`SELECT pg_relation_filenode('${table}') AS file`))[0]?.file;

test('the attempts that there are become the first partition: nothing is copied or lost, and new ones follow', async () => {
  const before = await fileOf('delivery_attempts');
  await run();
  expect(await fileOf('delivery_attempts_floor')).toBe(before);
  await query(INSERT);
  const db = openDatabase({ url: database.url, poolSize: 1, ...PATIENT });
  try {
    const ids = (await db.deliveryAttempt.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);
    expect(ids.slice(0, 500)).toEqual(Array.from({ length: 500 }, (_, n) => BigInt(n + 1)));
    expect(ids.slice(500).every((id) => id > FIRST_TIMED_ID)).toBe(true);
    expect(ids).toHaveLength(1000);
    expect((await partitionsOf(db)).map(({ name }) => name)).toEqual(['floor', 'tail']);
    // A statement is counted once, whichever partition it writes to.
    expect(await db.statDelta.aggregate({ where: { figure: 'accepted' }, _sum: { amount: true } })).toEqual({
      _sum: { amount: 1000 },
    });
  } finally {
    await db.$disconnect();
  }
});

test('ids have a sequence of their own even after the first partition is gone', async () => {
  await run();
  await query('DROP TABLE delivery_attempts_floor');
  await query(
    `SELECT history_create('delivery_attempts_floor', 'MINVALUE', (SELECT history_bound(begins)::text FROM history_partitions))`,
  );
  await query(INSERT);
  expect(await query('SELECT count(*)::int AS count FROM delivery_attempts')).toEqual([{ count: 500 }]);
});

test('the table is locked for a moment only: a constraint proves what is in it, and its indexes are used', async () => {
  cpSync(join(MIGRATIONS, INDEX), join(folder, INDEX), { recursive: true });
  await migrate({ databaseUrl: database.url, migrationsDir: folder });
  const client = new pg.Client(database.url);
  const notices: (string | undefined)[] = [];
  client.on('notice', ({ message }) => notices.push(message));
  await client.connect();
  await client.query('SET client_min_messages = debug1; BEGIN');
  await client.query(readFileSync(join(MIGRATIONS, PARTITIONS, 'migration.sql'), 'utf8'));
  await client.query('COMMIT');
  await client.end();
  expect(notices).toContain(
    'partition constraint for table "delivery_attempts_floor" is implied by existing constraints',
  );
  expect(await query(`SELECT 1 FROM pg_index WHERE indrelid = 'delivery_attempts_floor'::regclass`)).toHaveLength(4);
});
