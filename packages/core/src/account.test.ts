import fc from 'fast-check';
import {
  API_KEY_PATTERN,
  excessOf,
  hashApiKey,
  isPlan,
  type KeyGrant,
  keyHint,
  newApiKey,
  PLAN_QUOTAS,
  PLANS,
  quotaLimit,
  readGrant,
  remaining,
} from './account.ts';

const KEY = 'tk_000102030405060708090a0b0c0d0e0f1011121314151617';

test('a key is tk_ and 24 random bytes in lowercase hex', () => {
  expect(newApiKey(Uint8Array.from({ length: 24 }, (_, i) => i))).toBe(KEY);
  expect(newApiKey(new Uint8Array(24).fill(0xff))).toBe(`tk_${'f'.repeat(48)}`);
});

test('every new key fits the pattern', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 40 }), (random) => API_KEY_PATTERN.test(newApiKey(random))),
  );
});

test.each([
  ['empty', ''],
  ['without its prefix', KEY.slice(3)],
  ['with another prefix', KEY.replace('tk_', 'sk_')],
  ['with a prefix in upper case', KEY.replace('tk_', 'TK_')],
  ['in upper case', `tk_${'A'.repeat(48)}`],
  ['one character short', KEY.slice(0, -1)],
  ['one character long', `${KEY}0`],
  ['with a letter that is not hex', `${KEY.slice(0, -1)}g`],
  ['with a space before', ` ${KEY}`],
  ['with a space after', `${KEY} `],
  ['with a space within', `${KEY.slice(0, 20)} ${KEY.slice(21)}`],
  ['with a line end after', `${KEY}\n`],
  ['with full-width digits', KEY.replaceAll('0', '０')],
  ['twice', `${KEY}, ${KEY}`],
])('a key %s is malformed', (_fault, key) => {
  expect(API_KEY_PATTERN.test(key)).toBe(false);
});

test('a key is stored as its SHA-256', () => {
  // printf 'tk_0001…1617' | openssl dgst -sha256
  const digest = '6df442ec6f1b383b3a479ba4f868dd74f1b8e27aa3f96a59dfc29d7fb7b8dcc5';
  expect(Buffer.from(hashApiKey(KEY)).toString('hex')).toBe(digest);
});

test('the hint shows the ends of a key and hides the rest', () => {
  expect(keyHint(KEY)).toBe('tk_0001…1617');
});

test('the plans are free, pro and enterprise, with 100, 10,000 and 1,000,000 units a month', () => {
  expect(PLANS).toEqual(['free', 'pro', 'enterprise']);
  expect(PLANS.map((plan) => quotaLimit(plan, null))).toEqual([100, 10_000, 1_000_000]);
});

test.each([
  ['free', true],
  ['pro', true],
  ['enterprise', true],
  ['Free', false],
  ['', false],
  ['toString', false],
  ['__proto__', false],
])('"%s" is a plan: %s', (name, expected) => {
  expect(isPlan(name)).toBe(expected);
});

test('the operator may set other amounts', () => {
  expect(quotaLimit('pro', null, { ...PLAN_QUOTAS, pro: 5 })).toBe(5);
});

test.each([0, 1, 2_000_000])('an account with %i units of its own has these, whatever its plan', (own) => {
  expect(quotaLimit('free', own)).toBe(own);
  expect(quotaLimit('enterprise', own)).toBe(own);
});

test.each([
  [100, 0, 100],
  [100, 99, 1],
  [100, 100, 0],
  [100, 130, 0],
  [0, 0, 0],
])('of %i units with %i used, %i remain', (limit, used, left) => {
  expect(remaining(limit, used)).toBe(left);
});

test('what remains is never below zero and never above the limit', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (limit, used) => {
      const left = remaining(limit, used);
      return left >= 0 && left <= limit;
    }),
  );
});

const NOW = new Date('2031-05-01T00:00:00Z');
const LATER = new Date('2031-06-01T00:00:00Z');

test('a key is read with its networks in their usual form, each scope and network once', () => {
  expect(
    readGrant(
      {
        name: ' ERP ',
        scopes: ['read', 'write', 'read'],
        expires_at: '2031-06-01T08:00:00+08:00',
        networks: ['10.1.2.3/8', '10.0.0.0/8', '::1'],
      },
      NOW,
    ),
  ).toEqual({ name: 'ERP', scopes: ['read', 'write'], expiresAt: LATER, networks: ['10.0.0.0/8', '::1/128'] });
  expect(readGrant({ scopes: ['read'] }, NOW)).toEqual({
    name: null,
    scopes: ['read'],
    expiresAt: null,
    networks: [],
  });
});

test('every fault of a key is named', () => {
  const wanted = { scopes: ['read'] as const, expires_at: '2031-04-30T23:59:59Z', networks: ['10.0.0.0/8', 'shop'] };
  const faults = (given: object) => {
    const read = readGrant({ ...wanted, ...given }, NOW);
    return 'faults' in read ? read.faults.map(({ field, message }) => `${field} ${message}`) : [];
  };
  expect(faults({})).toEqual([
    expect.stringMatching(/^networks\.1 must be an address or a CIDR range/),
    'expires_at must be in the future',
  ]);
  for (const expires_at of ['soon', '2031-06-01', '2031-06-31T00:00:00Z'])
    expect(faults({ networks: [], expires_at })).toEqual([expect.stringContaining('must be a time with a time zone')]);
});

describe('a key grants no more than it has:', () => {
  const own: KeyGrant = { name: null, scopes: ['read', 'admin'], expiresAt: LATER, networks: ['10.0.0.0/8'] };
  const fields = (wanted: Partial<KeyGrant>, from: KeyGrant = own) =>
    excessOf({ ...own, ...wanted }, from).map(({ field }) => field);

  test.each<[string, Partial<KeyGrant>, string[]]>([
    ['the same', {}, []],
    ['less', { scopes: ['read'], expiresAt: NOW, networks: ['10.1.0.0/16', '10.2.0.0/16'] }, []],
    ['another scope', { scopes: ['read', 'write'] }, ['scopes']],
    ['a later end', { expiresAt: new Date(LATER.getTime() + 1) }, ['expires_at']],
    ['no end', { expiresAt: null }, ['expires_at']],
    ['another network', { networks: ['10.1.0.0/16', '192.0.2.0/24'] }, ['networks']],
    ['every network', { networks: [] }, ['networks']],
  ])('%s', (_what, wanted, faults) => {
    expect(fields(wanted)).toEqual(faults);
  });

  test('a key without an end and networks may grant any', () => {
    const wide: KeyGrant = { ...own, expiresAt: null, networks: [] };
    expect(fields({ expiresAt: null, networks: [] }, wide)).toEqual([]);
    expect(fields({}, wide)).toEqual([]);
  });
});
