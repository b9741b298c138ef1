import { SCOPES } from '@pts/core/account';
import { createOperatorKey, sweepErasures } from '@pts/service/accounts';
import { newTrackings } from '@pts/testing/factories';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { operations, operatorOperations } from './index.ts';

let api: TestApi;
/** The clock for the cache of valid keys. */
let passedMs = 0;
beforeAll(async () => {
  api = await startTestApi({ keyClock: () => Date.now() + passedMs, trustProxy: '1' });
}, 60_000);
afterAll(() => api.close());

const ctx = () => ({ db: api.db, now: () => new Date() });
const newKey = (more: { expires_at?: string; networks?: string[] } = {}) =>
  createOperatorKey(ctx(), { name: 'acme', ...more });
let platform: string;
beforeEach(async () => {
  platform = (await newKey()).operatorKey;
});

const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  api.call(method, `/operator/accounts${path}`, { key: platform, ...(body && { body }), headers });

async function create(more: object = {}) {
  const { status, body } = await call('POST', '', { name: 'Shop', ...more });
  expect([status, body.code]).toEqual([200, 200]);
  return body.data as { account: { id: string }; key: { id: string; key: string } };
}

const worksFor = async (key: string) => {
  passedMs += 1000;
  return (await api.call('GET', '/account', { key })).status;
};

test('a platform creates an account, whose first key works at once, and reads it', async () => {
  const { account, key } = await create({ name: ' 深圳店 ', plan: 'pro', quota_override: 500 });
  const shown = {
    id: account.id,
    name: '深圳店',
    plan: 'pro',
    status: 'active',
    quota_limit: 500,
    quota_override: 500,
  };
  expect(account).toMatchObject({ ...shown, disabled_at: null });
  expect(key).toMatchObject({ key: expect.stringMatching(/^tk_[0-9a-f]{48}$/), scopes: SCOPES, test: false });
  expect(await worksFor(key.key)).toBe(200);
  expect((await call('GET', `/${account.id}`)).body.data).toMatchObject({
    ...shown,
    quota_used: 0,
    quota_remaining: 500,
  });
});

test('what is not given is as by the command line: the plan free, and its quota', async () => {
  expect((await create()).account).toMatchObject({ plan: 'free', quota_limit: 100, quota_override: null });
});

test.each([
  ['name', { name: '  ' }, 'must have 1 to 200 characters'],
  ['name', { name: 'x'.repeat(201) }, '200 characters'],
  ['name', { name: 'Shop\u0085' }, 'no control characters'],
  ['name', { plan: 'pro' }, 'is missing'],
  ['plan', { name: 'Shop', plan: 'gold' }, 'must be one of free, pro, enterprise'],
  ['quota_override', { name: 'Shop', quota_override: -1 }, '0'],
  ['quota', { name: 'Shop', quota: 5 }, 'quota_override'],
])('a wrong %s creates nothing: %j', async (field, body, message) => {
  const before = await api.db.account.count();
  expect(await call('POST', '', body)).toMatchObject({
    status: 400,
    body: { code: 4130, data: { errors: [{ field, message: expect.stringContaining(message) }] } },
  });
  expect(await api.db.account.count()).toBe(before);
});

test('accounts are listed page by page, the oldest first and each once', async () => {
  const ids = [(await create()).account.id, (await create()).account.id, (await create()).account.id].sort();
  const listed: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await call('GET', `?limit=2${cursor && `&cursor=${cursor}`}`);
    const data: { accounts: { id: string }[]; next_cursor: string | null } = page.body.data;
    expect(data.accounts.length).toBeLessThanOrEqual(2);
    listed.push(...data.accounts.map(({ id }) => id));
    cursor = data.next_cursor;
  }
  expect(listed).toEqual([...listed].sort());
  expect(listed.filter((id) => ids.includes(id))).toEqual(ids);
});

