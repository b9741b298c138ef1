import { FULL_GRANT } from '@pts/core/account';
import type { KeyHolder } from '@pts/db/accounts/accounts';
import type { Request } from 'express';
import { createAuthenticator, requireScope } from './authenticate.ts';

const KEY = `tk_${'0123456789abcdef'.repeat(3)}`;
const OTHER_KEY = `tk_${'f'.repeat(48)}`;

/** A service that knows KEY, a clock that moves only by `later`, and a record of the lookups and failures. */
function service({ known = [KEY], failuresAllowed = Number.POSITIVE_INFINITY, lookUpMs = 0, limits = {} } = {}) {
  const requested: string[] = [];
  const failures: string[] = [];
  const used: string[] = [];
  const keys = new Set(known);
  let now = 1_000_000;
  const authenticator = createAuthenticator({
    find: async (key) => {
      requested.push(key);
      now += lookUpMs;
      return keys.has(key) ? caller(key, limits) : null;
    },
    limiter: {
      takeAuthFailure: async (address) => {
        failures.push(address);
        return failures.length <= failuresAllowed;
      },
    },
    monotonicMs: () => now,
    now: () => new Date(now),
    onUse: ({ key }) => void used.push(key.id),
  });
  const ask = (headers: Record<string, string>, ip: string | null = '192.0.2.1', beforeLookUp?: () => void) => {
    const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const get = (name: string) => byName.get(name.toLowerCase());
    return authenticator.identify({ get, ip: ip ?? undefined } as unknown as Request, beforeLookUp);
  };
  const later = (ms: number) => {
    now += ms;
  };
  const confirm = (key: string) => authenticator.confirm({ get: () => key, ip: '192.0.2.1' } as unknown as Request);
  return { ask, confirm, requested, failures, used, keys, later };
}

const caller = (key: string, limits: Partial<KeyHolder['key']> = {}) =>
  ({ key: { ...FULL_GRANT, id: key.slice(-4), ...limits } }) as KeyHolder;

test.each<[string, Record<string, string>]>([
  ['X-API-Key', { 'X-API-Key': KEY }],
  ['Tracking-Api-Key', { 'Tracking-Api-Key': KEY }],
  ['Tracking-Api-Key, after an empty X-API-Key', { 'X-API-Key': '', 'Tracking-Api-Key': KEY }],
  ['X-API-Key, whatever Tracking-Api-Key says', { 'X-API-Key': KEY, 'Tracking-Api-Key': OTHER_KEY }],
  ['Authorization', { Authorization: `Bearer ${KEY}` }],
  ['Authorization, in any case and with spaces', { Authorization: `bearer   ${KEY} ` }],
  [
    'Authorization, after empty other headers',
    { 'X-API-Key': '', 'Tracking-Api-Key': '', Authorization: `Bearer ${KEY}` },
  ],
  ['X-API-Key, whatever Authorization says', { 'X-API-Key': KEY, Authorization: `Bearer ${OTHER_KEY}` }],
  ['Tracking-Api-Key, whatever Authorization says', { 'Tracking-Api-Key': KEY, Authorization: 'Basic dDpr' }],
])('the key is taken from %s', async (_header, headers) => {
  const { ask, requested, failures } = service();
  expect(await ask(headers)).toEqual(caller(KEY));
  expect([requested, failures]).toEqual([[KEY], []]);
});

test('a wrong X-API-Key is refused even with a valid Tracking-Api-Key', async () => {
  const { ask } = service();
  await expect(ask({ 'X-API-Key': OTHER_KEY, 'Tracking-Api-Key': KEY })).rejects.toMatchObject({
    error: 'unauthorized',
  });
});

// biome-ignore format: one key per line is readable as a table
const REFUSED: readonly (readonly [what: string, headers: Record<string, string>, says: RegExp, isLookedUp: boolean])[] = [
  ['no key', {}, /is missing/, false],
  ['an empty key', { 'X-API-Key': '' }, /is missing/, false],
  ['a key under another scheme', { Authorization: `Token ${KEY}` }, /Authorization: Token does not carry one/, false],
  ['a Bearer without a key', { Authorization: 'Bearer ' }, /is missing/, false],
  ['a Bearer with another kind of token', { Authorization: 'Bearer eyJhbGciOi.eyJzdWIi.c2ln' }, /is malformed/, false],
  ['two Bearers', { Authorization: `Bearer ${KEY} ${KEY}` }, /is malformed/, false],
  ['an unknown Bearer', { Authorization: `Bearer ${OTHER_KEY}` }, /invalid: it does not exist/, true],
  ['a key without its prefix', { 'X-API-Key': KEY.slice(3) }, /is malformed/, false],
  ['a key in upper case', { 'X-API-Key': KEY.toUpperCase() }, /is malformed/, false],
  ['a key with a space', { 'X-API-Key': `${KEY.slice(0, 20)} ${KEY.slice(20)}` }, /is malformed/, false],
  ['a key cut short', { 'X-API-Key': KEY.slice(0, -1) }, /is malformed/, false],
  ['a key with a character too many', { 'X-API-Key': `${KEY}0` }, /is malformed/, false],
  ['two keys', { 'X-API-Key': `${KEY}, ${KEY}` }, /is malformed/, false],
  ['an unknown key', { 'X-API-Key': OTHER_KEY }, /invalid: it does not exist or was reset, or its account is disabled/, true],
];

