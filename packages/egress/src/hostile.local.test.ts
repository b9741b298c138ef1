import { textMatching } from '@pts/testing/text-matching';
import { NO_TRACE } from './exchange.ts';
import type { Resolver } from './send.ts';
import { push, recordDialled, resolvingTo, testServers } from './testing/servers.ts';

const servers = testServers();
const dialled = recordDialled();
afterEach(() => servers.close());

const CANARY = ':8099';
/** The same for a name that does not resolve and one that resolves to a refused address. */
const NOT_PUBLIC = 'dns: the host name does not resolve to a public address';

/** Texts that must be refused before any name is looked up. Each is tried with the port of a listening server. */
// biome-ignore format: one kind per line is readable as a table
const URLS: readonly (readonly [says: RegExp, ...urls: string[]])[] = [
  [/loopback/, 'http://127.0.0.1:8080/', 'http://127.0.0.1./', 'http://127.1:443/', 'http://0177.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://127.00.00.01/', 'http://0x7f.0x00.0x00.0x01/', 'http://[::1]/', 'http://[0:0:0:0:0:0:0:1]/', 'http://127.255.255.254/', 'http://127.0.0.1#@example.com/', 'http://127.0.0.1?@example.com/', 'http://127.0.0.1\\@example.com/', 'http://127.0.0.1/@example.com', 'http://１２７.0.0.1/', 'http://127。0。0。1/', 'http://127．0．0．1/', 'http://127｡0｡0｡1/', 'http://①②⑦.⓪.⓪.①/', 'http://%31%32%37.0.0.1/', 'http://127.0.0.1%2e/', 'http://12\t7.0.0.1/', 'http://127.0.\n0.1/', 'http://127.0.0.1\r/', 'HTTP://127.0.0.1/', 'http://0x7F000001/', 'http://017700000001/', 'http://0x7f.0.1/'],
  [/unspecified/, 'http://0.0.0.0/', 'http://0/', 'http://0x0/', 'http://00.0/', 'http://[::]/', 'http://[0::0]/', 'http://0.0.0.1/'],
  [/private|carrierGradeNat/, 'http://10.0.0.1/', 'http://10.1/', 'http://0xa.1/', 'http://012.1/', 'http://167772161/', 'http://172.16.0.1/', 'http://172.31.255.255/', 'http://192.168.0.1/', 'http://192.168.1/', 'http://3232235521/', 'http://100.64.0.1/', 'http://100.127.255.254/'],
  [/metadata/, 'http://169.254.169.254/latest/meta-data/', 'http://169.254.43518/', 'http://2852039166/', 'http://0xa9fea9fe/', 'http://0251.0376.0251.0376/', 'http://[fd00:ec2::254]/', 'http://[FD00:EC2:0::254]/', 'http://100.100.100.200/', 'http://168.63.129.16/', 'http://192.0.0.192/', 'http://169.254.170.2/', 'http://[fd20:ce::254]/'],
  [/linkLocal|absolute/, 'http://169.254.0.1/', 'http://[fe80::1]/', 'http://[fe80::1%25eth0]/', 'http://[fe80::1%eth0]/', 'http://[febf::1]/'],
  [/ipv4Mapped|non-global|rfc6052|rfc6145|6to4|teredo|ISATAP/, 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:a00:1]/', 'http://[::FFFF:169.254.169.254]/', 'http://[::127.0.0.1]/', 'http://[::ffff:0:127.0.0.1]/', 'http://[64:ff9b::127.0.0.1]/', 'http://[64:ff9b::a9fe:a9fe]/', 'http://[64:ff9b:1::7f00:1]/', 'http://[64:ff9b:1:7f00:0:100::]/', 'http://[2002:7f00:1::1]/', 'http://[2002:a9fe:a9fe::]/', 'http://[2001:0:7f00:1::]/', 'http://[2001::f5ff:fffe]/', 'http://[2606:4700::5efe:127.0.0.1]/', 'http://[2606:4700::200:5efe:a00:1]/'],
  [/cast|reserved|uniqueLocal|non-global|deprecated/, 'http://224.0.0.1/', 'http://239.255.255.250/', 'http://255.255.255.255/', 'http://240.0.0.1/', 'http://[ff02::1]/', 'http://192.0.2.1/', 'http://198.51.100.7/', 'http://203.0.113.9/', 'http://198.18.0.1/', 'http://[2001:db8::1]/', 'http://[fc00::1]/', 'http://[fdab::1]/', 'http://[fec0::1]/', 'http://[4000::1]/'],
  [/internal|local name/, 'http://localhost/', 'http://LOCALHOST/', 'http://localhost./', 'http://app.localhost/', 'http://ｌｏｃａｌｈｏｓｔ/', 'http://metadata/', 'http://metadata.google.internal/', 'http://METADATA.GOOGLE.INTERNAL./', 'http://metadata。google。internal/', 'http://instance-data.ec2.internal/', 'http://host.docker.internal/', 'http://kubernetes.default.svc.cluster.local/', 'http://router.lan/', 'http://git.corp/', 'http://nas.home.arpa/', 'http://redis/', 'http://lo\tcalhost/', 'http://localhost\\@example.com/', 'http://localhost#@example.com/'],
  [/user name or password/, 'http://example.com@127.0.0.1/', 'http://example.com:80@127.0.0.1/', 'http://user:pass@example.com/', 'http://a%40b@example.com/', 'http://127.0.0.1@example.com/', 'http://@@127.0.0.1/', 'http://example.com%20@127.0.0.1/', 'http://:x@example.com/'],
  [/DNS/, 'http://a..example.com/', 'http://.example.com/', 'http://example.com../', `http://${'a'.repeat(64)}.example.com/`, `http://${'a.'.repeat(130)}com/`, "http://a'.example.com/", 'http://a;b.example.com/', 'http://*.example.com/'],
  [/internal or reserved/, 'http://payments-db.prod.svc/', 'http://kubernetes.default/', 'http://localhost.localdomain/', 'http://metadata.goog/', 'http://wiki.intranet/', 'http://hooks.test/', 'http://hooks.invalid./', 'http://1.0.0.10.in-addr.arpa/'],
  [/port 22|port 6379|port 27017/, 'http://example.com:22/', 'http://example.com:6379/', 'https://example.com:27017/', 'http://8.8.8.8:22/'],
  [/port 0|absolute/, 'http://example.com:0/', 'http://example.com:65536/', 'http://example.com:99999/', 'http://example.com:-1/', 'http://example.com:8o/', 'http://example.com:80:80/'],
  [/https|absolute/, 'http://127.0.0.1:@/', 'http://127.1@/', 'http://example.com@', 'file:///etc/passwd', 'ftp://example.com/', 'gopher://127.0.0.1/', 'redis://127.0.0.1/', 'dict://127.0.0.1/', 'ws://example.com/', 'unix:/run/docker.sock', 'javascript:alert(1)', 'data:,x', '//127.0.0.1/', '127.0.0.1', 'http:127.0.0.1', 'http:/127.0.0.1/', 'http:///127.0.0.1/', 'http:\\\\127.0.0.1\\', 'http://\\127.0.0.1/', ' http://example.com/', 'http://exa mple.com/', 'http://ex%00ample.com/', 'http://[::1', 'http://1.2.3.4.5/', 'http://256.1.1.1/', ''],
  [/at most/, `http://example.com/${'a'.repeat(2048)}`],
];
const urlRows = URLS.flatMap(([says, ...urls]) => urls.map((url) => [url, says] as const));