test("plan and quota are changed, and a record may be sent back; the plan's quota returns with null", async () => {
  const { account } = await create();
  const change = async (body: object) => (await call('PATCH', `/${account.id}`, body)).body.data;
  expect(await change({ plan: 'pro' })).toMatchObject({ plan: 'pro', quota_limit: 10_000 });
  const changed = await change({ quota_override: 25_000 });
  expect(changed).toMatchObject({ plan: 'pro', quota_limit: 25_000 });
  expect(await change({ ...changed, quota_override: null })).toMatchObject({ quota_limit: 10_000 });
  expect(await call('PATCH', `/${account.id}`, {})).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('send plan or quota_override') },
  });
});

test('units of the month are charged and given back, never beyond the limit', async () => {
  const { account } = await create({ quota_override: 10 });
  const correct = (body: object) => call('POST', `/${account.id}/correct-quota`, { reason: 'ticket 7', ...body });
  expect((await correct({ charge: 8 })).body.data).toMatchObject({ quota_used: 8, quota_remaining: 2 });
  expect(await correct({ charge: 3 })).toMatchObject({
    status: 409,
    body: { message: `Shop (${account.id}) has fewer than 3 units left. Nothing was charged.` },
  });
  expect((await correct({ give_back: 5 })).body.data).toMatchObject({ quota_used: 3 });
  for (const body of [{}, { charge: 1, give_back: 1 }]) expect((await correct(body)).status).toBe(400);
});

test("a disabled account's keys are refused until it is enabled again", async () => {
  const { account, key } = await create();
  expect((await call('POST', `/${account.id}/disable`)).body.data).toMatchObject({ status: 'disabled' });
  expect(await worksFor(key.key)).toBe(401);
  expect((await call('POST', `/${account.id}/enable`)).body.data).toMatchObject({ status: 'active' });
  expect(await worksFor(key.key)).toBe(200);
});

describe('keys of an account', () => {
  test('are created, listed without themselves, revoked and replaced', async () => {
    const { account, key: first } = await create();
    const { data: erp } = (await call('POST', `/${account.id}/keys`, { name: 'ERP', scopes: ['read'] })).body;
    const { key: _secret, ...shown } = erp;
    const { data } = (await call('GET', `/${account.id}/keys`)).body;
    expect(data).toMatchObject({ count: 2, keys: [{ id: first.id }, { ...shown, last_used_at: null }] });
    expect(JSON.stringify(data)).not.toContain(erp.key);
    expect((await call('DELETE', `/${account.id}/keys/${erp.id}`)).body.data).toMatchObject({ id: erp.id });
    expect([await worksFor(erp.key), await worksFor(first.key)]).toEqual([401, 200]);
    const { data: reset } = (await call('POST', `/${account.id}/reset-keys`)).body;
    expect([await worksFor(first.key), await worksFor(reset.key)]).toEqual([401, 200]);
  });

  test('are those of the account in the path only', async () => {
    const [{ account }, { key }] = [await create(), await create()];
    expect(await call('DELETE', `/${account.id}/keys/${key.id}`)).toMatchObject({ status: 404, body: { code: 404 } });
    expect(await worksFor(key.key)).toBe(200);
  });

  test.each([
    ['scopes.0', { scopes: ['operator'] }],
    ['expires_at', { expires_at: '2020-01-01T00:00:00Z' }],
    ['networks.0', { networks: ['localhost'] }],
    ['test', { test: true }],
  ])('are not created with a wrong %s', async (field, body) => {
    const { account } = await create();
    const refused = { status: 400, body: { code: 4130, data: { errors: [{ field }] } } };
    expect(await call('POST', `/${account.id}/keys`, body)).toMatchObject(refused);
    expect(await api.db.apiKey.count({ where: { accountId: account.id } })).toBe(1);
  });
});