test.each(REFUSED)('%s is refused, and the answer says why', async (_what, headers, says, isLookedUp) => {
  const { ask, requested, failures } = service();
  await expect(ask(headers)).rejects.toMatchObject({ error: 'unauthorized', message: expect.stringMatching(says) });
  expect(requested).toHaveLength(isLookedUp ? 1 : 0);
  expect(failures).toEqual(['192.0.2.1']);
});

test('no refusal repeats the key', async () => {
  const { ask } = service();
  for (const key of [OTHER_KEY, 'hunter2'])
    await expect(ask({ 'X-API-Key': key })).rejects.toMatchObject({ message: expect.not.stringContaining(key) });
});

test('a request that fails a cheap check is refused without a lookup, after a malformed key', async () => {
  const { ask, requested } = service();
  const refuse = () => {
    throw new Error('too large');
  };
  await expect(ask({ 'X-API-Key': KEY }, null, refuse)).rejects.toThrow('too large');
  await expect(ask({ 'X-API-Key': 'no key' }, null, refuse)).rejects.toMatchObject({ error: 'unauthorized' });
  expect(requested).toEqual([]);
});

describe('an address that keeps trying', () => {
  test('gets 429, with a malformed key and with a wrong one', async () => {
    const { ask } = service({ failuresAllowed: 2 });
    const tries = [{}, { 'X-API-Key': OTHER_KEY }, {}, { 'X-API-Key': OTHER_KEY }];
    const errors: string[] = [];
    for (const headers of tries) errors.push(await ask(headers).catch((error) => error.error));
    expect(errors).toEqual(['unauthorized', 'unauthorized', 'too_many_requests', 'too_many_requests']);
  });

  test('is refused without a lookup when it repeats a wrong key, and looked up again within a second', async () => {
    const { ask, requested, keys, later } = service({ failuresAllowed: 1 });
    for (let n = 0; n < 5; n++) await ask({ 'X-API-Key': OTHER_KEY }).catch(() => {});
    // Once for each failure that was counted; after that, not even these.
    expect(requested).toHaveLength(2);
    keys.add(OTHER_KEY);
    later(900);
    expect(await ask({ 'X-API-Key': OTHER_KEY })).toEqual(caller(OTHER_KEY));
  });

  test('does not lock out a valid key from the same address', async () => {
    const { ask } = service({ failuresAllowed: 0 });
    await expect(ask({})).rejects.toMatchObject({ error: 'too_many_requests' });
    expect(await ask({ 'X-API-Key': KEY })).toEqual(caller(KEY));
  });

  test('is counted by its address, of IPv6 by its /64, also where none is known', async () => {
    const { ask, failures } = service();
    for (const ip of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::7', '2001:db8::8:9', null])
      await ask({}, ip).catch(() => {});
    expect(failures).toEqual(['192.0.2.7', '192.0.2.7', '2001:db8::/64', '2001:db8::/64', '']);
  });
});

describe('a key that was found', () => {
  test('is trusted for less than a second, then looked up again', async () => {
    const { ask, requested, later } = service();
    await ask({ 'X-API-Key': KEY });
    later(899);
    await ask({ 'X-API-Key': KEY });
    expect(requested).toHaveLength(1);
    later(1);
    await ask({ 'X-API-Key': KEY });
    expect(requested).toHaveLength(2);
  });

  test('after a long wait is trusted for less than a second from before it', async () => {
    const { ask, requested, later } = service({ lookUpMs: 500 });
    await ask({ 'X-API-Key': KEY });
    later(399);
    await ask({ 'X-API-Key': KEY });
    expect(requested).toHaveLength(1);
    later(1);
    await ask({ 'X-API-Key': KEY });
    expect(requested).toHaveLength(2);
  });

  test('and reset since is refused within a second, however often it is used', async () => {
    const { ask, keys, later } = service();
    await ask({ 'X-API-Key': KEY });
    keys.delete(KEY);
    for (const ms of [300, 300, 299]) {
      later(ms);
      await ask({ 'X-API-Key': KEY });
    }
    later(1);
    await expect(ask({ 'X-API-Key': KEY })).rejects.toMatchObject({ error: 'unauthorized' });
  });

  test('does not make another key trusted', async () => {
    const { ask, requested } = service({ known: [KEY, OTHER_KEY] });
    expect(await ask({ 'X-API-Key': KEY })).toEqual(caller(KEY));
    expect(await ask({ 'X-API-Key': OTHER_KEY })).toEqual(caller(OTHER_KEY));
    expect(requested).toEqual([KEY, OTHER_KEY]);
  });
});

describe('a request that takes its time', () => {
  test('has its key looked up again only where the cached lookup is too old', async () => {
    const { ask, confirm, requested, later } = service();
    await ask({ 'X-API-Key': KEY });
    for (let n = 0; n < 100; n++) expect(await confirm(KEY)).toEqual(caller(KEY));
    expect(requested).toHaveLength(1);
    later(900);
    for (let n = 0; n < 100; n++) expect(await confirm(KEY)).toEqual(caller(KEY));
    expect(requested).toHaveLength(2);
  });

  test('is refused with 401 once the key is reset, and does not count as a wrong key', async () => {
    const { ask, confirm, keys, later, failures } = service({ failuresAllowed: 0 });
    await ask({ 'X-API-Key': KEY });
    keys.delete(KEY);
    later(900);
    await expect(confirm(KEY)).rejects.toMatchObject({
      error: 'unauthorized',
      message: expect.stringContaining('while the request was in progress'),
    });
    expect(failures).toEqual([]);
  });
});

describe('a key with an end', () => {
  const limits = { expiresAt: new Date(1_000_500) };

  test('is refused with 401 from then on, also while it is cached, and is no wrong key', async () => {
    const { ask, confirm, requested, failures, later } = service({ limits, failuresAllowed: 0 });
    await ask({ 'X-API-Key': KEY });
    later(499);
    await confirm(KEY);
    later(1);
    const refused = { error: 'unauthorized', message: expect.stringContaining('expired at 1970-01-01T00:16:40Z') };
    await expect(ask({ 'X-API-Key': KEY })).rejects.toMatchObject(refused);
    await expect(confirm(KEY)).rejects.toMatchObject(refused);
    expect([requested, failures]).toEqual([[KEY], []]);
  });
});

describe('a key with networks', () => {
  const limits = { networks: ['192.0.2.0/24', '2001:db8:7::/48'] };

  test('may be used from these only, and a refusal from elsewhere is no wrong key', async () => {
    const { ask, failures } = service({ limits, failuresAllowed: 0 });
    for (const ip of ['192.0.2.9', '::ffff:192.0.2.9', '2001:db8:7::1'])
      expect(await ask({ 'X-API-Key': KEY }, ip)).toEqual(caller(KEY, limits));
    for (const ip of ['192.0.3.9', '2001:db8:8::1', null])
      await expect(ask({ 'X-API-Key': KEY }, ip)).rejects.toMatchObject({
        error: 'forbidden',
        message: expect.stringContaining('networks'),
      });
    expect(failures).toEqual([]);
  });
});

test('the use of a key is reported when it is looked up, and not when it may not be used', async () => {
  const { ask, confirm, used, later } = service();
  for (let n = 0; n < 5; n++) await ask({ 'X-API-Key': KEY });
  later(900);
  await ask({ 'X-API-Key': KEY });
  expect(used).toEqual(['cdef', 'cdef']);
  // A stream goes on for an hour.
  later(900);
  await confirm(KEY);
  expect(used).toEqual(['cdef', 'cdef', 'cdef']);
  const limited = service({ limits: { networks: ['198.51.100.1/32'] } });
  await limited.ask({ 'X-API-Key': KEY }).catch(() => {});
  expect(limited.used).toEqual([]);
});

test('a key without the scope of an operation is refused with its name; an operation without one takes any key', () => {
  const reader = caller(KEY, { scopes: ['read', 'webhooks'] });
  requireScope(reader, 'read');
  requireScope(reader, null);
  expect(() => requireScope(reader, 'write')).toThrow(/needs the scope write.*The key has read, webhooks/);
});

test('a key that was not found is looked up every time: a new one works at once', async () => {
  const { ask, keys } = service({ known: [] });
  await expect(ask({ 'X-API-Key': KEY })).rejects.toMatchObject({ error: 'unauthorized' });
  keys.add(KEY);
  expect(await ask({ 'X-API-Key': KEY })).toEqual(caller(KEY));
});

test('an unreachable database does not count as a wrong key', async () => {
  const away = new Error('Postgres is away');
  const failures: string[] = [];
  const authenticator = createAuthenticator({
    find: () => Promise.reject(away),
    limiter: { takeAuthFailure: async (address) => failures.push(address) > 0 },
    monotonicMs: () => 0,
    now: () => new Date(0),
  });
  const request = { get: () => KEY, ip: '192.0.2.1' } as unknown as Request;
  await expect(authenticator.identify(request)).rejects.toBe(away);
  expect(failures).toEqual([]);
});
