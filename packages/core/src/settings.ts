import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The environment of a process, as its `main.ts` hands it on. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting: its environment variable, its schema and its purpose. */
export type Setting<T> = {
  env: string;
  schema: Record<string, unknown>;
  about: string;
  /** Absent: the setting is required. */
  fallback?: T;
  /** Never logged. */
  secret?: true;
  /** Checks beyond the schema: the fault as the end of a sentence, or null. It never shows a part of a secret. */
  fault?(text: string, env: Environment): string | null;
  /** Converts the text of the variable; called after the schema check. */
  read(text: string): T;
};

type More<T> = Pick<Setting<T>, 'fallback' | 'secret' | 'fault'> & { schema?: Record<string, unknown> };

/** The checks of an address over HTTP. */
export const HTTP_URL = {
  fault: (url: string) =>
    /^https?:\/\//.test(url) && URL.canParse(url) ? null : 'is not a URL, such as https://example.com',
};

/** The form that `isWellEncoded` asks for, as the end of a sentence. */
export const ENCODED_FORM =
  'special characters of its user, password and path must be percent-encoded (@ as %40, # as %23, / as %2F, ? as %3F, % as %25)';

/**
 * Whether the parts of an address with credentials are where they seem to be. Otherwise a part of the password is taken
 * for the host, and appears wherever the host is named.
 */
export function isWellEncoded(url: string): boolean {
  const [scheme = '', ...afterScheme] = url.split('://');
  const address = afterScheme.join('://');
  if (!/^[a-z+]{1,20}$/i.test(scheme) || address.includes('#')) return false;
  const end = address.search(/[/?]/);
  const [authority, rest] = end === -1 ? [address, ''] : [address.slice(0, end), address.slice(end)];
  return authority.split('@').length <= 2 && !rest.includes('@') && isDecodable(authority);
}

/** Whether each percent sign begins the code of a character. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The text of a variable; undefined when it is not set. An empty variable counts as unset. */
export function textIn(env: Environment, variable: string): string | undefined {
  return env[variable]?.trim() || undefined;
}

export function text(env: string, about: string, more: More<string> = {}): Setting<string> {
  return { env, about, read: (value) => value, ...more, schema: { type: 'string', ...more.schema } };
}

export function optionalText(
  env: string,
  about: string,
  more: Omit<More<string>, 'fallback'> = {},
): Setting<string | undefined> & { fallback: undefined } {
  return {
    env,
    about,
    read: (value) => value,
    ...more,
    fallback: undefined,
    schema: { type: 'string', ...more.schema },
  };
}

/** @param maximum the most that makes sense: a larger value is a wrong unit or a slip of the finger. */
export function integer(
  env: string,
  about: string,
  fallback: number,
  minimum: number,
  maximum: number,
): Setting<number> & { fallback: number } {
  return { env, about, fallback, schema: { type: 'integer', minimum, maximum }, read: Number };
}

/** A number that may have decimals, above 0. */
export function decimal(
  env: string,
  about: string,
  fallback: number,
  maximum: number,
): Setting<number> & { fallback: number } {
  return { env, about, fallback, schema: { type: 'number', exclusiveMinimum: 0, maximum }, read: Number };
}

export function flag(env: string, about: string, fallback: boolean): Setting<boolean> {
  return { env, about, fallback, schema: { type: 'boolean' }, read: (value) => value === 'true' };
}

export function list(env: string, about: string): Setting<string[]> {
  return { env, about, fallback: [], schema: { type: 'string' }, read: readList };
}

/** Port numbers, separated by commas. */
export function ports(env: string, about: string): Setting<number[]> {
  const isPort = (part: string) => /^\d{1,5}$/.test(part) && Number(part) >= 1 && Number(part) <= 65_535;
  const fault = (value: string) => {
    const wrong = readList(value).find((part) => !isPort(part));
    return wrong === undefined ? null : `has "${wrong}", which is not a port from 1 to 65535`;
  };
  return { env, about, fallback: [], schema: { type: 'string' }, fault, read: (value) => readList(value).map(Number) };
}

/** The parts of a comma-separated text, without the empty ones. */
export function readList(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * Where a PostgreSQL is, for operators: host, port and database, without the password.
 * @returns null if node-postgres cannot read the URL. Its host may be missing, or a parameter, such as the folder of a
 *   socket
 */
export function showDatabaseAddress(url: string): string | null {
  const complete = url.replace('@/', '@localhost/');
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(complete) || !isWellEncoded(url)) return null;
  const { hostname, port, pathname, searchParams } = new URL(complete);
  return `${searchParams.get('host') || hostname || 'localhost'}:${port || 5432}${pathname}`;
}

