import { randomBytes } from 'node:crypto';
import { findKeyHolder } from '@pts/db/accounts/accounts';
import { storeRegistrations } from '@pts/db/trackings/register';
import { queryOnce } from '@pts/testing/database';
import { databasePerTest } from '../testing/database-per-test.ts';
import { admin, type Ran } from '../testing/run.ts';

const NOW = new Date('2026-03-17T08:00:00Z');

const database = databasePerTest();

const run = (...argv: string[]): Promise<Ran> => database.run(argv, {}, () => NOW);

type Created = { account: { id: string }; key: { id: string; api_key: string; hint: string } };

/** Runs a command that succeeds, and reads its document. */
async function json<T = Record<string, unknown>>(...argv: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...argv, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

const create = (...more: string[]) => json<Created>('accounts', 'create', '--name', 'Shop', ...more);
const opens = async (apiKey: string) => (await findKeyHolder(database.db, apiKey)) !== null;

test('an account is created with a valid key, which is shown only once', async () => {
  const { code, stdout } = await run('accounts', 'create', '--name', '深圳店', '--plan', 'pro');
  expect(code).toBe(0);
  const [apiKey = ''] = stdout.match(/tk_[0-9a-f]{48}/) ?? [];
  expect(await opens(apiKey)).toBe(true);
  expect(stdout).toMatch(/深圳店.*10000 units per month.*shown only once/s);
  const [id = ''] = stdout.match(/\b[0-9a-f]{24}\b/) ?? [];
  const shown = await run('accounts', 'show', id);
  expect(shown.stdout).toContain(`${apiKey.slice(0, 7)}…${apiKey.slice(-4)}`);
  expect(shown.stdout).not.toContain(apiKey);
});

test("an account is shown with the month's quota as the deployment sets it, and all its keys", async () => {
  const { account, key } = await create();
  const registrations = ['SBXEXPRESS1', 'SBXEXPRESS2'].map((trackingNumber) => ({
    trackingNumber,
    carrier: 'sandbox',
    provider: 'sandbox',
    detected: true,
  }));
  await storeRegistrations(database.db, { accountId: account.id, quotaLimit: 100, registrations, now: NOW });
  const env = { DATABASE_URL: database.url, QUOTA_FREE: '50' };
  const shown = await admin(['accounts', 'show', account.id, '--json'], env, () => NOW);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    account: { quota_limit: 50, quota_used: 2, quota_remaining: 48, resets_at: '2026-04-01T00:00:00Z' },
    keys: [{ id: key.id, hint: key.hint, revoked_at: null }],
  });
  expect((await run('accounts', 'show', account.id)).stdout).toMatch(/Used +2, 98 left until 2026-04-01T00:00:00Z/);
});

test('the keys of a disabled account are refused until it is enabled again', async () => {
  const { account, key } = await create();
  expect((await run('accounts', 'disable', account.id)).stdout).toMatch(/is disabled.* still checked and pushed/);
  expect(await opens(key.api_key)).toBe(false);
  expect(await json('accounts', 'show', account.id)).toMatchObject({
    account: { status: 'disabled', disabled_at: '2026-03-17T08:00:00Z' },
  });
  expect((await run('accounts', 'enable', account.id)).stdout).toContain('is enabled');
  expect(await opens(key.api_key)).toBe(true);
});

test("a plan brings its units, unless the account has its own; `plan` goes back to the plan's", async () => {
  const { account } = await create();
  const limits = async (...argv: string[]) =>
    (await json<{ account: { quota_limit: number } }>('accounts', argv[0] ?? '', account.id, argv[1] ?? '')).account
      .quota_limit;
  expect(await limits('set-plan', 'pro')).toBe(10_000);
  expect(await limits('set-quota', '25000')).toBe(25_000);
  expect(await limits('set-plan', 'free')).toBe(25_000);
  expect(await limits('set-quota', 'plan')).toBe(100);
  expect(await limits('set-quota', '0')).toBe(0);
});

test('a revoked key is refused, the others still work', async () => {
  const { account, key } = await create();
  const more = await json<Created>('keys', 'create', account.id);
  expect(await json('keys', 'revoke', key.id)).toMatchObject({ key: { revoked_at: '2026-03-17T08:00:00Z' } });
  expect([await opens(key.api_key), await opens(more.key.api_key)]).toEqual([false, true]);
  expect(await run('keys', 'revoke', key.id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No such active key'),
  });
});

