import { openTestDatabase } from '@pts/testing/database';
import { newAccount, newWebhook } from '@pts/testing/factories';
import pg from 'pg';
import { readSoFar, withoutAutovacuum } from '../testing/parcel-states.ts';
import { eraseAccount, exportAccount } from './personal-data.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const COUNT = 12_000;

const { db, url, close } = await openTestDatabase(1);
afterAll(close);

test('an export and a deletion read as much for each row, however many there are', async () => {
  await withoutAutovacuum(db);
  const accountId = await newAccount(db, NOW);
  const { id: webhookId } = await newWebhook(db, accountId, NOW);
  const at = NOW.toISOString();
  await db.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, created_at, updated_at)
    SELECT lpad(to_hex(i), 24, '0'), ${accountId}, 'YTN' || i, 'yto', false, 'scripted', '查询中', 'pending', ${at}::timestamptz,
      ${at}::timestamptz + make_interval(secs => i) FROM generate_series(1, ${COUNT}::int) i`;
  await db.$executeRaw`
    INSERT INTO messages (id, account_id, event, body, created_at)
    SELECT lpad(to_hex(i), 24, '0'), ${accountId}, 'tracking_update', '{}', ${at}::timestamptz FROM generate_series(1, ${COUNT}::int) i`;
  await db.$executeRaw`
    INSERT INTO delivery_attempts (message_id, webhook_id, account_id, event, attempt, started_at, status_code, duration_ms)
    SELECT lpad(to_hex(i), 24, '0'), ${webhookId}, ${accountId}, 'tracking_update', 1, ${at}::timestamptz, 200, 5
    FROM generate_series(1, ${COUNT}::int) i`;
  await db.$executeRaw`ANALYZE`;
  // Of each row, its parts that follow from it.
  const most = 3 * COUNT + 1000;

  const before = await readSoFar(db);
  let exported = 0;
  for await (const _row of exportAccount(db, accountId)) exported += 1;
  expect(exported).toBeGreaterThan(3 * COUNT);
  expect((await readSoFar(db)).rows - before.rows).toBeLessThan(1.2 * most);

  // Another transaction, such as a dump, keeps deleted rows from being passed over.
  const dump = new pg.Client({ connectionString: url });
  await dump.connect();
  await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await dump.query('SELECT 1 FROM accounts LIMIT 1');
  const afterExport = await readSoFar(db);
  const deleted = await eraseAccount(db, accountId, { pageSize: 25 });
  const afterDeletion = await readSoFar(db);
  await dump.end();
  expect(deleted).toMatchObject({ trackings: COUNT, messages: COUNT, delivery_attempts: COUNT });
  // With the indexes and what is written; if each page read all deleted rows again, it would be twice as much.
  expect(afterDeletion.pages - afterExport.pages).toBeLessThan(12 * most);
});
