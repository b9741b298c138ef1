import { isDecodable, isWellEncoded } from './setting.ts';

/** Where a Redis is: one server, the master that Sentinels name, or the nodes of a Cluster. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | (Access & {
      kind: 'sentinel';
      nodes: RedisNode[];
      master: string;
      db: number;
      /** Of the Sentinels themselves. */
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
