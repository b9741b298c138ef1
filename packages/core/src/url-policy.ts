import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { joined, type Message, message } from './languages/message.ts';

export type UrlPolicy = {
  /** Whether plain http may be used (outside of production). */
  allowHttp: boolean;
  /** Private receivers that are explicitly allowed. */
  allowed: AllowList;
  /** Ports that are allowed besides those of web servers. Default: none. */
  allowedPorts?: readonly number[];
};

export const MAX_URL_LENGTH = 2048;

/**
 * Checks a receiver's URL by its text alone (spec sections 2.2 and 6.4, rule 5). What its name resolves to is
 * checked at every connection.
 * @returns why it is refused and what to do, or null if it is allowed.
 */
export function refuseUrl(text: string, policy: UrlPolicy): Message | null {
  if (text.length > MAX_URL_LENGTH) return message('field.max_length', { max: MAX_URL_LENGTH });
  const url = parse(text);
  if (!url) return message('field.url_absolute');
  if (url.protocol === 'http:' && !policy.allowHttp) return message('field.url_https');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return message('field.url_https');
  if (url.username !== '' || url.password !== '') return message('field.url_user');
  const refusedHost = refuseHost(url.hostname, policy.allowed);
  if (refusedHost !== null) return refusedHost;
  return url.port === '' ? null : refusePort(Number(url.port), policy.allowedPorts ?? []);
}

/**
 * Only a text with an explicit scheme and host is absolute; `URL` alone would repair `https:example.com` or
 * `https://\\a`. Not `URL.canParse`: once optimized, that of Node 20 refuses letters such as the ü of münchen.example.
 */
function parse(text: string): URL | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/\\\s]/i.test(text)) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function refuseHost(hostname: string, allowed: AllowList): Message | null {
  const name = hostname.replace(/\.{1,255}$/, '').toLowerCase();
  const literal = name.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) {
    const range = refusedRange(literal, allowed);
    return range === null ? null : message('field.url_address', { address: literal, range });
  }
  if (allowed.names.includes(name)) return null;
  if (!name.includes('.')) return message('field.url_local', { name });
  const suffix = refusedSuffix(name);
  if (suffix) return message('field.url_suffix', { suffix });
  return isDnsName(hostname) ? null : message('field.url_dns');
}

/**
 * Names with empty or overlong labels are invalid, and resolvers treat them differently. A name may end with one dot.
 */
function isDnsName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}

/** Private receivers that the operator allows: address ranges and host names. */
export type AllowList = {
  ranges: readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];
  names: readonly string[];
};

export const NOTHING_ALLOWED: AllowList = { ranges: [], names: [] };

const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;
/** The last label of a host name is not a number, so a text that looks like an address is never a name. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** Reads an allow-list of addresses, CIDRs and names. @throws an Error naming the invalid entry. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  const names: string[] = [];
  for (const entry of entries.map((e) => e.trim().toLowerCase()).filter((e) => e !== '')) {
    const name = entry.replace(/\.$/, '');
    if (ipaddr.IPv6.isValidCIDR(entry) || ipaddr.IPv4.isValidCIDRFourPartDecimal(entry))
      ranges.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.IPv6.isValid(entry)) ranges.push([ipaddr.parse(entry), 128]);
    else if (ipaddr.IPv4.isValidFourPartDecimal(entry)) ranges.push([ipaddr.parse(entry), 32]);
    else if (NAME.test(name) && !ENDS_IN_NUMBER.test(name)) names.push(name);
    else throw new Error(`"${entry}" is neither an address, a CIDR range nor a host name`);
  }
  return { ranges, names };
}

/** Whether an allow-list may have an entry. */
export function isAllowable(entry: string): boolean {
  try {
    parseAllowList([entry]);
    return true;
  } catch {
    return false;
  }
}

