import { parseRedisAddress, REDIS_URL_FORMS } from '@pts/core/settings';
import { Cluster, Redis, type RedisOptions } from 'ioredis';

/** A connection to one server (perhaps the master that Sentinels name), or to all nodes of a Cluster. */
export type RedisClient = Redis | Cluster;

export type ClientOptions = Pick<
  RedisOptions,
  | 'connectionName'
  | 'lazyConnect'
  | 'enableOfflineQueue'
  | 'maxRetriesPerRequest'
  | 'connectTimeout'
  | 'commandTimeout'
  | 'socketTimeout'
  | 'disconnectTimeout'
  | 'keepAlive'
> & {
  /** @returns milliseconds until connection attempt n + 1; null: no further one. */
  retryStrategy?: (n: number) => number | null;
};

/** How long a Cluster may take to say which node has which slots. */
const SLOTS_MS = 2000;

/**
 * A connection to the Redis of an address (`redis-address.ts`), which it follows through a failover.
 * @throws an Error that lists the forms of an address, if it has none of them.
 */
export function openClient(url: string, options: ClientOptions): RedisClient {
  const address = parseRedisAddress(url);
  if (address === null) throw new Error(`a Redis is given as ${REDIS_URL_FORMS}`);
  if (address.kind === 'server') return new Redis(url, options);
  const { nodes, username, password, isTls } = address;
  const access = { ...(username && { username }), ...(password && { password }), ...(isTls && { tls: {} }) };
  const { retryStrategy = () => null, enableOfflineQueue = true, lazyConnect = false, ...each } = options;
  if (address.kind === 'cluster')
    return new Cluster(nodes, {
      redisOptions: { ...each, ...access },
      enableOfflineQueue,
      lazyConnect,
      clusterRetryStrategy: retryStrategy,
      slotsRefreshTimeout: SLOTS_MS,
      // A certificate is for a name; a node says its address.
      ...(isTls && { dnsLookup: (host: string, found: (error: null, host: string) => void) => found(null, host) }),
    });
  return new Redis({
    ...options,
    ...access,
    db: address.db,
    sentinels: nodes,
    name: address.master,
    ...(address.sentinelPassword && { sentinelPassword: address.sentinelPassword }),
    ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    sentinelRetryStrategy: retryStrategy,
    // A master that has become a replica keeps its connections.
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
  });
}

/** Whether the keys of an address are spread over servers. */
export function isCluster(url: string): boolean {
  return parseRedisAddress(url)?.kind === 'cluster';
}