describe('a deletion', () => {
  const remove = (id: string, confirm: string) => call('DELETE', `/${id}?confirm=${encodeURIComponent(confirm)}`);

  test('is answered at once, goes on in the background over a kill, and leaves nothing', async () => {
    const { account } = await create({ name: 'Old shop' });
    await newTrackings(api.db, account.id, ['PLATFORM1', 'PLATFORM2'], new Date());
    expect(await remove(account.id, 'Old shop')).toMatchObject({
      status: 409,
      body: { message: `Old shop (${account.id}) is active. Disable it first. Nothing was deleted.` },
    });
    await call('POST', `/${account.id}/disable`);
    expect(await remove(account.id, 'Shop')).toMatchObject({
      status: 400,
      body: { data: { errors: [{ field: 'confirm', message: expect.stringContaining('"Old shop"') }] } },
    });
    expect(await api.db.tracking.count({ where: { accountId: account.id } })).toBe(2);
    expect(await remove(account.id, 'Old shop')).toMatchObject({ status: 202, body: { data: { status: 'deleting' } } });
    expect(await api.db.tracking.count({ where: { accountId: account.id } })).toBe(2);
    expect(await call('POST', `/${account.id}/enable`)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('is being deleted') },
    });
    const sweepUntil = async (at: Date, isStopped: () => boolean) => {
      while ((await sweepErasures({ db: api.db, now: () => at }, isStopped)).more) if (isStopped()) return;
    };
    // The first process is stopped after a page, the second is killed with its claim.
    await sweepUntil(new Date(), () => true);
    expect((await call('GET', `/${account.id}`)).body.data).toMatchObject({ status: 'deleting' });
    const killedAt = new Date(Date.now() + 1000);
    const killed = {
      ...api.db,
      $within: () => {
        throw new Error('killed');
      },
    } as unknown as typeof api.db;
    await expect(sweepErasures({ db: killed, now: () => killedAt }, () => false)).rejects.toThrow('killed');
    await sweepUntil(killedAt, () => false);
    expect((await call('GET', `/${account.id}`)).status).toBe(200);
    await sweepUntil(new Date(killedAt.getTime() + 601_000), () => false);
    expect((await call('GET', `/${account.id}`)).status).toBe(404);
    expect(await api.db.tracking.count({ where: { accountId: account.id } })).toBe(0);
  });
});

test('with an Idempotency-Key, an account is created once, and its key is shown again', async () => {
  const before = await api.db.account.count();
  const once = () => call('POST', '', { name: 'Once' }, { 'Idempotency-Key': 'a-1' });
  const [first, second] = [await once(), await once()];
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('Idempotency-Replayed')).toBe('true');
  expect(await api.db.account.count()).toBe(before + 1);
  expect((await call('POST', '', { name: 'Twice' }, { 'Idempotency-Key': 'a-1' })).status).toBe(409);
});

test('every change is in the audit log, with whose key it was, what was changed, and no name of a person', async () => {
  const { account, key } = await create({ plan: 'pro' });
  await call('GET', `/${account.id}`);
  await call('PATCH', `/${account.id}`, { quota_override: 7 });
  await call('POST', `/${account.id}/correct-quota`, { charge: 1, reason: 'ticket 7' });
  await call('DELETE', `/${account.id}/keys/${key.id}`);
  await call('DELETE', `/${account.id}?confirm=Shop`);
  const kept = await api.db.auditEntry.findMany({ where: { accountId: account.id }, orderBy: { id: 'asc' } });
  const { id: operator_key } = await api.db.operatorKey.findFirstOrThrow({ orderBy: { id: 'desc' } });
  const common = { operator_key: expect.any(String), ip: expect.any(String) };
  expect(operator_key).toMatch(/^[0-9a-f]{24}$/);
  const { id } = account;
  expect(kept.map(({ actor, action, details }) => [actor, action, details])).toEqual([
    ['operator acme', 'POST /operator/accounts', { plan: 'pro', quota_override: null, ...common }],
    ['operator acme', 'PATCH /operator/accounts/:id', { id, quota_override: 7, ...common }],
    ['operator acme', 'POST /operator/accounts/:id/correct-quota', { id, charge: 1, reason: 'ticket 7', ...common }],
    ['operator acme', 'DELETE /operator/accounts/:id/keys/:key_id', { id, key_id: key.id, ...common }],
    ['operator acme', 'DELETE /operator/accounts/:id', { id, ...common }],
  ]);
});