/** What a harmless name must not resolve to. */
const ANSWERS: readonly string[][] = [
  ['127.0.0.1'],
  ['127.8.8.8'],
  ['::1'],
  ['0.0.0.0'],
  ['::'],
  ['10.0.0.1'],
  ['172.20.0.1'],
  ['192.168.1.1'],
  ['100.64.1.1'],
  ['169.254.169.254'],
  ['169.254.170.2'],
  ['100.100.100.200'],
  ['168.63.129.16'],
  ['fd00:ec2::254'],
  ['fe80::1'],
  ['fe80::1%eth0'],
  ['fc00::1'],
  ['fec0::1'],
  ['::ffff:127.0.0.1'],
  ['::ffff:10.0.0.1'],
  ['::ffff:8.8.8.8'],
  ['::127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['64:ff9b:1::a00:1'],
  ['2002:7f00:1::'],
  ['2001:0:1::1'],
  ['2606:4700::5efe:7f00:1'],
  ['224.0.0.1'],
  ['ff02::1'],
  ['255.255.255.255'],
  ['240.0.0.1'],
  ['192.0.2.1'],
  ['2001:db8::1'],
  ['3fff::1'],
  ['198.18.0.1'],
  ['192.0.0.1'],
  ['8.8.8.8', '127.0.0.1'],
  ['127.0.0.1', '8.8.8.8'],
  ['2606:4700::1111', '::1'],
  ['8.8.8.8', '2606:4700::1111', '10.0.0.1'],
  ['8.8.8.8', 'fe80::1'],
  [],
  ['localhost'],
  [''],
  ['127.1'],
  ['0x7f.1'],
  ['8.8.8.8:80'],
  ['[::1]'],
  ['8.8.8.8 '],
];

test('the table has at least 150 different hostile rows', () => {
  const rows = [...urlRows.map(([url]) => url), ...ANSWERS.map((answer) => JSON.stringify(answer))];
  expect(new Set(rows).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThanOrEqual(150);
});

test('the guard of this table sees a connection', async () => {
  const { url } = await servers.raw('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  expect(await servers.sender().send(push(url))).toMatchObject({ status: 200 });
  expect(dialled).toHaveLength(1);
});

test.each(urlRows)('%j is refused without a lookup or a connection', async (url, says) => {
  const { resolver, requested } = resolvingTo('8.8.8.8');
  const sent = await servers.sender({ allow: [], resolver }).send(push(url));
  expect(sent).toMatchObject({ kind: 'no_answer', reason: textMatching(/^blocked: /) });
  expect(sent).toMatchObject({ reason: textMatching(says) });
  expect([requested, dialled]).toEqual([[], []]);
});

test.each(ANSWERS.map((answer) => [answer]))(
  'a harmless name that resolves to %j is refused without a connection',
  async (answer) => {
    const { resolver, requested } = resolvingTo(...answer);
    const sent = await servers.sender({ allow: [], resolver }).send(push(`http://hooks.example${CANARY}/`));
    expect(sent).toMatchObject({
      kind: 'no_answer',
      reason: NOT_PUBLIC,
      detail: expect.stringMatching(/^hooks\.example resolves to (a refused address: |no address)/),
      trace: NO_TRACE,
    });
    expect([requested, dialled]).toEqual([['hooks.example'], []]);
  },
);

test.each(['ENOTFOUND', 'EAI_AGAIN', 'ESERVFAIL', 'ENODATA', 'ETIMEOUT'])(
  'a resolver that returns %s is not queried again',
  async (code) => {
    const requested: string[] = [];
    const resolver: Resolver = (hostname, _options, callback) => {
      requested.push(hostname);
      callback(Object.assign(new Error(code), { code }), []);
    };
    const sent = await servers.sender({ allow: [], resolver }).send(push('http://gone.example/'));
    expect(sent).toMatchObject({ kind: 'no_answer', reason: NOT_PUBLIC, detail: code, trace: NO_TRACE });
    expect([requested, dialled]).toEqual([['gone.example'], []]);
  },
);

test('a resolver that answers after the deadline leads to no connection', async () => {
  const late: (() => void)[] = [];
  const resolver: Resolver = (_hostname, _options, callback) =>
    void late.push(() => callback(null, [{ address: '127.0.0.1', family: 4 }]));
  const { send } = servers.sender({ resolver, timeoutMs: 50 });
  const sent = await send(push('http://slow.example/'));
  expect(sent).toMatchObject({
    kind: 'no_answer',
    reason: 'timeout: no response within 0.05 s',
    trace: { address: null },
  });
  for (const answer of late) answer();
  await new Promise(setImmediate);
  expect(dialled).toEqual([]);
});

/** Receivers that must be allowed: the name is resolved, and its address is connected to. */
const ALLOWED: readonly (readonly [url: string, name: string])[] = [
  'http://hooks.example/',
  'http://HOOKS.example/',
  'http://hooks.example./',
  'http://hooks.example/a?b=c#d',
  'http://a.b.c.d.example/',
  'http://a_b.example/',
  'http://xn--fiqs8s.example/',
  'http://中国.example/',
  'http://münchen.example/',
  'http://1.example/',
  'http://127.0.0.1.example/',
  'http://10.example.com/',
  'http://localhost.example/',
  'http://internal.example/',
  'http://notinternal.com/',
  'http://metadata.google.internal.example/',
  'http://hooks。example/',
  `http://${'a'.repeat(63)}.example/`,
  'http://hooks.example/@127.0.0.1',
  'http://hooks.example/?url=http://127.0.0.1/',
  'http://hooks.example/\\127.0.0.1',
  'HTTP://hooks.example/',
].map((url) => [url, new URL(url).hostname]);

test('the table has at least 20 rows that are allowed', () => {
  expect(ALLOWED.length).toBeGreaterThanOrEqual(20);
});

test.each(ALLOWED)('%j is sent to', async (url, name) => {
  const { port, requests } = await servers.raw('HTTP/1.1 204 No Content\r\n\r\n');
  const { resolver, requested } = resolvingTo('127.0.0.1');
  const here = url.replace(/^http:\/\/[^/]+/i, (host) => `${host}:${port}`);
  const sent = await servers.sender({ resolver }).send(push(here));
  expect(sent).toMatchObject({ kind: 'answered', status: 204, trace: { address: '127.0.0.1' } });
  expect(requested).toEqual([name]);
  expect(requests).toHaveLength(1);
});