/** Where a Redis is: one server, the master that Sentinels name, or the nodes of a Cluster. */
type RedisAddress =
  | { kind: 'server'; url: string }
  | (Access & {
      kind: 'sentinel';
      nodes: RedisNode[];
      master: string;
      db: number;
      /** The password of the Sentinels themselves. */
      sentinelPassword?: string;
    })
  | (Access & { kind: 'cluster'; nodes: RedisNode[] });

export type RedisNode = { host: string; port: number };

type Access = { username?: string; password?: string; isTls: boolean };

export const REDIS_URL_FORMS =
  'redis://HOST:PORT, redis+sentinel://HOST:PORT,HOST:PORT/MASTER or redis+cluster://HOST:PORT,HOST:PORT (rediss… with TLS)';

const ONE = /^rediss?:\/\//;
const MANY = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@]*)@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const NODE = /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;
const PORTS = { sentinel: 26_379, cluster: 6379 } as const;

/**
 * Reads `redis://…`, `redis+sentinel://[USER:PASSWORD@]HOST[:PORT],…/MASTER[/DB][?sentinelPassword=…]` and
 * `redis+cluster://[USER:PASSWORD@]HOST[:PORT],…`; with `rediss` in place of `redis`, over TLS.
 * @returns null if it is none of these.
 */
export function parseRedisAddress(url: string): RedisAddress | null {
  if (!isWellEncoded(url)) return null;
  if (ONE.test(url)) return isServer(url) ? { kind: 'server', url } : null;
  const [, scheme, kind, credentials = '', hosts = '', path = '', query = ''] = MANY.exec(url) ?? [];
  const nodes = hosts.split(',').map((text) => nodeOf(text, kind === 'sentinel' ? PORTS.sentinel : PORTS.cluster));
  if (!scheme || !nodes.every((node) => node !== null) || !isDecodable(`${credentials}${path}`)) return null;
  const access = { ...accessOf(credentials), isTls: scheme === 'rediss' };
  if (kind === 'cluster') return path === '' && query === '' ? { kind, nodes, ...access } : null;
  const [master = '', db = '0', ...more] = path.split('/');
  const sentinelPassword = new URLSearchParams(query).get('sentinelPassword');
  if (master === '' || more.length > 0 || !/^\d{1,3}$/.test(db)) return null;
  return {
    kind: 'sentinel',
    nodes,
    master: decodeURIComponent(master),
    db: Number(db),
    ...(sentinelPassword !== null && { sentinelPassword }),
    ...access,
  };
}

function isServer(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, pathname } = new URL(url);
  return isDecodable(`${username}${password}`) && /^\/?\d*$/.test(pathname);
}

function nodeOf(text: string, fallback: number): RedisNode | null {
  const [, host, port] = NODE.exec(text) ?? [];
  if (host === undefined || Number(port ?? fallback) > 65_535) return null;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? fallback) };
}

