import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS, type LimitName, parseLimitChange } from '@pts/contract/limits';
import { PLANS, type Plan } from '@pts/core/account';
import { ServiceError } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import { createKeyedBatcher } from '@pts/db/batcher';
import { type Count, type Counted, countInMemory, type LimitStoreOptions, openLimitStore } from './limit-store.ts';

/** Invalid keys per minute and address, before the address is limited. */
const AUTH_FAILURES_PER_MINUTE = 30;
/** Look-ups of parcels per hour: of a network, and for an order. */
const LOOKUPS_PER_HOUR = { network: 60, order: 10 };

/** The state of a limit, as the RateLimit headers report it. */
export type Usage = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };

/** The message for a client over a limit: why to wait longer than `RateLimit-Reset`. */
function tooManyText({ limit, resetSeconds }: Usage, holder: 'account' | 'operator key'): Message {
  const each = message(holder === 'account' ? 'an_account' : 'operator_key');
  return message('too_many_requests', { limit, seconds: resetSeconds, each });
}

/**
 * Counts one request of an account.
 * @param onUsage called with the state of the limit, if there is one, before a request is refused
 * @throws ServiceError `too_many_requests` if it is one too many
 */
export async function requireAllowed(
  limiter: Pick<Limiter, 'take'>,
  limit: LimitName,
  { id, plan }: { id: string; plan?: Plan },
  onUsage: (usage: Usage) => void = () => {},
): Promise<void> {
  const usage = await limiter.take(limit, id, plan);
  if (!usage) return;
  onUsage(usage);
  if (!usage.allowed)
    throw new ServiceError('too_many_requests', {
      text: tooManyText(usage, plan === undefined ? 'operator key' : 'account'),
    });
}

/**
 * How long calls of agents wait for their limit: less than the five seconds after which Python's clients give up; and
 * how many of an account wait at once in one process.
 */
const PATIENCE = { seconds: 4, calls: 50 } as const;

/**
 * Limits for agents, whose calls come together: a call waits for the next windows instead of being refused.
 */
export function patientLimiter(limiter: Limiter): Limiter {
  const { seconds } = PATIENCE;
  const waiting = new Map<string, number>();
  const count = (key: string, change: 1 | -1) => {
    const calls = (waiting.get(key) ?? 0) + change;
    if (calls === 0) waiting.delete(key);
    else waiting.set(key, calls);
  };
  const take: Limiter['take'] = async (limit, key, plan) => {
    const endsAt = performance.now() + seconds * 1000;
    for (;;) {
      const usage = await limiter.take(limit, key, plan);
      if (!usage || usage.allowed) return usage;
      const waitMs = usage.resetSeconds * 1000;
      if (performance.now() + waitMs > endsAt || (waiting.get(key) ?? 0) >= PATIENCE.calls)
        throw new ServiceError('too_many_requests', {
          text: message('too_many_calls', { limit: usage.limit, seconds }),
          retryAfterSeconds: seconds,
        });
      count(key, 1);
      await delay(waitMs).finally(() => count(key, -1));
    }
  };
  return { ...limiter, take };
}

export type Limiter = {
  /**
   * Counts one request of an account, or of a network, which has no plan, against an endpoint's limit. Null: there is
   * none.
   */
  take(limit: LimitName, key: string, plan?: Plan): Promise<Usage | null>;
  /** Counts an invalid key against its address. @returns whether the address is still below the limit. */
  takeAuthFailure(address: string): Promise<boolean>;
  /** Counts a look-up of a parcel, found or not. @returns whether it is allowed. */
  takeLookup(network: string, order: string): Promise<boolean>;
  close(): Promise<void>;
};

type Options = LimitStoreOptions & {
  /** `endpoint=number` and `plan:endpoint=number` pairs, or `off` (RATE_LIMITS). */
  changes: readonly string[];
  /** How long a window is. */
  windowSeconds?: number;
  /** How long a window for invalid keys is. */
  authWindowSeconds?: number;
};

/**
 * Limits that all replicas share, stored in Redis or, without Redis, in Postgres. While the store is unreachable, each
 * replica counts in its own memory: limits still apply, but less exactly. A client over a limit is refused from memory
 * until its window ends, so that a flood causes no load on the store.
 */
