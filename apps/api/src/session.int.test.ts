import { ROLES, type Role, SESSION_HOURS } from '@pts/core/account';
import { testDatabase } from '@pts/testing/database';
import { type IdentityProvider, startIdentityProvider } from '@pts/testing/identity-provider';
import { startTestApi, type TestApi } from './testing/test-api.ts';

let provider: IdentityProvider;
let database: Awaited<ReturnType<typeof testDatabase>>;
let api: TestApi;
let passedMs = 0;
/** Under https, so that the cookie has the prefix that binds it to its host. */
const BASE_URL = 'https://parcels.example/eu';

beforeAll(async () => {
  provider = await startIdentityProvider();
  const { issuer, clientId, clientSecret } = provider;
  const oidc = { issuer, clientId, clientSecret, name: 'Okta', baseUrl: BASE_URL };
  const now = () => new Date(Date.now() + passedMs);
  database = await testDatabase();
  api = await startTestApi({ databaseUrl: database.url, oidc, keyClock: () => Date.now() + passedMs, now });
}, 60_000);
afterAll(async () => {
  await api.close();
  await database.close();
  await provider.close();
});
beforeEach(() => {
  Object.assign(provider, { person: {}, userInfo: {}, error: null, isAway: false });
});

let count = 0;
const person = (more: object = {}) => {
  const n = ++count;
  return { sub: `person-${n}`, email: `Person-${n}@Example.com`, email_verified: true, name: `Person ${n}`, ...more };
};
const addressOf = ({ email }: { email: string }) => email.toLowerCase();

