import { excessOf, type KeyGrant, readGrant } from './key-grant.ts';

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
