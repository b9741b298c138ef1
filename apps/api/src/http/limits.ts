import { LIMITS, type LimitName } from '@pts/contract/limits';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type BlockMemory, createBlockMemory } from './block-memory.ts';
import { gathered, type Counter as Shared } from './gathered-counts.ts';
import { type LimitStoreOptions, openLimitStore, type Window } from './limit-store.ts';

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

type Options = LimitStoreOptions & {
  /** `endpoint=number` pairs, or `off` (RATE_LIMITS). */
  changes: readonly string[];
  /** How long a window is. */
  windowSeconds?: number;
};

/**
 * Limits that all replicas share, stored in Redis or, without Redis, in Postgres. While the store is unreachable, each
 * replica counts in its own memory: limits still apply, but less exactly. A client over a limit is refused from memory
 * until its window ends, so that a flood causes no load on the store.
 */
export function createLimiter(options: Options): Limiter {
  const limits = withChanges(options.changes);
  const duration = options.windowSeconds ?? 1;
  const store = openLimitStore(options);
  const create = (window: Window): Counter => ({
    // Requests that are counted together share one deadline.
    shared: gathered(store.create(window), window.points, (call) =>
      store.breaker.run(() => store.connected.then(call), store.patienceMs),
    ),
    own: new RateLimiterMemory(window),
  });
  const limiters = new Map(
    [...limits].map(([name, points]) => [name, { points, counter: create({ keyPrefix: name, points, duration }) }]),
  );
  const authFailures = create({ keyPrefix: 'auth', points: AUTH_FAILURES_PER_MINUTE, duration: 60 });
  const blocked = createBlockMemory(() => performance.now());
  const blockedAddresses = createBlockMemory(() => performance.now());
  return {
    take: async (name, accountId) => {
      const entry = limiters.get(name);
      if (!entry) return null;
      return usage(await consume(entry.counter, accountId, blocked, `${name} ${accountId}`), entry.points);
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

/** A window that all replicas share, and one of this replica. */
type Counter = { shared: Shared; own: RateLimiterMemory };

type Outcome = { allowed: boolean; result: RateLimiterRes };

/** An exhausted window is refused from memory; the library's own block memory outlasts the window and is unbounded. */
async function consume(counter: Counter, key: string, blocked: BlockMemory, memoryKey = key): Promise<Outcome> {
  const msLeft = blocked.msLeft(memoryKey);
  if (msLeft > 0) return { allowed: false, result: new RateLimiterRes(0, msLeft) };
  const askedAt = performance.now();
  const outcome = await count(counter, key);
  const { remainingPoints, msBeforeNext } = outcome.result;
  if (remainingPoints <= 0) blocked.block(memoryKey, askedAt, msBeforeNext);
  return outcome;
}

/** Counts in the store, or in memory while the store does not answer. */
async function count({ shared, own }: Counter, key: string): Promise<Outcome> {
  try {
    return await ask(shared, key);
  } catch {
    return ask(own, key);
  }
}

async function ask(limiter: Shared | RateLimiterMemory, key: string): Promise<Outcome> {
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
    // A window that has just ended is not worth another request at once.
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  };
}