describe('a key of the other kind', () => {
  const pathOf = (path: string) => path.replaceAll(/:\w+/g, 'a'.repeat(24));

  test.each(operatorOperations.map(({ method, path }) => [method.toUpperCase(), path]))(
    'of an account is refused with 403 by %s %s',
    async (method, path) => {
      const { key } = await api.account();
      expect(await api.call(method, pathOf(path), { key })).toMatchObject({
        status: 403,
        body: { code: 403, message: expect.stringMatching(/^An account key cannot manage accounts\..*otk_/) },
      });
    },
  );

  test.each(operations.map(({ method, path }) => [method.toUpperCase(), path]))(
    'of a platform is refused with 403 by %s %s',
    async (method, path) => {
      expect(await api.call(method, pathOf(path), { key: platform })).toMatchObject({
        status: 403,
        body: { code: 403, message: expect.stringMatching(/^An operator key only manages accounts/) },
      });
    },
  );
});

test.each([
  ['missing', undefined, 401, 'The operator key is missing'],
  ['malformed', 'otk_1', 401, 'The operator key is malformed. It must be otk_'],
  ['unknown', `otk_${'0'.repeat(48)}`, 401, 'The operator key is invalid: it does not exist or was revoked.'],
])('a key that is %s is refused', async (_what, key, status, message) => {
  const answer = await api.call('GET', '/operator/accounts', key === undefined ? {} : { key });
  expect(answer).toMatchObject({ status, body: { message: expect.stringContaining(message) } });
});

test('an operator key has an end and networks, is refused once it is revoked, and is stored as a hash', async () => {
  const key = await newKey({ networks: ['203.0.113.0/24'] });
  const from = async (ip: string) => {
    passedMs += 1000;
    const headers = { 'X-Forwarded-For': ip };
    return (await api.call('GET', '/operator/accounts', { key: key.operatorKey, headers })).status;
  };
  expect([await from('203.0.113.9'), await from('203.0.114.9')]).toEqual([200, 403]);
  expect(JSON.stringify(await api.db.operatorKey.findMany())).not.toContain(key.operatorKey.slice(8, 40));
  await api.db.operatorKey.update({ where: { id: key.id }, data: { expiresAt: new Date() } });
  expect(await from('203.0.113.9')).toBe(401);
  await api.db.operatorKey.update({ where: { id: key.id }, data: { expiresAt: null, revokedAt: new Date() } });
  expect(await from('203.0.113.9')).toBe(401);
});

test('where the setting is off, there are no such operations', async () => {
  const off = await startTestApi({ operatorApi: false });
  try {
    const answer = await off.call('GET', '/operator/accounts', { key: platform });
    expect(answer).toMatchObject({ status: 404, body: { code: 404 } });
  } finally {
    await off.close();
  }
});

test('requests are limited by the operator key', async () => {
  const limited = await startTestApi({ limits: ['operator=1'], limitWindowSeconds: 60 });
  try {
    const { operatorKey: key } = await createOperatorKey({ db: limited.db, now: () => new Date() }, { name: 'acme' });
    const statuses = [];
    for (let n = 0; n < 2; n++) statuses.push(await limited.call('GET', '/operator/accounts', { key }));
    expect(statuses.map(({ status }) => status)).toEqual([200, 429]);
    expect(statuses[1]?.body.message).toContain('1 request per second for each operator key');
  } finally {
    await limited.close();
  }
});
