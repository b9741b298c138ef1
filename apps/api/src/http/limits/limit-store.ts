import { DeadlinePool } from '@pts/db/pool';
import { type Breaker, createBreaker } from '@pts/queue/health/breaker';
import { createOutageLog } from '@pts/queue/health/outage-log';
import { isCluster, openClient } from '@pts/queue/redis/client';
import { namingRedis } from '@pts/queue/redis/describe-fault';
import { PATIENT } from '@pts/queue/redis/redis';
import type { Logger } from '@pts/runtime/logger';

/** The window of a key after a count: its requests so far, and the milliseconds until it ends. */
export type Counted = { requests: number; msLeft: number };
/** Counts requests of a key. */
export type Count = (key: string, requests: number) => Promise<Counted>;

export type LimitStoreOptions = {
  redisUrl?: string | undefined;
  /** Another Redis than that of the queue, for the limits alone. */
  redisLimitsUrl?: string | undefined;
  databaseUrl: string;
  prefix: string;
  /** The store of the queue: without a Redis for the limits alone, its Redis also holds the limits. */
  breaker: Breaker;
  logger: Logger;
  /** How long a request waits for its count before it is counted in memory. */
  patienceMs?: number;
};

/**
 * The store of the limits, which all replicas share. A window begins with its first request, and ends by the store's
 * clock.
 */
export type LimitStore = {
  /** Counts in windows of this length; the limits have different names. */
  counter(name: string, seconds: number): Count;
  breaker: Breaker;
  patienceMs: number;
  /** Resolves once it is ready for the first request. */
  connected: Promise<void>;
  close(): Promise<void>;
};

const PATIENCE_MS = { redis: 50, postgres: 100 };
/** A Redis connection that is silent for this long is replaced. */
const SILENCE_MS = 2500;
const FORGET_EVERY_MS = 300_000;

export function openLimitStore(options: LimitStoreOptions): LimitStore {
  const { redisUrl, redisLimitsUrl = redisUrl } = options;
  return redisLimitsUrl === undefined ? postgresStore(options) : redisStore(redisLimitsUrl, options);
}

const COUNT_IN_REDIS = `
  redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
  return {redis.call('incrby', KEYS[1], ARGV[1]), redis.call('pttl', KEYS[1])}`;

function redisStore(url: string, options: LimitStoreOptions): LimitStore {
  const { redisLimitsUrl, logger, patienceMs = PATIENCE_MS.redis } = options;
  // On a Cluster, limits are spread over all servers.
  const prefix = isCluster(url) ? options.prefix.replaceAll(/[{}]/g, '') : options.prefix;
  const client = openClient(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    socketTimeout: SILENCE_MS,
    retryStrategy: PATIENT.retryStrategy,
  });
  const probe = () => client.ping();
  const own = redisLimitsUrl === undefined ? null : ownBreaker(probe, patienceMs, logger, url);
  const breaker = own ?? options.breaker;
  client.on('error', breaker.outages.error);
  if (!own) breaker.alsoProbe(probe);
  return {
    counter: (name, seconds) => async (key, more) => {
      const counted = await client.eval(COUNT_IN_REDIS, 1, `${prefix}:limit:${name}:${key}`, more, seconds);
      const [requests, msLeft] = counted as [number, number];
      return { requests, msLeft };
    },
    breaker,
    patienceMs,
    connected: new Promise((resolve) => client.once('ready', resolve)),
    close: async () => {
      own?.close();
      client.disconnect();
    },
  };
}

/** The breaker of a store that holds nothing but limits. */
function ownBreaker(probe: () => Promise<unknown>, patienceMs: number, logger: Logger, redisUrl?: string): Breaker {
  const onError = (err: Error) => logger.warn({ err: err.message }, 'rate limit outage');
  const outages = createOutageLog({
    onError: redisUrl === undefined ? onError : namingRedis(redisUrl, onError),
    onInfo: (text) => logger.info(`rate limits: ${text}`),
  });
  return createBreaker({ patienceMs, probe, outages });
}

const NOW_MS = '(extract(epoch FROM statement_timestamp()) * 1000)::bigint';
/** A count that waited for one that began the window a moment after it has no more than the window left either. */
const COUNT_IN_POSTGRES = `
  INSERT INTO public.rate_limits AS known (key, points, expire) VALUES ($1, $2, ${NOW_MS} + $3)
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN known.expire > ${NOW_MS} THEN known.points + $2 ELSE $2 END,
    expire = CASE WHEN known.expire > ${NOW_MS} THEN known.expire ELSE ${NOW_MS} + $3 END
  RETURNING points AS requests, LEAST(expire - ${NOW_MS}, $3)::int AS "msLeft"`;

function postgresStore({ databaseUrl, logger, patienceMs = PATIENCE_MS.postgres }: LimitStoreOptions): LimitStore {
  const pool = new DeadlinePool({
    url: databaseUrl,
    poolSize: 4,
    statementMs: patienceMs,
    connectMs: patienceMs,
  });
  // It changes nothing, but waits for a locked table.
  const probe = () => pool.query('UPDATE public.rate_limits SET points = points WHERE false');
  const breaker = ownBreaker(probe, patienceMs, logger);
  const { outages } = breaker;
  pool.on('error', outages.error);
  const forget = () => pool.query(`DELETE FROM public.rate_limits WHERE expire < ${NOW_MS}`).catch(outages.error);
  const forgetting = setInterval(forget, FORGET_EVERY_MS);
  return {
    counter: (name, seconds) => async (key, more) => {
      const { rows } = await pool.query<Counted>(COUNT_IN_POSTGRES, [`${name}:${key}`, more, seconds * 1000]);
      const [counted] = rows;
      if (!counted) throw new Error('the count of a limit returned nothing');
      return counted;
    },
    breaker,
    patienceMs,
    connected: Promise.resolve(),
    close: () => {
      clearInterval(forgetting);
      breaker.close();
      return pool.close();
    },
  };
}

/**
 * Counts in this process alone.
 * @param now a monotonic clock in milliseconds.
 */
export function countInMemory(seconds: number, now: () => number): Count {
  // In the order in which they end, because all are equally long.
  const windows = new Map<string, { requests: number; endsAt: number }>();
  return async (key, more) => {
    const at = now();
    for (const [ended, { endsAt }] of windows) {
      if (endsAt > at) break;
      windows.delete(ended);
    }
    const { requests, endsAt } = windows.get(key) ?? { requests: 0, endsAt: at + seconds * 1000 };
    windows.set(key, { requests: requests + more, endsAt });
    return { requests: requests + more, msLeft: endsAt - at };
  };
}
