import type { Db } from '@pts/db/connection/client';
import { loadDue, recordAttempts } from '@pts/db/deliveries/attempts';
import { foldStats } from '@pts/db/stats/fold';
import { type OpenTestDatabase, openTestDatabase, queryOnce } from '@pts/testing/database';
import {
  allDue,
  attemptOf,
  freshNumber,
  newAccount,
  newDeliveries,
  newTrackings,
  newWebhook,
} from '@pts/testing/factories';
import { admin } from '../../testing/run.ts';

const NO_SUCH_ID = '69a463e0a1b2c3d4e5f60718';
const NOW = new Date();

let database: OpenTestDatabase;
let db: Db;
beforeEach(async () => {
  database = await openTestDatabase(2);
  db = database.db;
});
afterEach(() => database.close());

const run = (...argv: string[]) => admin(argv, { DATABASE_URL: database.url });

/** An account with parcels, events, a receiver with an attempt, and figures. @returns its id. */
async function busyAccount(): Promise<string> {
  const accountId = await newAccount(db, NOW);
  const { id } = await newWebhook(db, accountId, NOW, { encryptedSecret: 'v1.sealed-secret' });
  await newDeliveries(db, accountId, NOW);
  await newTrackings(db, accountId, Array.from({ length: 1500 }, freshNumber), NOW);
  const [due] = await loadDue(db, [allDue(id)], NOW);
  if (!due) throw new Error('nothing is due');
  await recordAttempts(db, [attemptOf(due, { startedAt: NOW })]);
  await foldStats(db, () => null);
  return accountId;
}

/** The tables that name an account in some row. */
async function tablesWith(accountId: string): Promise<string[]> {
  const { rows } = await queryOnce<{ name: string }>(
    database.url,
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'account_id'
       AND table_name <> 'audit_log' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await queryOnce(
      database.url,
      `SELECT 1 FROM ${name} WHERE account_id = '${accountId}' LIMIT 1`,
    );
    if (rowCount) found.push(name);
  }
  return found;
}

test('an export has every row of the account, and no secret', async () => {
  const [accountId, other] = [await busyAccount(), await busyAccount()];
  const { code, stdout } = await run('accounts', 'export', accountId);
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { table: string; row: { id: string } });
  const of = (table: string) => lines.filter((line) => line.table === table);
  expect(of('accounts').map(({ row }) => row.id)).toEqual([accountId]);
  expect(new Set(of('trackings').map(({ row }) => row.id)).size).toBe(1501);
  for (const table of ['messages', 'delivery_attempts', 'webhooks', 'quota_usage', 'api_keys'])
    expect([table, of(table).length]).toEqual([table, await countOf(table, accountId)]);
  expect(stdout).not.toContain(other);
  expect(stdout).not.toMatch(/sealed-secret|key_hash/);
});

async function countOf(table: string, accountId: string): Promise<number> {
  const { rowCount } = await queryOnce(database.url, `SELECT 1 FROM ${table} WHERE account_id = '${accountId}'`);
  return rowCount ?? 0;
}

test('a deleted account leaves no row in any table, and others keep theirs', async () => {
  const [accountId, other] = [await busyAccount(), await busyAccount()];
  const before = await tablesWith(other);
  await run('accounts', 'disable', accountId);
  const { code, stdout } = await run('accounts', 'delete', accountId, '--confirm', 'Merchant');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Merchant \(\w+\) is deleted, with .*1501 trackings/)]);
  expect([await tablesWith(accountId), await db.account.count({ where: { id: accountId } })]).toEqual([[], 0]);
  expect(await db.check.count()).toBe(await db.tracking.count());
  expect(await db.delivery.count({ where: { accountId } })).toBe(0);
  expect(await tablesWith(other)).toEqual(before);
  expect((await run('accounts', 'delete', accountId, '--confirm', 'Merchant')).stderr).toContain('No such account');
});

test('an active account, or one whose name is not confirmed, is not deleted', async () => {
  const accountId = await busyAccount();
  const active = await run('accounts', 'delete', accountId, '--confirm', 'Merchant');
  expect([active.code, active.stderr]).toEqual([1, expect.stringContaining('Disable it first')]);
  await run('accounts', 'disable', accountId);
  const other = await run('accounts', 'delete', accountId, '--confirm', 'Other');
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('--confirm "Merchant"')]);
  expect(await db.tracking.count()).toBe(1501);
});

test('a dry run counts, and deletes nothing', async () => {
  const accountId = await busyAccount();
  const { stdout } = await run('accounts', 'delete', accountId, '--dry-run', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    dry_run: true,
    rows: { trackings: 1501, webhooks: 1, delivery_attempts: 1 },
  });
  expect(await db.tracking.count()).toBe(1501);
});

test.each([['export'], ['delete']])('%s of an unknown account is refused', async (verb) => {
  const { code, stderr } = await run('accounts', verb, NO_SUCH_ID);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`No such account: ${NO_SUCH_ID}`)]);
});
