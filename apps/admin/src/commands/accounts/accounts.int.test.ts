import { randomBytes } from 'node:crypto';
import { findKeyHolder } from '@pts/db/accounts/keys';
import { storeRegistrations } from '@pts/db/trackings/register';
import { emptyDatabase, queryOnce } from '@pts/testing/database';
import { databasePerTest } from '../../testing/database-per-test.ts';
import { admin, type Ran } from '../../testing/run.ts';

const NOW = new Date('2026-03-17T08:00:00Z');
const NO_SUCH_ID = '69a463e0a1b2c3d4e5f60718';

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

test('the document of a new account', async () => {
  const { account, key } = await create('--plan', 'enterprise', '--quota', '7');
  expect(account).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    name: 'Shop',
    plan: 'enterprise',
    status: 'active',
    quota_limit: 7,
    quota_override: 7,
    disabled_at: null,
    created_at: expect.stringMatching(/Z$/),
  });
  expect(key).toMatchObject({
    id: expect.any(String),
    api_key: expect.stringMatching(/^tk_/),
    hint: expect.any(String),
  });
});

test('the list has all accounts, the oldest first', async () => {
  expect((await run('accounts', 'list')).stdout).toBe('There are no accounts.\n');
  const first = await create();
  const second = await create('--plan', 'pro');
  const { accounts } = await json<{ accounts: { id: string }[] }>('accounts', 'list');
  expect(accounts.map(({ id }) => id)).toEqual([first.account.id, second.account.id]);
  const { stdout } = await run('accounts', 'list');
  expect(stdout).toMatch(/^ID +NAME +PLAN.*free +100 +active.*pro +10000 +active/s);
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

test('disabling twice keeps the first time', async () => {
  const { account } = await create();
  await run('accounts', 'disable', account.id);
  await database.run(['accounts', 'disable', account.id], {}, () => new Date());
  expect(await json('accounts', 'show', account.id)).toMatchObject({
    account: { disabled_at: '2026-03-17T08:00:00Z' },
  });
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

test('an additional key works like the first one', async () => {
  const { account, key } = await create();
  const more = await json<Created>('keys', 'create', account.id);
  expect([await opens(key.api_key), await opens(more.key.api_key)]).toEqual([true, true]);
});

test('a reset leaves one key, a new one', async () => {
  const { account, key } = await create();
  const { stdout } = await run('keys', 'reset', account.id);
  const [apiKey = ''] = stdout.match(/tk_[0-9a-f]{48}/) ?? [];
  expect([await opens(key.api_key), await opens(apiKey)]).toEqual([false, true]);
  expect(stdout).toContain('shown only once');
});

test('a reset of a test account leaves a test key', async () => {
  const { account } = await create();
  const { account: companion } = await create();
  await database.db.account.update({ where: { id: companion.id }, data: { testOf: account.id } });
  const { key } = await json<Created>('keys', 'reset', companion.id);
  expect(key.api_key).toMatch(/^tk_test_/);
  expect(await opens(key.api_key)).toBe(true);
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

test.each([
  ['accounts show'],
  ['accounts disable'],
  ['accounts enable'],
  ['accounts set-plan', 'pro'],
  ['accounts set-quota', '5'],
  ['keys create'],
  ['keys reset'],
])('%s of an unknown account is refused with a clear message', async (name, ...more) => {
  const { code, stdout, stderr } = await run(...name.split(' '), NO_SUCH_ID, ...more);
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    `No such account: ${NO_SUCH_ID}. \`accounts list\` lists all accounts.\n`,
  ]);
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
  ['--scopes', 'read,owner', /No such scope: "owner"/],
  ['--expires', '2026-03-01T00:00:00Z', /^Invalid: --expires must be in the future\./],
  ['--networks', '10.0.0.0/40', /^Invalid: --networks must be an address or a CIDR range/],
])('a key with %s %s is refused, and none is created', async (option, value, message) => {
  const { account } = await create();
  const { code, stderr } = await run('keys', 'create', account.id, option, value);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(await database.db.apiKey.count()).toBe(1);
});

test('a database without tables asks to be migrated', async () => {
  const empty = await emptyDatabase();
  try {
    const { code, stderr } = await admin(['accounts', 'list'], { DATABASE_URL: empty.url });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database at .* Run `npm run migrate` first\.\n$/)]);
    const queues = await admin(['queues', 'depth'], { DATABASE_URL: empty.url });
    expect([queues.code, queues.stderr]).toEqual([1, stderr]);
  } finally {
    await empty.close();
  }
});

test('a database that lets the role do nothing, or takes no writes, is named with the reason and without a stack', async () => {
  const role = `nobody_${randomBytes(4).toString('hex')}`;
  const reason = (text: string) =>
    new RegExp(`^The database at .* cannot be used: .*${text}.*\\. \`doctor\` says more\\.\n$`);
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

test('an unreachable database is named, without the password', async () => {
  const url = new URL(database.url);
  url.pathname = '/no_such_database';
  url.password = 's3cret-pass';
  const { code, stderr } = await admin(['accounts', 'list'], { DATABASE_URL: url.href });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The database at .*no_such_database cannot be used: .*\n$/);
  expect(stderr).not.toContain('s3cret');
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

  test('gives units back also where the quota was lowered below what is used', async () => {
    const { account } = await create('--quota', '10');
    await correct(account.id, '--charge', '8');
    await run('accounts', 'set-quota', account.id, '5');
    await correct(account.id, '--give-back', '1');
    expect(await used(account.id)).toBe(7);
    expect((await correct(account.id, '--charge', '1')).code).toBe(1);
  });

  test('must say how many units, and why', async () => {
    const { account } = await create();
    expect((await correct(account.id)).stderr).toContain('--give-back N or --charge N');
    const silent = await run('accounts', 'correct-quota', account.id, '--give-back', '1');
    expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining('needs --reason')]);
  });
});

test('the keys of an account are listed; revoked ones if asked for', async () => {
  const { account, key } = await create();
  await run('keys', 'create', account.id, '--name', 'ERP', '--scopes', 'read');
  await run('keys', 'revoke', key.id);
  type Listed = { keys: { id: string; name: string | null; test: boolean }[] };
  const { keys } = await json<Listed>('keys', 'list', account.id);
  expect(keys).toEqual([expect.objectContaining({ name: 'ERP', scopes: ['read'], test: false })]);
  expect((await json<Listed>('keys', 'list', account.id, '--revoked')).keys).toHaveLength(2);
  const [entry] = await database.db.auditEntry.findMany({ where: { action: 'keys revoke' } });
  expect(entry?.accountId).toBe(account.id);
});