/** A browser: it keeps cookies, and reaches the installation at its own address. */
function browser() {
  const cookies = new Map<string, string>();
  const open = async (address: string, init: RequestInit = {}) => {
    const isOurs = address.startsWith(BASE_URL);
    const headers = {
      ...init.headers,
      ...(isOurs ? { Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') } : {}),
    };
    const response = await fetch(address.replace(BASE_URL, api.url), { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      expect(set).toMatch(/; Path=\/; .*HttpOnly; Secure; SameSite=Lax/);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const follow = async (response: Response): Promise<string> => {
    const to = response.headers.get('Location');
    if (response.status !== 302 || to === null) throw new Error(`no redirection: ${response.status}`);
    return to;
  };
  const read = async () => (await (await open(`${BASE_URL}/session`)).json()).data;
  /** Goes to the provider and back, as far as the console. @param change what comes back from the provider. */
  const signIn = async (change: (back: URL) => void = () => {}, to = '') => {
    const back = new URL(await follow(await open(await follow(await open(`${BASE_URL}/session/oidc?to=${to}`)))));
    change(back);
    return follow(await open(back.href));
  };
  const choose = async (accountId: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ account_id: accountId });
    const response = await open(`${BASE_URL}/session`, { method: 'POST', headers, body });
    return { status: response.status, body: await response.json() };
  };
  return { open, read, signIn, choose, cookies };
}

const invite = (key: string, email: string, role: Role = 'editor') =>
  api.call('POST', '/account/members', { key, body: { email, role } });

async function signedIn(key: string, accountId: string, role: Role) {
  const who = person();
  const { data: member } = (await invite(key, who.email, role)).body;
  provider.person = who;
  const tab = browser();
  await tab.signIn();
  const { token } = (await tab.choose(accountId)).body.data;
  return { who, member, token, tab };
}

test('a member signs in, and may do what the role allows, for some hours', async () => {
  const { id, key } = await api.account();
  const who = person();
  expect((await invite(key, ` ${who.email} `)).body.data).toMatchObject({
    email: addressOf(who),
    last_sign_in_at: null,
  });
  provider.person = who;
  const tab = browser();
  expect(await tab.read()).toEqual({ sign_in: { name: 'Okta' }, person: null, problem: null });
  expect(await tab.signIn(undefined, '/eu/console/shipments')).toBe(`${BASE_URL}/console/shipments`);
  expect([...tab.cookies.keys()]).toEqual(['__Host-pts-sign-in']);
  expect([...tab.cookies.values()].join()).not.toContain('erson');
  const account = { id, name: 'merchant', role: 'editor' };
  expect((await tab.read()).person).toEqual({ email: addressOf(who), name: who.name, accounts: [account] });
  const { status, body } = await tab.choose(id);
  const { token } = body.data;
  expect([status, body.data]).toMatchObject([
    200,
    { token: expect.stringMatching(/^tk_session_[0-9a-f]{48}$/), account },
  ]);
  const me = (await api.call('GET', '/auth/me', { key: token })).body.data;
  expect(me).toMatchObject({
    account_id: id,
    member: { email: addressOf(who), name: who.name, role: 'editor' },
    key: { scopes: ROLES.editor },
  });
  expect((await api.call('GET', '/shipments', { key: token })).status).toBe(200);
  expect((await api.call('GET', '/keys', { key: token })).body).toMatchObject({
    code: 403,
    message: expect.stringMatching(/^This operation needs the scope admin,/),
  });
  passedMs += SESSION_HOURS * 3_600_000 + 1000;
  expect((await api.call('GET', '/auth/me', { key: token })).body).toMatchObject({
    code: 401,
    message: 'Your session has ended. Sign in again.',
  });
});

test('a session is given once, to the browser that has signed in', async () => {
  const { id, key } = await api.account();
  const who = person();
  await invite(key, who.email);
  provider.person = who;
  const tab = browser();
  expect((await tab.choose(id)).status).toBe(401);
  await tab.signIn();
  const stolen = [...tab.cookies];
  expect((await tab.choose((await api.account()).id)).status).toBe(401);
  for (const [name, value] of stolen) tab.cookies.set(name, value);
  expect((await tab.choose(id)).status).toBe(200);
  expect(tab.cookies.size).toBe(0);
  for (const [name, value] of stolen) tab.cookies.set(name, value);
  expect((await tab.choose(id)).status).toBe(401);
});

test('sessions are no keys of the account, and sign-out ends one', async () => {
  const { id, key } = await api.account();
  const { token, tab } = await signedIn(key, id, 'admin');
  expect((await api.call('GET', '/keys', { key: token })).body.data).toMatchObject({
    count: 1,
    keys: [{ is_current: false }],
  });
  const created = await api.call('POST', '/keys', { key: token, body: { name: 'ERP', scopes: ['read'] } });
  expect(created.body.data).toMatchObject({ expires_at: null });
  const signOut = (apiKey: string) =>
    tab.open(`${BASE_URL}/session`, { method: 'DELETE', headers: { 'X-API-Key': apiKey } });
  expect((await signOut(key)).status).toBe(400);
  expect((await signOut(token)).status).toBe(200);
  passedMs += 1000;
  expect((await api.call('GET', '/auth/me', { key: token })).status).toBe(401);
  expect((await api.call('GET', '/auth/me', { key })).status).toBe(200);
});

test.each([
  ['removing', (id: string, key: string) => api.call('DELETE', `/account/members/${id}`, { key })],
  [
    'another role for',
    (id: string, key: string) => api.call('PATCH', `/account/members/${id}`, { key, body: { role: 'viewer' } }),
  ],
])('%s a member ends the sessions of that member within a second', async (_, change) => {
  const { id, key } = await api.account();
  const [one, other] = [await signedIn(key, id, 'developer'), await signedIn(key, id, 'developer')];
  expect((await change(one.member.id, key)).status).toBe(200);
  passedMs += 1000;
  expect((await api.call('GET', '/auth/me', { key: one.token })).status).toBe(401);
  expect((await api.call('GET', '/auth/me', { key: other.token })).status).toBe(200);
});

test('the last administrator can neither be removed nor get another role, also not by both of two at once', async () => {
  const { id, key } = await api.account();
  const [one, other] = [await signedIn(key, id, 'admin'), await signedIn(key, id, 'admin')];
  const answers = await Promise.all([
    api.call('DELETE', `/account/members/${other.member.id}`, { key: one.token }),
    api.call('DELETE', `/account/members/${one.member.id}`, { key: other.token }),
  ]);
  expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
  const [last] = (await api.call('GET', '/account/members', { key })).body.data.members;
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { role: 'developer' }],
  ] as const)
    expect(await api.call(method, `/account/members/${last.id}`, { key, body })).toMatchObject({ status: 409 });
});

