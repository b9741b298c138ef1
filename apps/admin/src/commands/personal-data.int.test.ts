import { appendAudit } from '@pts/db/audit';
import { loadDue, recordAttempts } from '@pts/db/deliveries/attempts';
import { startReplay } from '@pts/db/deliveries/send-again';
import { freshId } from '@pts/db/ids';
import { foldAll } from '@pts/db/testing/fold-all';
import { createAccount } from '@pts/service/accounts';
import { queryOnce } from '@pts/testing/database';
import {
  allDue,
  attemptOf,
  freshNumber,
  newAccount,
  newDeliveries,
  newTrackings,
  newWebhook,
} from '@pts/testing/factories';
import { databasePerTest } from '../testing/database-per-test.ts';

const NOW = new Date();

const database = databasePerTest();

const run = (...argv: string[]) => database.run(argv);

type Busy = { accountId: string; testId: string; name: string; numbers: string[] };

/**
 * An account that has used everything: parcels, pushes, an import, a bulk action, a page, test keys, a replay and what
 * is derived.
 */
async function busyAccount(): Promise<Busy> {
  const accountId = await newAccount(database.db, NOW);
  const name = `Shop of ${accountId.slice(-6)}`;
  await database.db.account.update({ where: { id: accountId }, data: { name } });
  const { account: companion } = await createAccount({ db: database.db, now: () => NOW }, { name, plan: 'free' });
  await database.db.account.update({ where: { id: companion.id }, data: { testOf: accountId } });
  const { id } = await newWebhook(database.db, accountId, NOW, { encryptedSecret: 'v1.sealed-secret' });
  await newDeliveries(database.db, accountId, NOW);
  const numbers = Array.from({ length: 1500 }, freshNumber);
  const [trackingId = ''] = await newTrackings(database.db, accountId, numbers, NOW);
  const [due] = await loadDue(database.db, [allDue({ id, accountId })], NOW);
  if (!due) throw new Error('nothing is due');
  await recordAttempts(database.db, [attemptOf(due, { startedAt: NOW, responseExcerpt: `no ${name}` })]);
  await foldAll(database.db, () => null);
  const [number = '', other = ''] = numbers;
  const own = { accountId, createdAt: NOW };
  const importId = freshId(NOW);
  const file = Buffer.from(`number\n${other}\n`);
  await database.db.import.create({
    data: {
      ...{ ...own, id: importId, dryRun: false, format: 'csv', wanted: {}, fileName: `${name}.csv` },
      chunks: { create: { seq: 0, bytes: file, accountId } },
      rejects: { create: { firstRow: 1, csv: file, accountId } },
    },
  });
  const filter = { q: number };
  await database.db.bulkAction.create({
    data: { ...own, id: freshId(NOW), action: 'stop', filter, asOf: NOW, matched: 1, isLowerBound: false },
  });
  await database.db.pageSettings.create({
    data: { accountId, enabled: true, name, shopUrl: `https://example.com/${number}` },
  });
  await database.db.idempotencyKey.create({
    data: { ...own, key: number, requestHash: file, holder: 'run', leasedUntil: NOW, sealedBody: 'sealed' },
  });
  await database.db.streamLease.create({ data: { id: freshId(NOW), accountId, expiresAt: NOW } });
  await startReplay(database.db, {
    webhookId: id,
    accountId,
    events: [],
    filter: null,
    since: NOW,
    until: NOW,
    now: NOW,
  });
  await database.db.subscription.createMany({
    data: [number, other].map((trackingNumber) => ({
      ...{ trackingNumber, provider: 'kuaidi100', carrier: 'yto', state: 'active', updatedAt: NOW },
    })),
  });
  await database.db.member.create({
    data: {
      id: freshId(NOW),
      accountId,
      email: `${number.toLowerCase()}@example.com`,
      role: 'admin',
      invitedBy: number,
      createdAt: NOW,
    },
  });
  const entry = { actor: `key ${id}`, action: 'POST /keys', accountId, details: {}, names: { actor: number } };
  await appendAudit(database.db, entry);
  const outage = { provider: `of ${importId}`, failures: 1, reason: 'gone', updatedAt: NOW };
  await database.db.providerPause.create({ data: { ...outage, parcels: [trackingId, number, 'of another'] } });
  return { accountId, testId: companion.id, name, numbers };
}

