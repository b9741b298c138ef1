import fc from 'fast-check';
import { message } from './languages/message.ts';
import {
  MAX_URL_LENGTH,
  NOTHING_ALLOWED,
  parseAllowList,
  refuseAddress,
  refuseUrl,
  type UrlPolicy,
} from './url-policy.ts';

const PRODUCTION: UrlPolicy = { allowHttp: false, allowed: NOTHING_ALLOWED };
const WITH_HTTP: UrlPolicy = { ...PRODUCTION, allowHttp: true };

/** A fault, and texts with exactly this fault. Every one is refused even if http is allowed. */
// biome-ignore format: one kind per line is readable as a table
const REFUSED: readonly (readonly [what: string, says: string, ...urls: string[]])[] = [
  ['not absolute', 'absolute', '', ' ', '/hooks', 'hooks', 'example.com', 'example.com/hooks', '//example.com/hooks', '?a=b', '#a', 'www.example.com:443/hooks'],
  ['missing slashes', 'absolute', 'https:example.com', 'https:/example.com', 'https:///example.com', 'https:////example.com', 'https:\\\\example.com', 'https:/\\example.com', 'https://\\example.com', 'https://\t/example.com', 'https://\n/example.com'],
  ['no host', 'absolute', 'https://', 'https:///', 'https://:443/', 'https://?a', 'https://#a', 'https://user@/', 'https:// /'],
  ['broken', 'absolute', 'https://exa mple.com/', 'https://example.com:port/', 'https://example.com:65536/', 'https://[::1', 'https://[::1]x/', 'https://[fe80::1%25eth0]/', 'https://1.2.3.4.5/', 'https://256.1.1.1/', 'https://1.2.3.999999/', 'https://ex%00ample.com/', 'https://a<b.com/', ' https://example.com', 'https ://example.com'],
  ['an empty name: Node 20 does not parse it, Node 24 does', 'must be an absolute URL', 'https://xn--/'],
  ['another scheme', 'https', 'ftp://example.com/', 'ftps://example.com/', 'ws://example.com/', 'wss://example.com/', 'file://example.com/etc/passwd', 'gopher://example.com/', 'dict://example.com/', 'ldap://example.com/', 'javascript://example.com/%0aalert(1)', 'data://example.com/', 'redis://example.com/', 'unix://example.com/', 'httpss://example.com/'],
  ['no scheme of an address', 'absolute', 'file:///etc/passwd', 'javascript:alert(1)', 'data:text/plain,hello', 'mailto:a@example.com', 'about:blank', 'unix:/var/run/docker.sock'],
  ['credentials', 'user name or password', 'https://user@example.com/', 'https://user:password@example.com/', 'https://:password@example.com/', 'https://example.com@10.0.0.1/', 'https://a%40b@example.com/', 'https://example.com:443@evil.example/'],
  ['loopback', 'loopback', 'https://127.0.0.1/', 'https://127.0.0.1:8443/', 'https://127.0.0.2/', 'https://127.255.255.255/', 'https://[::1]/', 'https://[::1]:443/', 'https://[0:0:0:0:0:0:0:1]/', 'https://[0000::0001]/'],
  ['loopback in short', 'loopback', 'https://127.1/', 'https://127.0.1/', 'https://127.0.0.1./'],
  ['loopback in decimal', 'loopback', 'https://2130706433/', 'https://2130706433./', 'https://127.1:80/'],
  ['loopback in octal', 'loopback', 'https://0177.0.0.1/', 'https://0177.0.0.01/', 'https://00000177.0.0.1/', 'https://017700000001/', 'https://0177.1/'],
  ['loopback in hexadecimal', 'loopback', 'https://0x7f.0.0.1/', 'https://0x7f000001/', 'https://0x7F.0x0.0x0.0x1/', 'https://0x7f.1/', 'https://0X7F000001/'],
  ['loopback in a mixture', 'loopback', 'https://0x7f.0.0.01/', 'https://127.0x0.0.1/', 'https://0177.0x0.1/'],
  ['loopback in other digits and dots', 'loopback', 'https://１２７.０.０.１/', 'https://①②⑦.0.0.1/', 'https://127。0。0。1/', 'https://127．0．0．1/', 'https://127｡0｡0｡1/', 'https://%31%32%37.0.0.1/', 'https://127%2e0%2e0%2e1/', 'https://1\t27.0.0.1/'],
  ['any address of this machine', 'unspecified', 'https://0.0.0.0/', 'https://0/', 'https://0x0/', 'https://00/', 'https://0.1.2.3/', 'https://[::]/', 'https://[0:0::0]/'],
  ['private', 'private', 'https://10.0.0.1/', 'https://10.255.255.255:8443/', 'https://172.16.0.1/', 'https://172.31.255.255/', 'https://192.168.0.1/', 'https://192.168.1.254/hooks'],
  ['private in other spellings', 'private', 'https://10.1/', 'https://167772161/', 'https://012.0.0.1/', 'https://0xa.0.0.1/', 'https://0xa000001/', 'https://3232235521/', 'https://192.168.257/', 'https://0xc0a80001/', 'https://0300.0250.0.1/', 'https://2886729729/'],
  ['shared', 'carrierGradeNat', 'https://100.64.0.1/', 'https://100.127.255.255/'],
  ['metadata', 'metadata', 'https://169.254.169.254/latest/meta-data/', 'https://2852039166/', 'https://0xa9fea9fe/', 'https://0251.0376.0251.0376/', 'https://0251.254.169.254/', 'https://169.254.43518/', 'https://168.63.129.16/', 'https://100.100.100.200/', 'https://192.0.0.192/', 'https://[fd00:ec2::254]/', 'https://[fd20:ce::254]/'],
  ['link-local', 'linkLocal', 'https://169.254.1.1/', 'https://[fe80::1]/', 'https://[fe80::1]:8443/', 'https://[febf::1]/'],
  ['unique local', 'uniqueLocal', 'https://[fc00::1]/', 'https://[fd12:3456:789a::1]/'],
  ['IPv4-mapped', 'ipv4Mapped', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[0:0:0:0:0:ffff:127.0.0.1]/', 'https://[::ffff:10.0.0.1]/', 'https://[::ffff:a9fe:a9fe]/', 'https://[::ffff:8.8.8.8]/'],
  ['IPv4-compatible', 'non-global', 'https://[::127.0.0.1]/', 'https://[::7f00:1]/', 'https://[::a00:1]/'],
  ['NAT64', 'rfc6052', 'https://[64:ff9b::7f00:1]/', 'https://[64:ff9b::169.254.169.254]/', 'https://[64:ff9b:1::a00:1]/'],
  ['6to4', '6to4', 'https://[2002:7f00:1::]/', 'https://[2002:a9fe:a9fe::1]/', 'https://[2002:c0a8:1::1]/'],
  ['Teredo', 'teredo', 'https://[2001::1]/', 'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
  ['unassigned IPv6', 'non-global', 'https://[3ffe::1]/', 'https://[3ffe:1900:4545::]/', 'https://[3000::1]/'],
  ['documentation and benchmarks', 'reserved', 'https://192.0.2.1/', 'https://198.51.100.1/', 'https://203.0.113.1/', 'https://198.18.0.1/', 'https://[2001:db8::1]/'],
  ['multicast and broadcast', 'cast', 'https://224.0.0.1/', 'https://239.1.2.3/', 'https://255.255.255.255/', 'https://[ff02::1]/'],
  ['a single label', 'local name', 'https://localhost/', 'https://localhost:8443/', 'https://LOCALHOST/', 'https://localhost./', 'https://localhost../', 'https://ⓛocalhost/', 'https://ｌｏｃａｌｈｏｓｔ/', 'https://%6c%6fcalhost/', 'https://lo\tcalhost/', 'https://api/', 'https://redis:6379/', 'https://internal/', 'https://com/', 'https://-/'],
  ['a loopback name', '.localhost', 'https://app.localhost/', 'https://a.b.localhost/', 'https://APP.LocalHost/', 'https://app.localhost./'],
  ['an internal name', '.internal', 'https://metadata.google.internal/computeMetadata/v1/', 'https://host.docker.internal:8080/', 'https://foo.internal/', 'https://foo.internal./', 'https://foo.internal../', 'https://foo..internal/', 'https://foo。internal/', 'https://FOO.INTERNAL/'],
  ['a name of the local network', '.local', 'https://printer.local/', 'https://printer.local./'],
  ['a name of a company network', '.corp', 'https://hooks.corp/', 'https://git.example.corp/'],
  ['a name of a LAN', '.lan', 'https://router.lan/', 'https://nas.home.lan/'],
  ['a name of a home network', '.arpa', 'https://nas.home.arpa/', 'https://home.arpa/', 'https://home.arpa./'],
  ['a special-use name', 'internal or reserved', 'https://hooks.test/', 'https://a.b.invalid/', 'https://abcdefgh.onion/', 'https://hooks.alt/', 'https://HOOKS.Test./', 'https://ｈｏｏｋｓ．ｔｅｓｔ/', 'https://hooks。invalid/', 'https://xn--mnchen-3ya.test/', 'https://münchen.onion/'],
  ['a name of the reverse DNS', '.arpa', 'https://1.0.0.10.in-addr.arpa/', 'https://1.0.0.0.ip6.arpa/', 'https://in-addr.arpa/', 'https://service.arpa./'],
  ['a name of a private network', 'internal or reserved', 'https://wiki.intranet/', 'https://git.private/', 'https://nas.home/', 'https://printer.mail/', 'https://localhost.localdomain/', 'https://LOCALHOST.LocalDomain./', 'https://localhost6.localdomain6/', 'https://dc.intra/', 'https://a.b.c.priv/', 'https://fritz.box/', 'https://www.fritz.box/'],
  ['a name of Kubernetes', 'internal or reserved', 'https://kubernetes.default/', 'https://kubernetes.default./', 'https://kubernetes.default.svc/', 'https://KUBERNETES.DEFAULT.SVC/', 'https://payments-db.prod.svc/', 'https://payments-db.prod.svc./', 'https://kubernetes.default.svc.cluster.local/', 'https://cluster.local/', 'https://10-0-0-1.prod.pod/', 'https://vault.service.consul/'],
  ['a metadata service', 'internal or reserved', 'https://metadata.goog/computeMetadata/v1/', 'https://METADATA.goog./', 'https://a.metadata.goog/', 'https://metadata.tencentyun.com/'],
  ['a port below 1024', 'below 1024', ...[1, 7, 21, 22, 23, 25, 53, 81, 110, 111, 123, 135, 139, 143, 161, 389, 445, 465, 514, 587, 636, 853, 873, 993, 995, 1023].map((port) => `https://example.com:${port}/`), 'https://8.8.8.8:22/', 'https://[2606:4700::1111]:25/', 'https://example.com:0022/'],
  ['the port of another service', 'not for web servers', ...[1080, 1099, 1433, 1521, 2049, 2181, 2375, 2376, 2379, 2525, 3128, 3306, 3389, 4222, 5060, 5222, 5269, 5432, 5672, 5900, 5984, 5985, 6000, 6379, 6443, 6667, 8009, 8086, 8500, 9042, 9092, 9100, 9200, 9300, 9418, 10080, 10250, 10255, 11211, 15672, 26379, 27017].map((port) => `https://example.com:${port}/`), 'https://[2606:4700::1111]:6379/'],
  ['port 0', 'port 0', 'https://example.com:0/', 'https://example.com:00000/', 'https://[2606:4700::1111]:0/'],
  ['empty or overlong labels', 'DNS', 'https://a..example.com/', 'https://.example.com/', 'https://example.com../', `https://${'a'.repeat(64)}.example.com/`, `https://${'a.'.repeat(126)}com/`, "https://a'b.example.com/", 'https://a;b.example.com/', 'https://*.example.com/', 'https://a(b).example.com/', 'https://a,b.example.com/'],
  ['an address with dots after it', 'loopback', 'https://127.0.0.1../'],
];
const rows = REFUSED.flatMap(([what, says, ...urls]) => urls.map((url) => [url, what, says] as const));

test('the table has at least 150 different hostile texts', () => {
  expect(new Set(rows.map(([url]) => url)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThanOrEqual(150);
});

test.each(rows)('%j is refused: %s', (url, _what, says) => {
  expect(`${refuseUrl(url, PRODUCTION)}`).toContain(says);
  expect(`${refuseUrl(url, WITH_HTTP)}`).toContain(says);
  if (url.startsWith('https://')) expect(`${refuseUrl(url.replace('https', 'http'), WITH_HTTP)}`).toContain(says);
});

const ALLOWED = [
  'https://example.com',
  'https://example.com/',
  'https://example.com/hooks?token=1#x',
  'https://example.com:8443/hooks',
  'https://hooks.example.co.uk/a/b/c',
  'https://EXAMPLE.com/Hooks',
  'HTTPS://example.com/hooks',
  'https://example.com./hooks',
  'https://a_b.example.com/',
  'https://example.com:443/',
  'https://example.com:80/',
  'https://example.com:1024/',
  'https://example.com:3000/',
  'https://example.com:8000/',
  'https://example.com:8080/',
  'https://example.com:9000/',
  'https://example.com:50000/',
  'https://example.com:65535/',
  `https://${'a'.repeat(63)}.example.com/`,
  'https://münchen.example/',
  'https://例え.テスト/',
  'https://xn--mnchen-3ya.example/',
  'https://localhost.example.com/',
  'https://internal.example.com/',
  'https://notinternal.com/',
  'https://svc.example.com/',
  'https://my-svc.com/',
  'https://test.com/',
  'https://latest.dev/',
  'https://notmetadata.goog/',
  'https://home.example.org/',
  'https://arpa.example.org/',
  'https://hooks.example/',
  'https://mycorp.com/',
  'https://127.0.0.1.nip.io/',
  'https://10.example.com/',
  'https://8.8.8.8/',
  'https://134744072/',
  'https://[2606:4700:4700::1111]/',
  'https://[2606:4700:4700::1111]:8443/hooks',
  'https://example.com/http://127.0.0.1/',
  'https://example.com/?url=http://169.254.169.254/',
  'https://example.com/a@b',
];

test.each(ALLOWED)('%s may be registered', (url) => {
  expect(refuseUrl(url, PRODUCTION)).toBeNull();
});

test.each(['http://example.com/hooks', 'HTTP://example.com/', 'http://8.8.8.8:8080/'])(
  '%s may be registered only if http is allowed',
  (url) => {
    expect(refuseUrl(url, PRODUCTION)).toEqual(message('field.url_https'));
    expect(refuseUrl(url, WITH_HTTP)).toBeNull();
  },
);

test('a url has at most 2,048 characters', () => {
  const long = (length: number) => 'https://example.com/'.padEnd(length, 'a');
  expect(MAX_URL_LENGTH).toBe(2048);
  expect(refuseUrl(long(2048), PRODUCTION)).toBeNull();
  expect(`${refuseUrl(long(2049), PRODUCTION)}`).toContain('2048');
  expect(`${refuseUrl(long(5_000_000), PRODUCTION)}`).toContain('2048');
});

describe('an allow-list', () => {
  const allowing = (entries: string[], url: string) =>
    refuseUrl(url, { allowHttp: false, allowed: parseAllowList(entries) }) === null;

  test.each([
    ['a single address', '10.1.2.3', 'https://10.1.2.3:8443/'],
    ['a single address, however it is spelled', '10.1.2.3', 'https://0xa010203/'],
    ['an address by its range', '10.0.0.0/8', 'https://10.1.2.3/'],
    ['an address of version 6', 'fd12::/16', 'https://[fd12::1]/'],
    ['loopback by exactly its address', '127.0.0.1/32', 'https://127.0.0.1/'],
    ['a name', 'hooks.internal', 'https://hooks.internal/'],
    ['a name in another case and with a dot at its end', 'Hooks.Internal', 'https://HOOKS.internal./'],
    ['a single label', 'localhost', 'https://localhost:3000/'],
    ['a name of Kubernetes', 'hooks.prod.svc', 'https://hooks.prod.svc/'],
  ])('opens %s', (_what, entry, url) => {
    expect(allowing([entry], url)).toBe(true);
  });

  test.each([
    ['loopback by a range', '127.0.0.0/8', 'https://127.0.0.1/'],
    ['loopback by another address of it', '127.0.0.1', 'https://127.0.0.2/'],
    ['loopback by everything', '0.0.0.0/0', 'https://127.0.0.1/'],
    ['metadata by a range', '169.254.0.0/16', 'https://169.254.169.254/'],
    ['a mapped address by the range of the one it holds', '10.0.0.0/8', 'https://[::ffff:10.0.0.1]/'],
    ['a subdomain of an allowed name', 'hooks.internal', 'https://a.hooks.internal/'],
    ['a parent of an allowed name', 'a.hooks.internal', 'https://hooks.internal/'],
    ['a name that ends like an allowed name', 'hooks.internal', 'https://myhooks.internal/'],
    ['an address by a name', 'localhost', 'https://127.0.0.1/'],
  ])('does not open %s', (_what, entry, url) => {
    expect(allowing([entry], url)).toBe(false);
  });

  test('does not disable the other rules', () => {
    const policy: UrlPolicy = { allowHttp: false, allowed: parseAllowList(['10.0.0.0/8', 'hooks.internal']) };
    expect(`${refuseUrl('http://hooks.internal/', policy)}`).toContain('https');
    expect(`${refuseUrl('https://user@hooks.internal/', policy)}`).toContain('user name');
  });
});

describe('the allowed ports', () => {
  const allowing = (ports: number[], url: string) => refuseUrl(url, { ...PRODUCTION, allowedPorts: ports });

  test.each([25, 81, 3306, 6379])('open exactly themselves: %i', (port) => {
    expect(allowing([port], `https://example.com:${port}/`)).toBeNull();
    expect(`${allowing([port], 'https://example.com:22/')}`).toContain('port 22');
    expect(`${allowing([port], `https://10.0.0.1:${port}/`)}`).toContain('private');
  });

  test('a receiver that is allowed by its name or address needs its port allowed as well', () => {
    const policy = { allowHttp: false, allowed: parseAllowList(['redis', '10.0.0.1']) };
    for (const url of ['https://redis:6379/', 'https://10.0.0.1:6379/']) {
      expect(`${refuseUrl(url, policy)}`).toContain('6379');
      expect(refuseUrl(url, { ...policy, allowedPorts: [6379] })).toBeNull();
    }
  });
});

test('an international name gets the same result at every check', () => {
  const answers = new Set<unknown>();
  for (let n = 0; n < 50_000; n++) answers.add(refuseUrl('https://münchen.example/', PRODUCTION));
  expect([...answers]).toEqual([null]);
});

// biome-ignore format: one range per line is readable as a table
const REFUSED_ADDRESSES: readonly (readonly [what: string, ...addresses: string[]])[] = [
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
const addressRows = REFUSED_ADDRESSES.flatMap(([what, ...addresses]) =>
  addresses.map((address) => [address, what] as const),
);

test.each(addressRows)('%s is refused: %s', (address) => {
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
  ['4000::1', 'non-global address'],
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
