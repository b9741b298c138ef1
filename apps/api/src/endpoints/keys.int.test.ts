import { SCOPES, type Scope } from '@pts/core/account';
import { toUtcSeconds } from '@pts/core/time';
import { findKeyHolder, listKeys } from '@pts/db/accounts/accounts';
import { createKey, resetKeys } from '@pts/service/accounts';
import { eventually } from '@pts/testing/eventually';
import { compatV4 } from '../compat-v4.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import { operations } from './index.ts';

let api: TestApi;
/** The clock for the cache of valid keys, and the time in which they expire. */
let passedMs = 0;
beforeAll(async () => {
  const now = () => new Date(Date.now() + passedMs);
  api = await startTestApi({ trustProxy: '1', keyClock: () => Date.now() + passedMs, now });
}, 60_000);
afterAll(() => api.close());

const inMs = (ms: number) => toUtcSeconds(new Date(Date.now() + passedMs + ms));
const HOUR_MS = 3_600_000;
const create = (key: string, body: object) => api.call('POST', '/keys', { key, body });
const list = async (key: string) => (await api.call('GET', '/keys', { key })).body.data;

test('a key is created with a scope, an end and networks, shown once, and listed without the key itself', async () => {
  const { key } = await api.account();
  const wanted = {
    name: 'ERP',
    scopes: ['read', 'write'],
    expires_at: inMs(HOUR_MS),
    networks: ['203.0.113.7/24', '2001:db8::/32'],
  };
  const { status, body } = await create(key, wanted);
  const { key: secret, ...created } = body.data;
  expect([status, created]).toMatchObject([200, { ...wanted, networks: ['203.0.113.0/24', '2001:db8::/32'] }]);
  const { count, keys } = await list(key);
  expect([count, keys[0]]).toMatchObject([2, { is_current: true, scopes: SCOPES, expires_at: null, networks: [] }]);
  expect(keys[1]).toEqual({ ...created, last_used_at: null, is_current: false });
  const from = (ip: string) => api.call('GET', '/auth/me', { key: secret, headers: { 'X-Forwarded-For': ip } });
  expect((await from('203.0.113.99')).body.data.key).toEqual(created);
  expect((await from('2001:db8:1::5')).status).toBe(200);
  expect(await from('203.0.114.1')).toMatchObject({
    status: 403,
    body: { code: 403, message: expect.stringContaining('cannot be used from 203.0.114.1') },
  });
});

test('a key that was revoked after its request was authenticated creates no other key', async () => {
  const { id, key } = await api.account();
  const holder = await findKeyHolder(api.db, key);
  if (!holder) throw new Error('the key is not known');
  const ctx = { db: api.db, hasTestMode: true, now: () => new Date() };
  const { id: only } = await resetKeys(ctx, { id });
  for (const test of [false, true])
    await expect(createKey(ctx, holder, { scopes: ['read'], test })).rejects.toMatchObject({ error: 'unauthorized' });
  expect((await listKeys(api.db, id)).map((each) => each.id)).toEqual([only]);
});

test('creating and revoking keys is kept in the audit log, with the key that did it and the one that was created, and reading them is not', async () => {
  const { id, key } = await api.account();
  const { data } = (await create(key, { name: 'ERP', scopes: ['read'] })).body;
  await list(key);
  await api.call('DELETE', `/keys/${data.id}`, { key });
  const kept = await api.db.auditEntry.findMany({ where: { accountId: id }, orderBy: { id: 'asc' } });
  const [{ id: keyId } = { id: '' }] = await api.db.apiKey.findMany({
    where: { accountId: id },
    orderBy: { createdAt: 'asc' },
  });
  expect(kept.map(({ actor, action, details }) => [actor, action, details])).toEqual([
    [`key ${keyId}`, 'POST /keys', { id: data.id, ip: expect.any(String) }],
    [`key ${keyId}`, 'DELETE /keys/:id', { id: data.id, ip: expect.any(String) }],
  ]);
});

const V1 = operations.map((entry) => ({ ...entry, base: '/api/v1' }));
const V4 = compatV4.map((entry) => ({ ...entry, base: '/v4' }));
const scoped = [...V1, ...V4].map(({ base, method, path, scope }) => ({
  method: method.toUpperCase(),
  path: `${base}${path.replaceAll(/:\w+/g, 'a'.repeat(24))}`,
  scope,
}));