/** Where clouds hand out credentials of the machine. The network policy in k8s/base refuses the same addresses. */
export const METADATA_ADDRESSES = [
  '169.254.169.254', // most clouds
  '169.254.170.2', // AWS, tasks
  '169.254.170.23', // AWS, pods
  '169.254.0.23', // Tencent
  '169.254.42.42', // Scaleway
  '168.63.129.16', // Azure, a public address
  '192.0.0.192', // Oracle
  '100.100.100.200', // Alibaba
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS, pods
  'fd20:ce::254', // Google
  'fd00:42::42', // Scaleway
  'fd00:c1::a9fe:a9fe', // Oracle
] as const;

const METADATA = new Set(METADATA_ADDRESSES.map((text) => ipaddr.parse(text).toString()));

function isMetadata(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return METADATA.has(address.toString());
}

/**
 * This machine (also by its unspecified address) and cloud metadata are allowed only by an entry for exactly that
 * address, never by a wide range or by a name; the same applies to their IPv6 forms.
 */
function needsExactEntry(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const range = address.range();
  if (range === 'loopback' || range === 'unspecified' || isMetadata(address)) return true;
  const bytes = address.toByteArray();
  const isHeld = (held: number[]) => needsExactEntry(new ipaddr.IPv4(held));
  if (range === 'ipv4Mapped' || range === 'rfc6145') return isHeld(bytes.slice(-4));
  return range === 'rfc6052' && (isHeld(bytes.slice(-4)) || heldBehind48(bytes).some(isHeld));
}

/** Behind a prefix of 48 bits, NAT64 may hold the IPv4 address around byte 8 instead of at the end (RFC 6052). */
function heldBehind48(bytes: number[]): number[][] {
  const held = [...bytes.slice(6, 8), ...bytes.slice(9, 11)];
  return held.some((byte) => byte !== 0) ? [held] : [];
}

function isAllowed(address: ipaddr.IPv4 | ipaddr.IPv6, allowed: AllowList): boolean {
  return allowed.ranges.some(([base, bits]) => {
    if (base.kind() !== address.kind()) return false;
    const whole = address.kind() === 'ipv4' ? 32 : 128;
    return (bits === whole || !needsExactEntry(address)) && address.match(base, bits);
  });
}

/** An interface identifier that holds an IPv4 address (RFC 5214): a tunnel into a network of version 4. */
function isIsatap(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const [first = 0, second, third, fourth] = address.toByteArray().slice(8, 12);
  return (first & 0xfd) === 0 && second === 0 && third === 0x5e && fourth === 0xfe;
}

/**
 * IANA assigns nothing of 2000::/3 from 3000:: on; 3ffe::/16 was that of the 6bone, 3fff::/20 is for documentation.
 */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/4');

/**
 * Checks one address that a receiver's name resolved to. Only global unicast may be reached: no private, loopback,
 * link-local, shared, multicast or reserved range, and no IPv6 form that embeds an IPv4 address.
 * @param isNamed whether the allow-list names the host that resolved to it: this allows private addresses, too.
 * @returns why it is refused, or null when it may be connected to.
 */
export function refuseAddress(text: string, allowed: AllowList = NOTHING_ALLOWED, isNamed = false): string | null {
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return `${text} is not an IP address`;
  const range = refusedRange(text, allowed, isNamed);
  return range === null ? null : `${text} is a ${range} address`;
}

/** The kind of address that a valid one is, if it is refused. */
function refusedRange(text: string, allowed: AllowList, isNamed = false): string | null {
  const address = ipaddr.parse(text);
  if (isAllowed(address, allowed) || (isNamed && !needsExactEntry(address))) return null;
  if (isMetadata(address)) return 'metadata';
  const range = address.range();
  if (range !== 'unicast') return range;
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST_V6)) return 'non-global';
  if (isIsatap(address)) return 'tunnel (ISATAP)';
  return null;
}

/**
 * Names that no public receiver has, each with everything below it. `.example` is not among them: it resolves nowhere,
 * and documentation and tests need it.
 */