test('a person who is a member of several accounts chooses one', async () => {
  const [one, other, disabled] = [await api.account(), await api.account(), await api.account()];
  const who = person();
  for (const { key } of [one, other, disabled]) await invite(key, who.email, 'viewer');
  await api.db.account.update({ where: { id: disabled.id }, data: { disabledAt: new Date() } });
  provider.person = who;
  const tab = browser();
  await tab.signIn();
  expect((await tab.read()).person.accounts.map(({ id }: { id: string }) => id).sort()).toEqual(
    [one.id, other.id].sort(),
  );
  expect((await tab.choose(disabled.id)).status).toBe(401);
  await tab.signIn();
  const { token } = (await tab.choose(other.id)).body.data;
  expect((await api.call('GET', '/auth/me', { key: token })).body.data.account_id).toBe(other.id);
});

test.each([
  ['Microsoft Entra', { email_verified: undefined, xms_edov: '1' }],
  ['a text', { email_verified: 'true' }],
])('an address is also verified by the claim of %s', async (_, claims) => {
  const { id, key } = await api.account();
  const who = person();
  await invite(key, who.email);
  Object.assign(provider, { person: { ...who, ...claims } });
  const tab = browser();
  await tab.signIn();
  expect((await tab.choose(id)).status).toBe(200);
});

test('an address that the provider states only on request, and one that has changed since, are of the same person', async () => {
  const { id, key } = await api.account();
  const { email, email_verified, ...who } = person();
  await invite(key, email);
  Object.assign(provider, { person: who, userInfo: { email, email_verified } });
  const tab = browser();
  await tab.signIn();
  expect((await tab.choose(id)).status).toBe(200);
  provider.userInfo = { email: 'married@example.com', email_verified: true };
  await tab.signIn();
  expect((await tab.choose(id)).status).toBe(200);
});

describe('a sign-in is refused, with the reason once,', () => {
  const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
  const cases: [
    string,
    string,
    { claims?: object; change?: (back: URL) => void; error?: string; invited?: boolean },
  ][] = [
    ['of somebody who is no member', 'no_account', { invited: false }],
    ['for an address that is not verified', 'unverified', { claims: { email_verified: false } }],
    ['for an address of which nothing is said', 'unverified', { claims: { email_verified: undefined } }],
    ['for an address in a domain of another', 'unverified', { claims: { email_verified: undefined, xms_edov: false } }],
    ['without an address', 'unverified', { claims: { email: undefined } }],
    ['with another state', 'failed', { change: (back) => back.searchParams.set('state', 'x') }],
    ['with another code', 'failed', { change: (back) => back.searchParams.set('code', 'x') }],
    ['with another nonce', 'failed', { claims: { nonce: 'x' } }],
    ['with a token that has expired', 'failed', { claims: { exp: at(-300) } }],
    ['with a token for another client', 'failed', { claims: { aud: 'another' } }],
    ['with a token of another issuer', 'failed', { claims: { iss: 'https://evil.example' } }],
    ['if the person declines', 'denied', { error: 'access_denied' }],
  ];
  test.each(cases)('%s: %s', async (_, problem, { claims = {}, change, error = null, invited = true }) => {
    const { key } = await api.account();
    const who = person();
    if (invited) await invite(key, who.email);
    Object.assign(provider, { person: { ...who, ...claims }, error });
    const tab = browser();
    expect(await tab.signIn(change)).toBe(`${BASE_URL}/console/`);
    expect(await tab.read()).toEqual({ sign_in: { name: 'Okta' }, person: null, problem });
    expect((await tab.read()).problem).toBeNull();
  });

  test('of another person who has got the address of a member', async () => {
    const { id, key } = await api.account();
    const { who, tab } = await signedIn(key, id, 'admin');
    provider.person = { ...who, sub: 'a colleague' };
    await tab.signIn();
    expect((await tab.read()).problem).toBe('other_person');
  });

  test('of another browser, and one that took too long', async () => {
    const { key } = await api.account();
    const who = person();
    await invite(key, who.email);
    provider.person = who;
    const mine = browser();
    const begun = await mine.open(`${BASE_URL}/session/oidc`);
    const answered = await fetch(begun.headers.get('Location') ?? '', { redirect: 'manual' });
    const back = answered.headers.get('Location') ?? '';
    const stranger = browser();
    await stranger.open(back);
    expect((await stranger.read()).problem).toBe('expired');
    passedMs += 601_000;
    await mine.open(back);
    expect((await mine.read()).problem).toBe('expired');
  });

  test('while the provider is away, and keys work as before', async () => {
    const { issuer, clientId, clientSecret } = provider;
    const oidc = { issuer, clientId, clientSecret, name: 'Okta', baseUrl: BASE_URL };
    const fresh = await startTestApi({ oidc });
    const { key } = await fresh.account();
    provider.isAway = true;
    const get = (path: string, headers = {}) => fetch(`${fresh.url}${path}`, { redirect: 'manual', headers });
    const response = await get('/session/oidc');
    expect([response.status, response.headers.get('Location')]).toEqual([302, `${BASE_URL}/console/`]);
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect((await (await get('/session', { cookie })).json()).data.problem).toBe('unavailable');
    expect((await fresh.call('GET', '/account', { key })).status).toBe(200);
    provider.isAway = false;
    expect((await get('/session/oidc')).headers.get('Location')).toMatch(`${issuer}/authorize?`);
    await fresh.close();
  });
});

