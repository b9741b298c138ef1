import { openConnections } from '@pts/db/connection/connections';
import { type Breaker, createBreaker } from '@pts/queue/health/breaker';
import { createOutageLog } from '@pts/queue/health/outage-log';
import { PATIENT } from '@pts/queue/redis/redis';
import type { Logger } from '@pts/runtime/logger';
import { Redis } from 'ioredis';
import type { Count, Counted } from './gathered-counts.ts';

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

/** The store of the limits, which all replicas share. A window begins with its first request, and ends by the store's clock. */
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
  return options.redisUrl === undefined ? postgresStore(options) : redisStore(options.redisUrl, options);
}

const COUNT_IN_REDIS = `
  redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
  return {redis.call('incrby', KEYS[1], ARGV[1]), redis.call('pttl', KEYS[1])}`;

function redisStore(url: string, { prefix, breaker, patienceMs = PATIENCE_MS.redis }: LimitStoreOptions): LimitStore {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    socketTimeout: SILENCE_MS,
    retryStrategy: PATIENT.retryStrategy,
  });
  client.on('error', breaker.outages.error);
  breaker.alsoProbe(() => client.ping());
  return {
    counter: (name, seconds) => async (key, more) => {
      const counted = await client.eval(COUNT_IN_REDIS, 1, `${prefix}:limit:${name}:${key}`, more, seconds);
      const [requests, msLeft] = counted as [number, number];
      return { requests, msLeft };
    },
    breaker,
    patienceMs,
    connected: new Promise((resolve) => client.once('ready', resolve)),
    close: async () => client.disconnect(),
  };
}

const NOW_MS = '(extract(epoch FROM statement_timestamp()) * 1000)::bigint';
const COUNT_IN_POSTGRES = `
  INSERT INTO public.rate_limits AS known (key, points, expire) VALUES ($1, $2, ${NOW_MS} + $3)
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN known.expire > ${NOW_MS} THEN known.points + $2 ELSE $2 END,
    expire = CASE WHEN known.expire > ${NOW_MS} THEN known.expire ELSE ${NOW_MS} + $3 END
  RETURNING points AS requests, (expire - ${NOW_MS})::int AS "msLeft"`;

function postgresStore({ databaseUrl, logger, patienceMs = PATIENCE_MS.postgres }: LimitStoreOptions): LimitStore {
  const { pool, close } = openConnections({
    url: databaseUrl,
    poolSize: 4,
    statementMs: patienceMs,
    connectMs: patienceMs,
  });
  const outages = createOutageLog({
    onError: (err) => logger.warn({ err: err.message }, 'rate limit store outages'),
    onNotice: (text) => logger.info(`rate limits: ${text}`),
  });
  pool.on('error', outages.error);
  // It changes nothing, but waits for a locked table.
  const probe = () => pool.query('UPDATE public.rate_limits SET points = points WHERE false');
  const breaker = createBreaker({ patienceMs, probe, outages });
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
      return close();
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
