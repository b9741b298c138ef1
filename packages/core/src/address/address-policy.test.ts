import fc from 'fast-check';
import { NOTHING_ALLOWED, parseAllowList, refuseAddress } from './address-policy.ts';

// biome-ignore format: one range per line is readable as a table
const REFUSED: readonly (readonly [what: string, ...addresses: string[]])[] = [
  ['this network', '0.0.0.0', '0.0.0.1', '0.255.255.255'],
  ['loopback', '127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
  ['private, RFC 1918', '10.0.0.0', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  ['shared by carriers (CGNAT)', '100.64.0.0', '100.64.0.1', '100.127.255.255'],
  ['link-local', '169.254.0.1', '169.254.255.255', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  ['metadata', '169.254.169.254', '169.254.170.2', '169.254.170.23', '168.63.129.16', '192.0.0.192', '100.100.100.200', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
  ['protocol assignments', '192.0.0.1', '192.0.0.170', '192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['the 6bone, and what IANA has not assigned', '3ffe::1', '3ffe:ffff::1', '3000::1', '3abc::1', '6000::1'],
  ['AS112', '2001:4:112::1', '2620:4f:8000::1'],
  ['discard-only, segment routing', '100::1', '100:0:0:1::1', '5f00::1'],
  ['benchmarks', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  ['reserved', '240.0.0.1', '254.1.2.3', '2001:1::1', '100::1', '4000::1', '5f00::1', '8000::1', 'e000::1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::', '0:0:0:0:0:0:0:0'],
  ['unique local', 'fc00::1', 'fd00::1', 'fdff:ffff::1'],
  ['site-local', 'fec0::1', 'feff::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:8.8.8.8'],
  ['IPv4-translated', '::ffff:0:127.0.0.1', '::ffff:0:a00:1'],
  ['IPv4-compatible', '::127.0.0.1', '::7f00:1', '::a9fe:a9fe'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::a9fe:a9fe'],
  ['6to4', '2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
  ['Teredo', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['ISATAP', '2606:4700::5efe:7f00:1', '2606:4700::200:5efe:a9fe:a9fe', '2400:3200::5efe:808:808'],
  ['ORCHID', '2001:10::1', '2001:20::1'],
  ['no address', '', 'localhost', '127.0.0.1:80', '1.2.3', '256.1.1.1', '1.2.3.4.5', '[::1]', '::1::', 'fe80::1%', '10.0.0.1/8'],
];
const rows = REFUSED.flatMap(([what, ...addresses]) => addresses.map((address) => [address, what] as const));

test.each(rows)('%s is refused: %s', (address) => {
  expect(refuseAddress(address)).toEqual(expect.any(String));
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '192.169.0.1',
  '198.17.255.255',
  '198.20.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '2400:3200::1',
])('%s is global, and may be connected to', (address) => {
  expect(refuseAddress(address)).toBeNull();
});

test.each([
  ['10.0.0.1', 'private'],
  ['127.0.0.1', 'loopback'],
  ['169.254.169.254', 'metadata'],
  ['::ffff:10.0.0.1', 'ipv4Mapped'],
  ['4000::1', 'not a global address'],
  ['nonsense', 'not an IP address'],
])('why %s is refused says %s', (address, words) => {
  expect(refuseAddress(address)).toContain(words);
  expect(refuseAddress(address)).toContain(address);
});

test('only 2000::/3 is global among the addresses of version 6', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => refuseAddress(address) !== null || /^[23][0-9a-f]{3}:/i.test(address)),
    { numRuns: 1000 },
  );
});

describe('an allow-list', () => {
  const allowing =
    (...entries: string[]) =>
    (address: string, isNamed?: boolean) =>
      refuseAddress(address, parseAllowList(entries), isNamed) === null;

  test('is read from addresses, ranges and names, regardless of spaces and case', () => {
    const { ranges, names } = parseAllowList([
      ' 10.0.0.0/8',
      '192.168.1.7',
      'FD00::/8',
      '',
      ' Hooks.Corp. ',
      'localhost',
    ]);
    expect(ranges.map(([base, bits]) => `${base}/${bits}`)).toEqual(['10.0.0.0/8', '192.168.1.7/32', 'fd00::/8']);
    expect(names).toEqual(['hooks.corp', 'localhost']);
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10/8',
    '10',
    '127.1',
    '0x7f000001',
    '300.1.2.3',
    'fd00::/129',
    'fd00:::1',
    'http://hooks.corp',
    'hooks.corp:8080',
    '*.corp',
    'hooks corp',
    'höoks.corp',
  ])('with the entry "%s" is refused with an error that names it', (entry) => {
    expect(() => parseAllowList(['10.0.0.0/8', entry])).toThrow(`"${entry}" is neither`);
  });

  test('that is empty allows nothing', () => {
    expect(parseAllowList([])).toEqual(NOTHING_ALLOWED);
    expect(allowing()('10.0.0.1')).toBe(false);
  });

  test('allows a range, and nothing else', () => {
    const allows = allowing('10.1.0.0/16', 'fd12::/16');
    expect(['10.1.0.1', '10.1.255.255', 'fd12::1'].map((a) => allows(a))).toEqual([true, true, true]);
    expect(['10.2.0.1', '10.0.255.255', 'fd13::1', '192.168.0.1'].map((a) => allows(a))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('does not match an address of one version with a range of the other', () => {
    expect(allowing('::/0')('10.0.0.1')).toBe(false);
    expect(allowing('0.0.0.0/0')('fd12::1')).toBe(false);
    expect(allowing('10.0.0.0/8')('::ffff:10.0.0.1')).toBe(false);
  });

  describe.each([
    ['loopback', '127.0.0.1', '127.0.0.0/8'],
    ['another loopback', '127.0.0.53', '127.0.0.1'],
    ['loopback of version 6', '::1', '::/127'],
    ['the unspecified address', '0.0.0.0', '0.0.0.0/8'],
    ['the unspecified address of version 6', '::', '::/64'],
    ['metadata of most clouds', '169.254.169.254', '169.254.0.0/16'],
    ['metadata of AWS tasks', '169.254.170.2', '169.254.170.0/31'],
    ['metadata of AWS pods', '169.254.170.23', '169.254.0.0/16'],
    ['metadata of Azure', '168.63.129.16', '168.63.129.0/24'],
    ['metadata of Oracle', '192.0.0.192', '192.0.0.0/24'],
    ['metadata of Alibaba', '100.100.100.200', '100.64.0.0/10'],
    ['metadata of AWS of version 6', 'fd00:ec2::254', 'fd00::/8'],
    ['metadata of Google of version 6', 'fd20:ce::254', 'fd00::/8'],
    ['loopback as a mapped address', '::ffff:127.0.0.1', '::ffff:0:0/96'],
    ['metadata as a mapped address', '::ffff:169.254.169.254', '::/0'],
    ['metadata as a translated address', '::ffff:0:a9fe:a9fe', '::/0'],
    ['metadata through NAT64', '64:ff9b::a9fe:a9fe', '64:ff9b::/96'],
    ['metadata through local NAT64', '64:ff9b:1::a9fe:a9fe', '64:ff9b:1::/48'],
    ['metadata through local NAT64 behind its prefix', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b:1::/48'],
  ])('opens %s', (_what, address, range) => {
    test('by an entry for exactly this address', () => {
      expect(allowing(address)(address)).toBe(true);
      expect(allowing(`${address}/${address.includes(':') ? 128 : 32}`)(address)).toBe(true);
    });

    test('not by a range that contains it or by a neighbouring address', () => {
      expect(allowing(range, '0.0.0.0/0', '::/0')(address)).toBe(false);
    });

    test('not by the name that resolves to it', () => {
      expect(allowing('hooks.corp')(address, true)).toBe(false);
    });
  });

  test('allows the private addresses that an allowed name resolves to', () => {
    const allows = allowing('hooks.corp');
    expect(['10.0.0.1', '192.168.1.1', 'fd12::1', '100.64.0.1'].map((a) => allows(a, true))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(allows('10.0.0.1', false)).toBe(false);
  });

  test('may allow NAT64 as a range, for networks that have nothing else', () => {
    expect(allowing('64:ff9b::/96')('64:ff9b::8.8.8.8')).toBe(true);
  });
});