export function createLimiter(options: Options): Limiter {
  const seconds = options.windowSeconds ?? 1;
  const store = openLimitStore(options);
  const now = () => performance.now();
  const create = (name: string, points: number, windowSeconds: number): Limit => {
    const count = store.counter(name, windowSeconds);
    const inStore = gathered((key, requests) =>
      store.breaker.run(() => store.connected.then(() => count(key, requests)), store.patienceMs),
    );
    const inMemory = countInMemory(windowSeconds, now);
    return { points, count: (key) => inStore(key).catch(() => inMemory(key, 1)), blocked: createBlockMemory(now) };
  };
  const limitsOf = (plan: Plan | null) =>
    new Map([...withChanges(options.changes, plan)].map(([name, points]) => [name, create(name, points, seconds)]));
  const ofNoPlan = limitsOf(null);
  const byPlan = new Map(PLANS.map((plan) => [plan, limitsOf(plan)]));
  const authFailures = create('auth', AUTH_FAILURES_PER_MINUTE, options.authWindowSeconds ?? 60);
  const lookups = create('lookup', LOOKUPS_PER_HOUR.network, 3600);
  const lookupsOfOrder = create('lookup.order', LOOKUPS_PER_HOUR.order, 3600);
  return {
    take: async (name, key, plan) => {
      const limit = (plan === undefined ? ofNoPlan : byPlan.get(plan))?.get(name);
      return limit ? take(limit, key) : null;
    },
    takeAuthFailure: async (address) => (await take(authFailures, address)).allowed,
    takeLookup: async (network, order) =>
      (await take(lookups, network)).allowed && (await take(lookupsOfOrder, order)).allowed,
    close: store.close,
  };
}

/** The most requests that are counted at once. */
const MAX_REQUESTS = 1000;

/**
 * Counts requests of one key together that arrive while the store still counts earlier ones: a busy account costs the
 * store a statement for many requests. Each request gets the state that it would have got alone, in the order of
 * arrival.
 */
export function gathered(count: Count): (key: string) => Promise<Counted> {
  const countOne = createKeyedBatcher({ max: MAX_REQUESTS, concurrency: 1 }, async (key, requests: object[]) => {
    const last = await count(key, requests.length);
    return requests.map((_, place) => ({ ...last, requests: last.requests - (requests.length - 1 - place) }));
  });
  return (key) => countOne(key, {});
}

/** The limits after the changes: changes for a plan count more than changes for all. */
function withChanges(changes: readonly string[], plan: Plan | null): Map<LimitName, number> {
  if (changes.includes('off')) return new Map();
  const limits = new Map(Object.entries(LIMITS) as [LimitName, number][]);
  const read = changes.flatMap((change) => parseLimitChange(change) ?? []);
  for (const whose of plan === null ? [null] : [null, plan])
    for (const { name, points } of read.filter((each) => each.plan === whose)) limits.set(name, points);
  return new Map([...limits].filter(([, points]) => points > 0));
}

type Limit = {
  points: number;
  /** In the store, or in memory while that does not answer. */
  count(key: string): Promise<Counted>;
  blocked: ReturnType<typeof createBlockMemory>;
};

/** An exhausted window is refused from memory. */
async function take({ points, count, blocked }: Limit, key: string): Promise<Usage> {
  const blockedMs = blocked.msLeft(key);
  if (blockedMs > 0) return usage(points, { requests: points + 1, msLeft: blockedMs });
  const requestedAt = performance.now();
  const counted = await count(key);
  if (counted.requests >= points) blocked.block(key, requestedAt, counted.msLeft);
  return usage(points, counted);
}

function usage(limit: number, { requests, msLeft }: Counted): Usage {
  return {
    allowed: requests <= limit,
    limit,
    remaining: Math.max(0, limit - requests),
    // A window that has just ended is not worth another request at once.
    resetSeconds: Math.max(1, Math.ceil(msLeft / 1000)),
  };
}

const MAX_KEYS = 10_000;

/**
 * A bounded memory of blocked keys: the one that was blocked first is dropped first.
 * @param now a monotonic clock in milliseconds.
 */
export function createBlockMemory(now: () => number, maxKeys = MAX_KEYS) {
  const ends = new Map<string, number>();
  return {
    /** Blocks a key that is over its limit for `forMs` from `since`, a time of the clock. */
    block(key: string, since: number, forMs: number) {
      ends.delete(key);
      const oldest = ends.size >= maxKeys ? ends.keys().next() : null;
      if (oldest && !oldest.done) ends.delete(oldest.value);
      ends.set(key, since + forMs);
    },
    /** Milliseconds until its window ends; 0 for a key that is not over its limit. */
    msLeft(key: string) {
      const end = ends.get(key);
      if (end === undefined) return 0;
      const left = end - now();
      if (left > 0) return left;
      ends.delete(key);
      return 0;
    },
  };
}
