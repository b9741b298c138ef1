/**
 * The number of requests of a fuzz test, and its seed: FUZZ_SEED with the seed of a failed run repeats its requests.
 */
export function fuzzSettings(): { count: number; seed: number } {
  const { FUZZ_COUNT, FUZZ_SEED } = process.env;
  const count = Number(FUZZ_COUNT ?? 3000);
  const seed = FUZZ_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error('FUZZ_COUNT must be how many requests to send');
  if (!Number.isInteger(seed)) throw new Error('FUZZ_SEED must be a whole number: the seed that a run printed');
  return { count, seed };
}

/** Addresses that nothing of ours may ever connect to, one or two of every range. */
// biome-ignore format: one kind per line is readable as a table
export const PRIVATE_V4 = [
  '127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3',
  '10.0.0.1', '10.255.255.254', '172.16.0.1', '172.31.255.254', '192.168.0.1', '192.168.255.254',
  '100.64.0.1', '100.127.255.254', '169.254.169.254', '169.254.170.2', '100.100.100.200',
  '192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255',
] as const;

// biome-ignore format: one kind per line is readable as a table
export const PRIVATE_V6 = [
  '::', '::1', '0:0:0:0:0:0:0:1', 'fe80::1', 'febf::1', 'fec0::1', 'fc00::1', 'fd12:3456:789a::1',
  'fd00:ec2::254', 'fd20:ce::254', 'ff02::1', 'ff0e::1', '100::1', '2001:db8::1', '3fff::1', '4000::1', '2001:10::1', '3ffe::1',
] as const;

const PRIVATE_NAMES = [
  ...['localhost', 'app.localhost', 'redis', 'metadata', 'metadata.google.internal', 'instance-data.ec2.internal'],
  ...['host.docker.internal', 'kubernetes.default.svc.cluster.local', 'printer.local', 'router.lan', 'git.corp'],
  ...['nas.home.arpa', 'payments-db.prod.svc', 'kubernetes.default', 'localhost.localdomain', 'metadata.goog'],
  ...['wiki.intranet', 'git.private', 'nas.home', 'hooks.test', 'hooks.invalid', 'abcdefgh.onion', 'hooks.alt'],
  '1.0.0.10.in-addr.arpa',
];

type Octets = readonly [number, number, number, number];

