import { LIMITS, type LimitName } from '@pts/contract/limits';
import { openConnections } from '@pts/db/connection/connections';
import type { Logger } from '@pts/runtime/logger';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type BlockMemory, createBlockMemory } from './block-memory.ts';
import { type Counter, gathered } from './gathered-counts.ts';

/** Invalid keys per minute and address, before the address is limited. */
const AUTH_FAILURES_PER_MINUTE = 30;

/** The state of a limit, as the RateLimit headers report it. */
export type Usage = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };

/** The message for a client over a limit: why to wait longer than `RateLimit-Reset`. */
export function tooManyText({ limit, resetSeconds }: Usage): string {
  const requests = limit === 1 ? 'request' : 'requests';
  const seconds = resetSeconds === 1 ? 'second' : 'seconds';
  return `This endpoint allows ${limit} ${requests} per second for each account. Wait 120 seconds (Retry-After), then send requests more slowly. The window itself resets in ${resetSeconds} ${seconds} (RateLimit-Reset), but waiting only for that hits the limit again at once.`;
}

export type Limiter = {
  /** Counts one request of an account against an endpoint's limit. Null: the endpoint has none. */
  take(limit: LimitName, accountId: string): Promise<Usage | null>;
  /** Counts an invalid key against its address. @returns whether the address is still below the limit. */
  takeAuthFailure(address: string): Promise<boolean>;
  close(): Promise<void>;
};

type Options = {
  redisUrl?: string | undefined;
  databaseUrl: string;
  prefix: string;
  /** `endpoint=number` pairs, or `off` (RATE_LIMITS). */
  changes: readonly string[];
  logger: Logger;
  /** How long a window is. */
  windowSeconds?: number;
  /** How long a request waits for its count before it is counted in memory. */
  patienceMs?: number;
};

/**
 * Limits that all replicas share, stored in Redis or, without Redis, in Postgres. While the store is unreachable, each
 * replica counts in its own memory: limits still apply, but less exactly. A client over a limit is refused from memory
 * until its window ends, so that a flood causes no load on the store.
 */
export function createLimiter(options: Options): Limiter {
  const limits = withChanges(options.changes);
  const duration = options.windowSeconds ?? 1;
  const store = options.redisUrl === undefined ? postgresStore(options) : redisStore(options.redisUrl, options);
  const limiters = new Map(
    [...limits].map(([name, points]) => [
      name,
      { points, limiter: gathered(store.create({ keyPrefix: name, points, duration }), points) },
    ]),
  );
  const authFailures = store.create({ keyPrefix: 'auth', points: AUTH_FAILURES_PER_MINUTE, duration: 60 });
  const blocked = createBlockMemory(() => performance.now());
  const blockedAddresses = createBlockMemory(() => performance.now());
  return {
    take: async (name, accountId) => {
      const entry = limiters.get(name);
      if (!entry) return null;
      return usage(await consume(entry.limiter, accountId, blocked, `${name} ${accountId}`), entry.points);
    },
    takeAuthFailure: async (address) => (await consume(authFailures, address, blockedAddresses)).allowed,
    close: store.close,
  };
}

/** @throws an Error that names the entry which is not `endpoint=number`. */
function withChanges(changes: readonly string[]): Map<LimitName, number> {
  if (changes.includes('off')) return new Map();
  const limits = new Map<string, number>(Object.entries(LIMITS));
  for (const change of changes) {
    const [name = '', text = ''] = change.split('=');
    const points = Number(text);
    if (!limits.has(name) || !/^\d+$/.test(text)) {
      throw new Error(
        `RATE_LIMITS: "${change}" is not endpoint=number; endpoints are ${Object.keys(LIMITS).join(', ')}`,
      );
    }
    if (points === 0) limits.delete(name);
    else limits.set(name, points);
  }
  return limits as Map<LimitName, number>;
}

type Window = { keyPrefix: string; points: number; duration: number };
type AnyLimiter = RateLimiterRedis | RateLimiterPostgres;
type Store = { create(window: Window): AnyLimiter; close(): Promise<void> };

function redisStore(url: string, { prefix, logger, patienceMs = 500 }: Options): Store {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    commandTimeout: patienceMs,
  });
  client.on('error', (err) => logger.warn({ err: err.message }, 'rate limit store trouble'));
  return {
    create: (window) =>
      new RateLimiterRedis({
        ...window,
        keyPrefix: `${prefix}:limit:${window.keyPrefix}`,
        storeClient: client,
        insuranceLimiter: new RateLimiterMemory(window),
      }),
    close: async () => client.disconnect(),
  };
}

function postgresStore({ databaseUrl, logger, patienceMs = 1000 }: Options): Store {
  const { pool, close } = openConnections({
    url: databaseUrl,
    poolSize: 4,
    statementMs: patienceMs,
    connectMs: patienceMs,
  });
  pool.on('error', (err) => logger.warn({ err: err.message }, 'rate limit store trouble'));
  return {
    create: (window) =>
      new RateLimiterPostgres({
        ...window,
        storeClient: pool,
        schemaName: 'public',
        tableName: 'rate_limits',
        tableCreated: true,
        insuranceLimiter: new RateLimiterMemory(window),
      }),
    close,
  };
}

type Outcome = { allowed: boolean; result: RateLimiterRes };

/** An exhausted window is refused from memory; the library's own block memory outlasts the window and is unbounded. */
async function consume(limiter: Counter, key: string, blocked: BlockMemory, memoryKey = key): Promise<Outcome> {
  const msLeft = blocked.msLeft(memoryKey);
  if (msLeft > 0) return { allowed: false, result: new RateLimiterRes(0, msLeft) };
  const askedAt = performance.now();
  const outcome = await ask(limiter, key);
  const { remainingPoints, msBeforeNext } = outcome.result;
  if (remainingPoints <= 0) blocked.block(memoryKey, askedAt, msBeforeNext);
  return outcome;
}

async function ask(limiter: Counter, key: string): Promise<Outcome> {
  try {
    return { allowed: true, result: await limiter.consume(key) };
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return { allowed: false, result: refused };
    throw refused;
  }
}

function usage({ allowed, result }: { allowed: boolean; result: RateLimiterRes }, limit: number): Usage {
  return {
    allowed,
    limit,
    remaining: Math.max(0, result.remainingPoints),
    resetSeconds: Math.ceil(result.msBeforeNext / 1000),
  };
}