describe.each(SCOPES)('without the scope %s', (scope) => {
  const needing = scoped.filter((operation) => operation.scope === scope);

  test('a key gets a 403 with its name from every operation that needs it, and nothing happens', async () => {
    const { id, key: full } = await api.account();
    const { apiKey: key } = await api.key(id, { scopes: SCOPES.filter((each) => each !== scope) });
    expect(needing.length).toBeGreaterThan(2);
    for (const { method, path } of needing) {
      const answer = await api.call(method, `${api.url}${path}`, { key });
      const { code, message } = (answer.body as { meta: unknown }).meta as { code: number; message: string };
      const said = path.startsWith('/v4') ? { code, message } : answer.body;
      expect([path, answer.status, said]).toMatchObject([
        path,
        403,
        { code: 403, message: expect.stringContaining(`needs the scope ${scope},`) },
      ]);
    }
    expect((await list(full)).count).toBe(2);
  });

  test('no other operation refuses it for that', async () => {
    const { id } = await api.account();
    const { apiKey: key } = await api.key(id, { scopes: SCOPES.filter((each) => each !== scope) });
    const others = scoped.filter((operation) => operation.scope !== scope && operation.method === 'GET');
    for (const { path } of others) {
      const response = await fetch(`${api.url}${path}`, { headers: { 'X-API-Key': key } });
      await response.body?.cancel();
      expect([path, response.status]).not.toEqual([path, 403]);
    }
  });
});

test('a key past its end gets a 401 that says so, everywhere and at once', async () => {
  const { id } = await api.account();
  const { apiKey: key } = await api.key(id, { scopes: ['read'], expires_at: inMs(HOUR_MS) });
  expect((await api.call('GET', '/account', { key })).status).toBe(200);
  passedMs += HOUR_MS + 1000;
  for (const path of ['/account', '/auth/me'])
    expect(await api.call('GET', path, { key })).toMatchObject({
      status: 401,
      body: { code: 401, message: expect.stringMatching(/^The API key expired at .*Z\./) },
    });
});