/** The tables in which a text is somewhere, in any column and of any type; the bytes of files are searched, too. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await queryOnce<{ name: string }>(
    database.url,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'bullmq') ORDER BY 1`,
  );
  const asHex = Buffer.from(text).toString('hex');
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await queryOnce(
      database.url,
      `SELECT 1 FROM ${name} t WHERE t::text LIKE '%${text}%' OR t::text LIKE '%${asHex}%' LIMIT 1`,
    );
    if (rowCount) found.push(name);
  }
  return found;
}

test('an export has every row of the account, and no secret', async () => {
  const [{ accountId, testId, numbers }, { accountId: other }] = [await busyAccount(), await busyAccount()];
  const { code, stdout } = await run('accounts', 'export', accountId);
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { table: string; row: { id: string } });
  const of = (table: string) => lines.filter((line) => line.table === table);
  expect(of('accounts').map(({ row }) => row.id)).toEqual([testId, accountId]);
  expect(new Set(of('trackings').map(({ row }) => row.id)).size).toBe(numbers.length + 1);
  const tables = [
    'messages',
    'delivery_attempts',
    'webhooks',
    'quota_usage',
    'imports',
    'bulk_actions',
    'page_settings',
  ];
  for (const table of [...tables, 'replays'])
    expect([table, of(table).length]).toEqual([table, await countOf(table, accountId)]);
  expect(of('import_rejects').map(({ row }) => row)).toEqual([
    { import_id: of('imports')[0]?.row.id, first_row: 1, csv: `number\n${numbers[1]}\n` },
  ]);
  expect(of('import_chunks').map(({ row }) => row)).toEqual([
    { import_id: of('imports')[0]?.row.id, seq: 0, base64: Buffer.from(`number\n${numbers[1]}\n`).toString('base64') },
  ]);
  expect(stdout).not.toContain(other);
  expect(stdout).not.toMatch(/sealed-secret|key_hash/);
});

async function countOf(table: string, accountId: string): Promise<number> {
  const { rowCount } = await queryOnce(database.url, `SELECT 1 FROM ${table} WHERE account_id = '${accountId}'`);
  return rowCount ?? 0;
}

test('a deleted account leaves nothing in any table but its audit entries, and others keep theirs', async () => {
  const [{ accountId, testId, name, numbers }, other] = [await busyAccount(), await busyAccount()];
  const [number = '', another = ''] = numbers;
  const needles = [accountId, testId, name, number, another];
  // A number of both accounts: the other one still needs its subscription.
  const [, shared = ''] = other.numbers;
  await newTrackings(database.db, accountId, [shared], NOW);
  const places = (texts: string[]) => Promise.all(texts.map((text) => tablesWith(text)));
  const [before, kept] = [await places(needles), await places([other.accountId, other.name, shared])];
  expect(before[0]?.length).toBeGreaterThan(15);
  for (const table of [
    'subscriptions',
    'imports',
    'import_chunks',
    'bulk_actions',
    'idempotency_keys',
    'provider_pauses',
    'members',
    'audit_log',
  ])
    expect(before.flat()).toContain(`public.${table}`);
  await run('accounts', 'disable', accountId);
  const { code, stdout } = await run('accounts', 'delete', accountId, '--confirm', name);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Deleted .*, with .*1502 trackings/)]);
  expect(await places(needles)).toEqual([['public.audit_log'], [], [], [], []]);
  expect(await places([other.accountId, other.name, shared])).toEqual(kept);
  expect(await database.db.providerPause.count({ where: { parcels: { equals: ['of another'] } } })).toBe(1);
  expect(await database.db.check.count()).toBe(await database.db.tracking.count());
  expect((await run('accounts', 'delete', accountId, '--confirm', name)).stderr).toContain('No such account');
});

test('an active account, or one whose name is not confirmed, is not deleted', async () => {
  const { accountId, name } = await busyAccount();
  const active = await run('accounts', 'delete', accountId, '--confirm', name);
  expect([active.code, active.stderr]).toEqual([1, expect.stringContaining('Disable it first')]);
  await run('accounts', 'disable', accountId);
  const other = await run('accounts', 'delete', accountId, '--confirm', 'Other');
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining(`--confirm must be the name of the account, "${name}"`),
  ]);
  expect(await database.db.tracking.count()).toBe(1501);
});

test('a dry run counts, and deletes nothing', async () => {
  const { accountId } = await busyAccount();
  const { stdout } = await run('accounts', 'delete', accountId, '--dry-run', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    dry_run: true,
    rows: { trackings: 1501, webhooks: 1, delivery_attempts: 1 },
  });
  expect(await database.db.tracking.count()).toBe(1501);
});