function accessOf(credentials: string): Pick<Access, 'username' | 'password'> {
  if (credentials === '') return {};
  const colon = credentials.indexOf(':');
  const [user, password] = colon < 0 ? ['', credentials] : [credentials.slice(0, colon), credentials.slice(colon + 1)];
  return {
    ...(user !== '' && { username: decodeURIComponent(user) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

/** Where it is, without credentials: `10.0.0.1:6379`, `sentinel a:26379,b:26379/main`. */
export function showRedisAddress(address: RedisAddress): string {
  if (address.kind === 'server') {
    const { hostname, port } = new URL(address.url);
    return `${hostname}:${port || PORTS.cluster}`;
  }
  const nodes = address.nodes.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
  return address.kind === 'sentinel' ? `sentinel ${nodes}/${address.master}` : `cluster ${nodes}`;
}

/** The form that `isProxyUrl` accepts, in words. */
export const PROXY_URL_FORM = 'http(s)://[user:password@]host[:port]';

/** Whether a text is the address of an HTTP proxy. Special characters of its credentials are percent-encoded. */
export function isProxyUrl(url: string): boolean {
  if (!URL.canParse(url) || !isWellEncoded(url)) return false;
  const { protocol, pathname, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && `${pathname}${search}${hash}` === '/';
}

/** Says what is wrong with the proxies of TRUST_PROXY, as the end of a sentence; null if Express can trust them. */
export function trustedProxiesFault(proxies: string): string | null {
  if (/^\d+$/.test(proxies)) return null;
  const wrong = proxies.split(',').find((range) => !isRange(range.trim()));
  return wrong === undefined
    ? null
    : `has "${wrong.trim()}"; it must be a number of proxies, or a list of addresses and ranges, such as 10.0.0.0/8`;
}

/** Also with a mask, such as 10.0.0.0/255.0.0.0, or one of the names that Express knows. */
function isRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', width, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (width === undefined) return true;
  const bits = isIP(width) === 4 && version === 4 ? ipaddr.IPv4.parse(width).prefixLengthFromSubnetMask() : width;
  return /^\d+$/.test(`${bits}`) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}

/** A random key has about thirty distinct bytes. */
const FEWEST_DISTINCT_BYTES = 16;
const LONGEST_PERIOD = 16;

/**
 * Why a key of 32 bytes is clearly not random: typed in, counted up or repeated. The chance that a random key is
 * refused is below one in two billion, nearly all of it `one case`; the comment at each rule says how much it adds.
 * @param keyBase64 32 bytes in standard base64, checked before.
 * @returns null if the key passes.
 */
export function keyWeakness(keyBase64: string): string | null {
  const key = Buffer.from(keyBase64, 'base64');
  return RULES.find(({ holds }) => holds(key, keyBase64.replace(/=$/, '')))?.weakness ?? null;
}

/** Says what is wrong with a list of keys, separated by commas, as the end of a sentence; null if nothing is. */
export function keysFault(text: string): string | null {
  const keys = readList(text);
  if (new Set(keys).size < keys.length) return 'has the same key twice';
  for (const [at, key] of keys.entries()) {
    const fault = keyFault(key);
    if (fault !== null) return keys.length === 1 ? fault : `(key ${at + 1} of ${keys.length}) ${fault}`;
  }
  return keys.length === 0 ? 'has no key; generate one with: openssl rand -base64 32' : null;
}

function keyFault(key: string): string | null {
  const isKey = /^[A-Za-z0-9+/]{43}=$/.test(key);
  const weakness = isKey ? keyWeakness(key) : null;
  if (isKey && weakness === null) return null;
  const fault = isKey ? `is not a random key (${weakness})` : 'is not 32 bytes in base64';
  return `${fault}; generate one with: openssl rand -base64 32`;
}

type Rule = { weakness: string; holds(key: Buffer, text: string): boolean };

const RULES: readonly Rule[] = [
  // (1/256)^16: the second half follows from the first.
  { weakness: 'its bytes repeat', holds: repeats },
  // (98/256)^32 ≈ 5e-14 for ASCII; longer characters are rarer still.
  { weakness: 'it is text', holds: isText },
  // C(256,15) × (15/256)^32 ≈ 3e-16.
  { weakness: 'it has very few distinct bytes', holds: (key) => new Set(key).size < FEWEST_DISTINCT_BYTES },
  // C(31,16) × (1/256)^16 × 256 ≈ 2e-28 for the bytes, C(42,22) × (1/64)^21 ≈ 6e-27 for the characters.
  { weakness: 'its bytes count up or down', holds: (key, text) => counts(key) || counts(Buffer.from(text)) },
  // 2 × (38/64)^43 ≈ 4e-10.
  { weakness: 'all its letters have the same case', holds: (_key, text) => !/[a-z]/.test(text) || !/[A-Z]/.test(text) },
];

function repeats(key: Buffer): boolean {
  const periods = Array.from({ length: LONGEST_PERIOD }, (_, index) => index + 1);
  return periods.some((period) => key.every((byte, at) => at < period || byte === key[at - period]));
}

/** Whether most neighbouring bytes differ by the same step. */
function counts(bytes: Buffer): boolean {
  const steps = new Map<number, number>();
  for (let at = 1; at < bytes.length; at++) {
    const step = ((bytes[at] ?? 0) - (bytes[at - 1] ?? 0)) & 255;
    steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  return Math.max(...steps.values()) > (bytes.length - 1) / 2;
}

/** Whether the bytes are UTF-8 without control characters: a sentence in any language. */
function isText(key: Buffer): boolean {
  try {
    return !/[^\P{Cc}\t\r\n]/u.test(new TextDecoder('utf-8', { fatal: true }).decode(key));
  } catch {
    return false;
  }
}