test.each([
  'https://evil.example/console/',
  '//evil.example',
  '/eu/console/../../x',
  'javascript:alert(1)',
  '/console/',
])('nobody is sent to %s afterwards', async (to) => {
  expect(await browser().signIn(undefined, encodeURIComponent(to))).toBe(`${BASE_URL}/console/`);
});

test('a role grants no more than a key has, and an address is an address', async () => {
  const { id, key: full } = await api.account();
  const { apiKey: key } = await api.key(id, { scopes: ['read', 'admin'] });
  for (const [body, field, message] of [
    [{ email: 'a@example.com', role: 'developer' }, 'role', /you lack write and webhooks/],
    [{ email: 'a@example.com', role: 'owner' }, 'role', /must be one of viewer, editor, developer, admin/],
    [{ email: 'example.com', role: 'viewer' }, 'email', /must be an e-mail address/],
    [{ role: 'viewer' }, 'email', /is missing/],
  ] as const) {
    const answer = await api.call('POST', '/account/members', { key, body });
    expect([answer.status, answer.body.data.errors[0]]).toMatchObject([400, { field }]);
    expect(answer.body.message).toMatch(message);
  }
  expect((await invite(key, 'a@example.com', 'viewer')).body.data).toMatchObject({ role: 'viewer' });
  expect((await invite(key, 'A@example.com', 'viewer')).status).toBe(409);
  expect((await api.call('GET', '/account/members', { key: full })).body.data.count).toBe(1);
});

test('sessions are refused once the identity provider is turned off, and keys work as before', async () => {
  const { id, key } = await api.account();
  const { token } = await signedIn(key, id, 'editor');
  const off = await startTestApi({ databaseUrl: database.url, hasSignIn: false });
  const me = async (which: TestApi, as: string) => (await which.call('GET', '/auth/me', { key: as })).body;
  expect(await me(api, token)).toMatchObject({ code: 200 });
  expect(await me(off, token)).toMatchObject({ code: 401, message: 'Your session has ended. Sign in again.' });
  expect(await me(off, key)).toMatchObject({ code: 200 });
  await off.close();
});

test('without an identity provider nobody signs in, and nothing else changes', async () => {
  const off = await startTestApi({ hasSignIn: false });
  const { key } = await off.account();
  const session = async (path: string, method = 'GET') => (await fetch(`${off.url}/session${path}`, { method })).status;
  expect([
    await session(''),
    await session('/oidc'),
    await session('/oidc/callback?code=x&state=y'),
    await session('', 'POST'),
  ]).toEqual([200, 404, 404, 404]);
  expect((await (await fetch(`${off.url}/session`)).json()).data).toEqual({
    sign_in: null,
    person: null,
    problem: null,
  });
  expect(
    (await off.call('POST', '/account/members', { key, body: { email: 'a@example.com', role: 'admin' } })).status,
  ).toBe(404);
  await off.close();
});

