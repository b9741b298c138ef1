import { type Connections, openConnections } from '@pts/db/connection/connections';
import { type Breaker, createBreaker } from '@pts/queue/breaker';
import { PATIENT } from '@pts/queue/redis';
import { SERVER_TIME_MS } from '@pts/queue/server-clock';
import { createTrouble } from '@pts/queue/trouble';
import type { Logger } from '@pts/runtime/logger';
import { Redis } from 'ioredis';
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';

export type LimitStoreOptions = {
  redisUrl?: string | undefined;
  databaseUrl: string;
  prefix: string;
  /** The store of the queue: with Redis, it also holds the limits. */
  breaker: Breaker;
  logger: Logger;
  /** How long a request waits for its count before it is counted in memory. */
  patienceMs?: number;
};

export type Window = { keyPrefix: string; points: number; duration: number };
export type SharedLimiter = RateLimiterRedis | RateLimiterPostgres;

/** The store of the limits, which all replicas share. */
export type LimitStore = {
  create(window: Window): SharedLimiter;
  breaker: Breaker;
  patienceMs: number;
  /** Resolves once it is ready for the first request. */
  connected: Promise<void>;
  close(): Promise<void>;
};

const PATIENCE_MS = { redis: 50, postgres: 100 };
/** A Redis connection that is silent for this long is replaced. */
const SILENCE_MS = 2500;

export function openLimitStore(options: LimitStoreOptions): LimitStore {
  return options.redisUrl === undefined ? postgresStore(options) : redisStore(options.redisUrl, options);
}

function redisStore(url: string, { prefix, breaker, patienceMs = PATIENCE_MS.redis }: LimitStoreOptions): LimitStore {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    socketTimeout: SILENCE_MS,
    retryStrategy: PATIENT.retryStrategy,
  });
  client.on('error', breaker.trouble.error);
  breaker.alsoProbe(() => client.ping());
  return {
    create: (window) =>
      new RateLimiterRedis({ ...window, keyPrefix: `${prefix}:limit:${window.keyPrefix}`, storeClient: client }),
    breaker,
    patienceMs,
    connected: new Promise((resolve) => client.once('ready', resolve)),
    close: async () => client.disconnect(),
  };
}

function postgresStore({ databaseUrl, logger, patienceMs = PATIENCE_MS.postgres }: LimitStoreOptions): LimitStore {
  const { pool, close } = openConnections({
    url: databaseUrl,
    poolSize: 4,
    statementMs: patienceMs,
    connectMs: patienceMs,
  });
  const trouble = createTrouble({
    onError: (err) => logger.warn({ err: err.message }, 'rate limit store trouble'),
    onNotice: (text) => logger.info(`rate limits: ${text}`),
  });
  pool.on('error', trouble.error);
  // It changes nothing, but waits for a locked table.
  const probe = () => pool.query('UPDATE public.rate_limits SET points = points WHERE false');
  const breaker = createBreaker({ patienceMs, probe, trouble });
  return {
    create: (window) =>
      new RateLimiterPostgres({
        ...window,
        storeClient: onServerClock(pool),
        storeType: 'pool',
        schemaName: 'public',
        tableName: 'rate_limits',
        tableCreated: true,
      }),
    breaker,
    patienceMs,
    connected: Promise.resolve(),
    close: () => {
      breaker.close();
      return close();
    },
  };
}

/**
 * The pool for the limiter's statements, which state the time of this process ($4) and when a window that begins ends
 * ($3): the server's time takes its place, so that a replica with a wrong clock neither prolongs windows nor ends them. The
 * limiter gets the end of the window by its own clock.
 */
function onServerClock(pool: Connections['pool']) {
  return {
    query: ({ text, ...query }: { text: string; values: unknown[]; name?: string }) =>
      pool.query({
        ...query,
        text: text
          .replaceAll('$4', () => SERVER_TIME_MS)
          .replaceAll('$3', () => `(${SERVER_TIME_MS} + $3::bigint - $4::bigint)`)
          .replace(
            'RETURNING points, expire',
            () => `RETURNING points, expire - ${SERVER_TIME_MS} + $4::bigint AS expire`,
          ),
      }),
  };
}
