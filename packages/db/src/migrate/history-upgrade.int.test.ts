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
const [PROOFS, OF_MESSAGES] = ['20261210114201_history_proofs', '20261210114202_history_of_messages'];
const LAST_BEFORE = '20261206010000_messages_of_a_tracking';
/** As 0.2.0 writes it: without an id. */
const INSERT = `INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, error, duration_ms)
  SELECT n, lpad(n::text, 24, '0'), 'w', 'a', 'tracking_update', 1, now() - interval '20 days', 200, NULL, 5 FROM generate_series(1, 500) n`;
/** As 0.2.0 writes an event: the id begins with the seconds. */
const STORE = `WITH stored AS (
    INSERT INTO messages (id, account_id, tracking_id, event, seq, body)
    SELECT lpad(to_hex(extract(epoch FROM now())::bigint), 8, '0') || left(md5(random()::text), 16), 'a', lpad(n::text, 24, '0'), 'tracking_update', n, '{}'
    FROM generate_series(1, 20) n RETURNING id)
  INSERT INTO deliveries (message_id, webhook_id, account_id, next_attempt_at) SELECT id, 'w', 'a', now() FROM stored
  ON CONFLICT (message_id, webhook_id) DO NOTHING RETURNING id`;

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

test('messages and deliveries become the first partitions while others write them: nothing is copied, lost or counted twice', async () => {
  const writer = new pg.Client(database.url);
  await writer.connect();
  const write = async () => (await writer.query<{ id: string }>(STORE)).rows.map(({ id }) => id);
  const written = await write();
  const files = async (part: string) => [await fileOf(`messages${part}`), await fileOf(`deliveries${part}`)];
  const before = await files('');
  let isOver = false;
  const writing = (async () => {
    while (!isOver) written.push(...(await write()));
  })();
  try {
    await run();
  } finally {
    isOver = true;
    await writing;
  }
  expect(await files('_floor')).toEqual(before);
  written.push(...(await write()));
  await writer.end();
  const stored = await query('SELECT d.id FROM deliveries d JOIN messages m ON m.id = d.message_id ORDER BY d.id');
  expect(stored.map(({ id }) => id)).toEqual(written);
  const counted = await query(`SELECT sum(amount)::int AS count FROM stat_deltas WHERE figure = 'tracking_update'`);
  expect(counted).toEqual([{ count: written.length }]);
});

test('ids have a sequence of their own even after the first partition is gone', async () => {
  await run();
  for (const table of ['messages', 'deliveries', 'delivery_attempts']) {
    await query(`DROP TABLE ${table}_floor`);
    await query(
      `SELECT history_create("table", 'floor', 'MINVALUE', history_bound("table", begins)) FROM history_partitions WHERE "table" = '${table}'`,
    );
  }
  await query(INSERT);
  expect(await query('SELECT count(*)::int AS count FROM delivery_attempts')).toEqual([{ count: 500 }]);
  expect(await query(STORE)).toHaveLength(20);
});

const copyUpTo = (last: string) => {
  for (const name of readdirSync(MIGRATIONS))
    if (name > LAST_BEFORE && name <= last) cpSync(join(MIGRATIONS, name), join(folder, name), { recursive: true });
};
const indexesOf = async (table: string) =>
  (
    await query(`SELECT pg_relation_filenode(indexrelid) AS file FROM pg_index WHERE indrelid = '${table}'::regclass`)
  ).map(({ file }) => file);

test.each([
  [INDEX, PARTITIONS, ['delivery_attempts'], 4],
  [PROOFS, OF_MESSAGES, ['messages', 'deliveries'], 8],
])(
  'after %s, %s locks tables for a moment only: constraints prove what is in them, and their indexes are used',
  async (before, name, tables, count) => {
    copyUpTo(before);
    await migrate({ databaseUrl: database.url, migrationsDir: folder });
    const indexes = (await Promise.all(tables.map(indexesOf))).flat();
    const client = new pg.Client(database.url);
    const notices: (string | undefined)[] = [];
    client.on('notice', ({ message }) => notices.push(message));
    await client.connect();
    await client.query('SET client_min_messages = debug1; BEGIN');
    await client.query(readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8'));
    await client.query('COMMIT');
    await client.end();
    for (const table of tables)
      expect(notices).toContain(`partition constraint for table "${table}_floor" is implied by existing constraints`);
    const after = (await Promise.all(tables.map((table) => indexesOf(`${table}_floor`)))).flat();
    expect(after).toHaveLength(count);
    expect(after.filter((file) => !indexes.includes(file))).toEqual([]);
  },
);