describe('the audit list', () => {
  const entries = async (key: string, query = '') =>
    (await api.call('GET', `/account/audit${query}`, { key })).body.data;

  test('tells who changed what, by names, and no secret', async () => {
    const { id, key } = await api.account();
    const { apiKey } = await api.key(id, { name: 'ERP', scopes: ['read', 'write', 'webhooks', 'admin'] });
    const { who, member, token } = await signedIn(apiKey, id, 'admin');
    const call = (method: string, path: string, body?: object) => api.call(method, path, { key: token, body });
    const created = (await call('POST', '/keys', { name: 'Shop', scopes: ['read'] })).body.data;
    const hook = (
      await call('POST', '/webhooks', {
        url: 'http://127.0.0.1:9999/hooks/sesame?token=sesame',
        events: ['tracking_delivered'],
      })
    ).body.data;
    await call('POST', `/webhooks/${hook.id}/rotate-secret`);
    await call('PATCH', `/webhooks/${hook.id}`, { enabled: false });
    await call('DELETE', `/webhooks/${hook.id}`);
    await call('PATCH', '/account', { lang: 'de' });
    await call('PATCH', '/account/pages', { name: 'Shop' });
    await call('POST', '/bulk/delete', { all: true });
    await call('DELETE', `/keys/${created.id}`);
    await api.db.auditEntry.create({
      data: { actor: 'command alice', action: 'accounts set-plan', accountId: id, details: { id, plan: 'pro' } },
    });
    const { entries: found } = await entries(key);
    const by = { kind: 'member', id: member.id, name: addressOf(who) };
    const shop = { id: created.id, name: 'Shop' };
    const endpoint = { id: hook.id, name: '127.0.0.1:9999' };
    expect(
      found.map(
        ({
          id: _,
          at: __,
          details: { ip, ...details },
          ...entry
        }: {
          id: string;
          at: string;
          details: { ip?: string };
        }) => ({ ...entry, details }),
      ),
    ).toEqual([
      { actor: { kind: 'operator', id: null, name: null }, action: 'accounts set-plan', object: null, details: {} },
      { actor: by, action: 'DELETE /keys/:id', object: shop, details: {} },
      {
        actor: by,
        action: 'POST /bulk/delete',
        object: { id: expect.any(String), name: null },
        details: { matched: '0' },
      },
      { actor: by, action: 'PATCH /account/pages', object: null, details: { fields: 'name' } },
      { actor: by, action: 'PATCH /account', object: null, details: { fields: 'language' } },
      { actor: by, action: 'DELETE /webhooks/:id', object: endpoint, details: {} },
      { actor: by, action: 'PATCH /webhooks/:id', object: endpoint, details: { fields: 'enabled', enabled: 'false' } },
      { actor: by, action: 'POST /webhooks/:id/rotate-secret', object: endpoint, details: {} },
      { actor: by, action: 'POST /webhooks', object: endpoint, details: {} },
      { actor: by, action: 'POST /keys', object: shop, details: {} },
      { actor: by, action: 'POST /session', object: null, details: {} },
      {
        actor: { kind: 'key', id: expect.any(String), name: 'ERP' },
        action: 'POST /account/members',
        object: { id: member.id, name: addressOf(who) },
        details: { role: 'admin' },
      },
    ]);
    expect(JSON.stringify(found)).not.toMatch(/sesame|tk_|whsec_/);
  });

  test('is read in pages, of one account, and a change that fails is not in it', async () => {
    const [{ id, key }, other] = [await api.account(), await api.account()];
    for (let n = 0; n < 5; n++) await api.call('POST', '/keys', { key, body: { name: `${n}`, scopes: ['read'] } });
    await api.call('DELETE', `/keys/${'a'.repeat(24)}`, { key });
    const names: string[] = [];
    for (let query = '?limit=2'; query !== ''; ) {
      const { entries: page, next_before } = await entries(key, query);
      names.push(...page.map(({ object }: { object: { name: string } }) => object.name));
      query = next_before === null ? '' : `?limit=2&before=${next_before}`;
    }
    expect(names).toEqual(['4', '3', '2', '1', '0']);
    const { next_before } = await entries(key, '?limit=1');
    expect((await api.call('GET', `/account/audit?before=${next_before}`, { key: other.key })).status).toBe(400);
    expect(await entries(other.key)).toEqual({ count: 0, entries: [], next_before: null });
    expect(await api.db.auditEntry.count({ where: { accountId: id } })).toBe(5);
  });
});