function octetsOf(address: string): Octets {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a, b, c, d];
}
const hex = (value: number) => value.toString(16);
const octal = (value: number) => `0${value.toString(8)}`;
const asNumber = ([a, b, c, d]: Octets) => ((a * 256 + b) * 256 + c) * 256 + d;
const groups = ([a, b, c, d]: Octets) => `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
const inverted = ([a, b, c, d]: Octets): Octets => [a ^ 255, b ^ 255, c ^ 255, d ^ 255];
const inDigits = (text: string, zero: number) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const inPercents = (text: string) => text.replace(/\d/g, (digit) => `%3${digit}`);

/** All notations of an IPv4 address in a URL, and the IPv6 addresses that contain one. */
const NOTATIONS: Readonly<Record<string, (octets: Octets) => string>> = {
  dotted: (o) => o.join('.'),
  'with a dot after it': (o) => `${o.join('.')}.`,
  decimal: (o) => String(asNumber(o)),
  hexadecimal: (o) => `0x${hex(asNumber(o))}`,
  'hexadecimal in upper case': (o) => `0X${hex(asNumber(o)).toUpperCase()}`,
  octal: (o) => octal(asNumber(o)),
  'octal parts': (o) => o.map(octal).join('.'),
  'hexadecimal parts': (o) => o.map((part) => `0x${hex(part)}`).join('.'),
  'long octal parts': (o) => o.map((part) => `0000${part.toString(8)}`).join('.'),
  'mixed parts': ([a, b, c, d]) => `0x${hex(a)}.${octal(b)}.${c}.0x${hex(d)}`,
  'two parts': ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  'three parts': ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  'full-width digits': (o) => inDigits(o.join('.'), 0xff10),
  'mathematical digits': (o) => inDigits(o.join('.'), 0x1d7ce),
  'ideographic full stops': (o) => o.join('。'),
  'full-width full stops': (o) => o.join('．'),
  'half-width full stops': (o) => o.join('｡'),
  'percent signs': (o) => inPercents(o.join('.')),
  'percent signs for dots': (o) => o.join('%2e'),
  'a tab within': (o) => o.join('.').replace('.', '.\t'),
  'a line break within': (o) => o.join('.').replace('.', '.\n'),
  'IPv4-mapped': (o) => `[::ffff:${groups(o)}]`,
  'IPv4-mapped, dotted': (o) => `[::ffff:${o.join('.')}]`,
  'IPv4-mapped, written out': (o) => `[0:0:0:0:0:FFFF:${groups(o).toUpperCase()}]`,
  'IPv4-compatible': (o) => `[::${o.join('.')}]`,
  'IPv4-translated': (o) => `[::ffff:0:${groups(o)}]`,
  NAT64: (o) => `[64:ff9b::${groups(o)}]`,
  'NAT64, dotted': (o) => `[64:ff9b::${o.join('.')}]`,
  'local NAT64': (o) => `[64:ff9b:1::${groups(o)}]`,
  '6to4': (o) => `[2002:${groups(o)}::1]`,
  'Teredo server': (o) => `[2001:0:${groups(o)}::1]`,
  'Teredo client': (o) => `[2001::${groups(inverted(o))}]`,
  ISATAP: (o) => `[2606:4700::5efe:${groups(o)}]`,
  'ISATAP, global': (o) => `[2606:4700::200:5efe:${groups(o)}]`,
};

/** A private IPv4 address as the host of a URL, in every notation. */
export function notationsOf(address: string): string[] {
  const octets = octetsOf(address);
  return Object.values(NOTATIONS).map((write) => write(octets));
}

/** Spellings of a name that are equivalent. */
const NAME_FORMS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => `${name}.`,
  (name) => name.replaceAll('.', '。'),
  (name) =>
    [...name].map((char) => (/[a-z]/.test(char) ? String.fromCodePoint(char.charCodeAt(0) + 0xfee0) : char)).join(''),
  (name) => `%${hex(name.charCodeAt(0))}${name.slice(1)}`,
];

/** Whole URLs around a hostile host: ports, user names, and parts that look like another host. */
const AROUND: readonly ((host: string) => string)[] = [
  (host) => `https://${host}/`,
  (host) => `http://${host}/latest/meta-data/`,
  (host) => `https://${host}:8443/hooks`,
  (host) => `https://${host}#@example.com/`,
  (host) => `https://${host}?@example.com/`,
  (host) => `https://${host}\\@example.com/`,
  (host) => `https://example.com@${host}/`,
  (host) => `https://example.com:443@${host}/`,
  (host) => `HTTPS://user:pass@${host}/`,
];

const OTHERS = [
  ...['file:///etc/passwd', 'ftp://example.com/', 'gopher://127.0.0.1:6379/_INFO', 'redis://127.0.0.1/'],
  ...['dict://127.0.0.1:11211/', 'ldap://127.0.0.1/', 'ws://example.com/', 'unix:/var/run/docker.sock'],
  ...['javascript:alert(1)', 'data:text/plain,x', '//127.0.0.1/', '127.0.0.1', 'https:127.0.0.1', 'https:/127.0.0.1/'],
  ...['https:///127.0.0.1/', 'https:\\\\127.0.0.1\\', 'https://example.com:0/', 'https://example.com:65536/'],
  ...[
    'https://[fe80::1%25eth0]/',
    'https://[::1',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    'https://a..example.com/',
  ],
  ...[1, 22, 25, 53, 139, 445, 3306, 5432, 6379, 9200, 10_250, 11_211, 27_017].map(
    (port) => `https://example.com:${port}/`,
  ),
  ...['https://*.example.com/', 'https://exa mple.com/', 'https://ex%00ample.com/', 'https://xn--/', 'https://com/'],
];

/** URLs that no receiver may have, each once: every private address in every notation, names, disguises, schemes. */
export function hostileUrls(): string[] {
  const literals = [...PRIVATE_V4.flatMap(notationsOf), ...PRIVATE_V6.map((address) => `[${address}]`)];
  const names = PRIVATE_NAMES.flatMap((name) => NAME_FORMS.map((form) => form(name)));
  const plain = [...literals, ...names].map((host) => `https://${host}/`);
  const disguised = ['127.0.0.1', '169.254.169.254', '[::1]', 'localhost'].flatMap((host) =>
    AROUND.map((around) => around(host)),
  );
  return [...new Set([...plain, ...disguised, ...OTHERS])];
}