test('a key is created with a name, scopes, an end and networks, which `accounts show` lists', async () => {
  const { account } = await create();
  const options = ['--name', 'ERP', '--scopes', 'read,write', '--expires', '2026-04-01T00:00:00+08:00'];
  const { key } = await json<Created>('keys', 'create', account.id, ...options, '--networks', '10.1.2.3/8, ::1');
  const shown = {
    name: 'ERP',
    scopes: ['read', 'write'],
    expires_at: '2026-03-31T16:00:00Z',
    networks: ['10.0.0.0/8', '::1/128'],
  };
  expect(key).toMatchObject({ api_key: expect.stringMatching(/^tk_/), ...shown });
  const { keys } = await json<{ keys: object[] }>('accounts', 'show', account.id);
  expect(keys).toHaveLength(2);
  expect(keys).toContainEqual(expect.objectContaining({ ...shown, last_used_at: null, revoked_at: null }));
  expect(keys).toContainEqual(expect.objectContaining({ scopes: ['read', 'write', 'webhooks', 'admin'] }));
  const { stdout } = await run('accounts', 'show', account.id);
  expect(stdout).toMatch(/ERP +read,write +10\.0\.0\.0\/8,::1\/128 +2026-03-31T16:00:00Z/);
});

test.each([
  ['--scopes', 'read,owner', /^--scopes must be one of read, write, webhooks, admin, not "owner"/],
  ['--expires', '2026-03-01T00:00:00Z', /^Invalid: --expires must be in the future\./],
  ['--networks', '10.0.0.0/40', /^Invalid: --networks must be an address or a CIDR range/],
])('a key with %s %s is refused, and none is created', async (option, value, message) => {
  const { account } = await create();
  const { code, stderr } = await run('keys', 'create', account.id, option, value);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(await database.db.apiKey.count()).toBe(1);
});

test('a database that lets the role do nothing, or takes no writes, is named with the reason and without a stack', async () => {
  const role = `nobody_${randomBytes(4).toString('hex')}`;
  const reason = (text: string) =>
    new RegExp(`^The database at .* cannot be used: .*${text}.*\\. For details, run \`doctor\`\\.\n$`);
  await queryOnce(database.url, `CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
  try {
    const url = Object.assign(new URL(database.url), { username: role, password: 'x' });
    const read = await admin(['accounts', 'list'], { DATABASE_URL: url.href });
    expect([read.code, read.stderr]).toEqual([
      1,
      expect.stringMatching(reason('permission denied for table accounts')),
    ]);
  } finally {
    await queryOnce(database.url, `DROP ROLE ${role}`);
  }
  const name = new URL(database.url).pathname.slice(1);
  await queryOnce(database.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const written = await run('accounts', 'create', '--name', 'Shop');
  expect([written.code, written.stderr]).toEqual([1, expect.stringMatching(reason('read-only transaction'))]);
});

describe('a correction of the quota', () => {
  const used = async (id: string) => (await database.db.quotaUsage.findFirst({ where: { accountId: id } }))?.used;
  const correct = (id: string, ...more: string[]) =>
    run('accounts', 'correct-quota', id, '--reason', 'ticket 7', ...more);

  test('gives units back or charges them, never below zero nor beyond the limit, with a reason in the audit log', async () => {
    const { account } = await create('--quota', '10');
    expect(await json('accounts', 'correct-quota', account.id, '--charge', '8', '--reason', 'migrated')).toEqual({
      account: { id: account.id, quota_used: 8, quota_remaining: 2, resets_at: '2026-04-01T00:00:00Z' },
    });
    const refused = await correct(account.id, '--charge', '3');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('fewer than 3 units left')]);
    expect(await used(account.id)).toBe(8);
    expect((await correct(account.id, '--give-back', '5')).stdout).toContain('has used 3 units, 7 left');
    await correct(account.id, '--give-back', '5');
    expect(await used(account.id)).toBe(0);
    const kept = await database.db.auditEntry.findMany({
      where: { action: 'accounts correct-quota' },
      orderBy: { id: 'asc' },
    });
    expect(kept.map(({ accountId, details }) => [accountId, details])).toEqual([
      [account.id, { id: account.id, charge: '8', reason: 'migrated' }],
      ...Array(2).fill([account.id, { id: account.id, 'give-back': '5', reason: 'ticket 7' }]),
    ]);
  });
});