test('a key grants no more than it has, and the account gets no key then', async () => {
  const { id, key: full } = await api.account();
  const limits = { scopes: ['admin', 'read'] as Scope[], expires_at: inMs(HOUR_MS), networks: ['127.0.0.0/8'] };
  const { apiKey: key } = await api.key(id, limits);
  const tries = [
    [{ ...limits, scopes: ['read', 'write'] }, 'scopes', /lacks write/],
    [{ ...limits, expires_at: inMs(2 * HOUR_MS) }, 'expires_at', /must not be after/],
    [{ ...limits, expires_at: undefined }, 'expires_at', /must not be after/],
    [{ ...limits, networks: ['0.0.0.0/0'] }, 'networks', /must lie within.*127\.0\.0\.0\/8/],
    [{ scopes: [] }, 'scopes', /must not be empty/],
    [{ scopes: ['owner'] }, 'scopes.0', /must be one of read, write, webhooks, admin/],
    [{ ...limits, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', /must be in the future/],
    [{ ...limits, networks: undefined, network: limits.networks }, 'network', /is unknown: send it as networks/],
    [{ ...limits, expires_at: undefined, expires: limits.expires_at }, 'expires', /is unknown: send it as expires_at/],
    [{ ...limits, ttl: 60 }, 'ttl', /is not a field of this request; it has name, scopes, test, expires_at, networks/],
    [{ ...limits, networks: ['127.0.0.1', 'localhost'] }, 'networks.1', /must be an address or a CIDR range/],
  ] as const;
  const from = { 'X-Forwarded-For': '127.0.0.1' };
  for (const [body, field, message] of tries) {
    const answer = await api.call('POST', '/keys', { key, body, headers: from });
    expect(answer).toMatchObject({ status: 400, body: { code: 4130, data: { errors: [{ field }] } } });
    expect(answer.body.message).toMatch(message);
  }
  expect((await list(full)).count).toBe(2);
  expect((await api.call('POST', '/keys', { key, body: limits, headers: from })).status).toBe(200);
});

test('a revoked key is refused within a second, and an unknown or foreign one is not found', async () => {
  const [{ id, key }, stranger] = [await api.account(), await api.account()];
  const other = await api.key(id, { scopes: ['read'] });
  expect((await api.call('GET', '/auth/me', { key: other.apiKey })).status).toBe(200);
  expect((await api.call('DELETE', `/keys/${other.id}`, { key: stranger.key })).status).toBe(404);
  const { status, body } = await api.call('DELETE', `/keys/${other.id}`, { key });
  expect([status, body.data]).toEqual([200, { id: other.id, revoked_at: expect.any(String) }]);
  passedMs += 1000;
  expect((await api.call('GET', '/auth/me', { key: other.apiKey })).status).toBe(401);
  expect((await api.call('DELETE', `/keys/${other.id}`, { key })).status).toBe(404);
  expect((await list(key)).count).toBe(1);
});

describe('the last admin key', () => {
  const idOf = async (key: string) => (await api.call('GET', '/auth/me', { key })).body.data.key.id;
  const refused = { status: 409, body: { code: 409, message: expect.stringContaining('only key of the account') } };

  test('cannot revoke itself, however many others lack that scope or have expired', async () => {
    const { id, key } = await api.account();
    await api.key(id, { scopes: ['read', 'write', 'webhooks'] });
    await api.key(id, { scopes: ['admin'], expires_at: inMs(HOUR_MS) });
    passedMs += HOUR_MS + 1000;
    const own = await idOf(key);
    expect(await api.call('DELETE', `/keys/${own}`, { key })).toMatchObject(refused);
    await api.key(id, { scopes: ['admin'] });
    expect((await api.call('DELETE', `/keys/${own}`, { key })).status).toBe(200);
  });

  test('is left when two revoke each other at the same time', async () => {
    const { id, key } = await api.account();
    const other = await api.key(id, { scopes: ['admin'] });
    const keyId = await idOf(key);
    const answers = await Promise.all([
      api.call('DELETE', `/keys/${other.id}`, { key }),
      api.call('DELETE', `/keys/${keyId}`, { key: other.apiKey }),
    ]);
    const [first, second] = answers.map(({ status }) => status).sort();
    // On a busy machine, one of them may be revoked before its request is looked at.
    expect([first, [401, 409].includes(second ?? 0)]).toEqual([200, true]);
    expect(await api.db.apiKey.count({ where: { accountId: id, revokedAt: null } })).toBe(1);
  });
});

test('the last use of a key is recorded, at most once in five minutes', async () => {
  const { id, key: admin } = await api.account();
  const { id: keyId, apiKey: key } = await api.key(id, { scopes: ['read'] });
  const lastUsed = async () => {
    const { keys } = await list(admin);
    return (keys as { id: string; last_used_at: string }[]).find((each) => each.id === keyId)?.last_used_at ?? null;
  };
  const use = async (afterMs: number) => {
    passedMs += afterMs;
    expect((await api.call('GET', '/account', { key })).status).toBe(200);
  };
  const writes = () => api.db.$queryRaw`SELECT xmin::text FROM public.api_keys WHERE id = ${keyId}`;
  await use(0);
  await eventually(async () => expect(await lastUsed()).not.toBeNull());
  const [first, written] = [await lastUsed(), await writes()];
  for (let n = 0; n < 4; n++) await use(60_000);
  expect([await lastUsed(), await writes()]).toEqual([first, written]);
  await use(60_001);
  await eventually(async () => expect(await lastUsed()).not.toBe(first));
});

test('an account has at most 100 keys, and a revoked one makes room', async () => {
  const { id, key } = await api.account();
  const keys = await Promise.all(Array.from({ length: 99 }, () => api.key(id, { scopes: ['read'] })));
  const refused = await create(key, { scopes: ['read'] });
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 4130, message: expect.stringContaining('limit of 100') },
  });
  expect((await api.call('DELETE', `/keys/${keys[0]?.id}`, { key })).status).toBe(200);
  expect((await create(key, { scopes: ['read'] })).status).toBe(200);
});