// biome-ignore format: one kind per line is readable as a table
const REFUSED: readonly (readonly [what: string, ...names: string[]])[] = [
  ['special use (RFC 6761, 6762, 7686, 9476)', 'localhost', 'local', 'test', 'invalid', 'onion', 'alt'],
  ["the infrastructure of the DNS, with home networks (RFC 3172, 8375)", 'arpa'],
  ['private networks: reserved by ICANN, or not delegated because so many use them', 'internal', 'intranet', 'intra', 'private', 'priv', 'corp', 'home', 'lan', 'mail', 'domain', 'localdomain', 'localdomain6', 'workgroup', 'dmz'],
  ['Kubernetes and other service discovery', 'svc', 'pod', 'default', 'cluster', 'consul', 'nomad', 'mesos', 'docker'],
  ['metadata of clouds', 'metadata.goog', 'metadata.tencentyun.com'],
  ['routers', 'fritz.box'],
];
const SUFFIXES = REFUSED.flatMap(([, ...names]) => names.map((name) => `.${name}`));

/**
 * @param name in lower case, without a dot at its end.
 * @returns the refused suffix that it ends in; undefined if none.
 */
function refusedSuffix(name: string): string | undefined {
  return SUFFIXES.find((suffix) => `.${name}`.endsWith(suffix));
}

const WEB_PORTS: readonly number[] = [80, 443];
/** Below it, ports belong to the services of a system: mail, SSH, DNS, LDAP, SMB and so on. */
const FIRST_FREE_PORT = 1024;

/**
 * Ports of well-known services that are not web servers, from 1024 on: those that browsers refuse (the bad ports of the
 * Fetch standard), databases, queues and the control of machines. None above 32767, where systems choose ports at
 * random.
 */
// biome-ignore format: one kind per line is readable as a table
const SERVICES: readonly (readonly [what: string, ...ports: number[]])[] = [
  ['a browser refuses it', 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
  ['Microsoft SQL Server', 1433, 1434],
  ['Oracle', 1521],
  ['MySQL', 3306],
  ['PostgreSQL', 5432],
  ['PgBouncer', 6432],
  ['Redis', 6379, 6380, 16379, 26379],
  ['Memcached', 11211],
  ['MongoDB', 27017, 27018, 27019],
  ['Cassandra', 7199, 9042, 9160],
  ['CouchDB', 5984],
  ['CockroachDB', 26257],
  ['InfluxDB', 8086],
  ['ClickHouse', 8123],
  ['Elasticsearch', 9200, 9300],
  ['Kafka', 9092, 9093, 9094],
  ['AMQP', 5671, 5672],
  ['RabbitMQ', 15672, 25672],
  ['MQTT', 1883, 8883],
  ['NATS', 4222, 6222],
  ['etcd', 2379, 2380],
  ['ZooKeeper', 2181],
  ['Consul', 8300, 8301, 8302, 8500, 8501, 8600],
  ['Vault', 8200, 8201],
  ['Docker', 2375, 2376, 2377],
  ['Kubernetes', 6443, 10250, 10255, 10256, 10257, 10259],
  ['Prometheus', 9090, 9091, 9100],
  ['LDAP', 3268, 3269],
  ['mail', 2525],
  ['XMPP', 5222, 5269],
  ['Java RMI', 1099],
  ['AJP', 8009],
  ['NFS and iSCSI', 3260],
  ['remote desktops', 3389, 5900, 5901, 5902, 5903, 5985, 5986],
  ['proxies', 1080, 3128],
  ['Erlang', 4369],
  ['Git', 9418],
];
const SERVICE_OF = new Map(SERVICES.flatMap(([what, ...ports]) => ports.map((port) => [port, what] as const)));

/** @returns why a receiver may not have this port, as the end of a sentence, or null if it may. */
function refusePort(port: number, allowed: readonly number[]): Message | null {
  if (WEB_PORTS.includes(port) || allowed.includes(port)) return null;
  if (port < FIRST_FREE_PORT)
    return message('field.url_port', { port, from: FIRST_FREE_PORT, ports: joined('and', WEB_PORTS.map(String)) });
  const service = SERVICE_OF.get(port);
  return service === undefined ? null : message('field.url_service', { port: String(port), service });
}
