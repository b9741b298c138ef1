import { AsyncResource } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '@pts/core/errors';
import { isDatabaseAway } from '@pts/db/connection/client';
import { createTurns, type Turns } from './http/turns.ts';

/** Bulk work of accounts: of each, one piece at a time, or two while no other account is active, begun in order of arrival. */
export type Bulkhead = {
  /**
   * Runs `work` when the account's turn comes.
   * @param mostWaiting the maximum number of calls before it; unlimited by default.
   * @throws ServiceError `too_many_requests` when there are more.
   */
  run<T>(accountId: string, work: () => Promise<T>, mostWaiting?: number): Promise<T>;
  /**
   * Like `run`, for calls whose work can be done together: while no other account is active, calls that wait share the turn
   * of the first.
   * @param work gets the items of such calls, at most `MOST_TOGETHER`, and returns a result for each.
   */
  runTogether<I, O>(accountId: string, item: I, work: (items: I[]) => Promise<O[]>, mostWaiting?: number): Promise<O>;
  /** For long work of an account on this thread: it rests while other accounts are active. */
  turns(accountId: string): Turns;
  /** Records a request of any kind. */
  seen(accountId: string): void;
};

type Options = {
  /** A monotonic clock in milliseconds. */
  now?: () => number;
  pause?: (ms: number) => Promise<void>;
};

/** Another account counts as active if it sent a request within this time. */
const RECENT_MS = 1000;
/** While other accounts are active, bulk work pauses for this many times as long as it ran. */
const REST = 3;
/** The maximum pause between two pieces of bulk work. */
const MOST_PAUSE_MS = 600;
/** The maximum rest after a turn on the thread. */
const MOST_REST_MS = 30;
/** Calls that share a turn: their statement must not take long. */
const MOST_TOGETHER = 10;
/** Turns at once while no other account is active: one inserts its rows while the other waits for the quota or for its commit. */
const AT_ONCE = 2;

/** A call that waits for its turn. */
type Call = {
  item: unknown;
  canShare: boolean;
  /** Whether it waits as long as it takes, as streams do. */
  isPatient: boolean;
  work(items: unknown[]): Promise<unknown[]>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
};
/** `running`: turns; `calls`: those that wait, and those in running turns. */
type Queue = { running: number; calls: number; waiting: Call[] };

/**
 * Keeps an account with large batches from taking every database connection and every core of its server from the
 * others: while others are active, its bulk work gets at most a quarter of the time.
 */
export function createBulkhead({ now = () => performance.now(), pause = delay }: Options = {}): Bulkhead {
  const queues = new Map<string, Queue>();
  const rests = new Map<string, Promise<void>>();
  let latest = { accountId: '', at: Number.NEGATIVE_INFINITY };
  /** The latest request of another account. */
  let before = latest;

  const hasOthers = (accountId: string) => {
    const other = latest.accountId === accountId ? before : latest;
    return now() - other.at < RECENT_MS;
  };
  /** The calls that wait while the database does not answer would wait for the same, one after another. */
  const refuseWaiting = (queue: Queue, error: unknown) => {
    const refused = queue.waiting.filter(({ isPatient }) => !isPatient);
    queue.waiting = queue.waiting.filter(({ isPatient }) => isPatient);
    queue.calls -= refused.length;
    for (const { reject } of refused) reject(error);
  };
  /** Runs the work of calls that share a turn, and rests. */
  const takeTurn = async (accountId: string, queue: Queue, calls: readonly [Call, ...Call[]]) => {
    const startedAt = now();
    let isAway = false;
    queue.running += 1;
    try {
      const results = await calls[0].work(calls.map(({ item }) => item));
      for (const [place, { resolve }] of calls.entries()) resolve(results[place]);
    } catch (error) {
      for (const { reject } of calls) reject(error);
      isAway = isDatabaseAway(error);
      if (isAway) refuseWaiting(queue, error);
    }
    if (!isAway && hasOthers(accountId)) await pause(Math.min(REST * (now() - startedAt), MOST_PAUSE_MS));
    queue.running -= 1;
    queue.calls -= calls.length;
    startTurns(accountId);
  };
  const startTurns = (accountId: string) => {
    const queue = queues.get(accountId);
    if (!queue) return;
    const isAlone = !hasOthers(accountId);
    while (queue.running < (isAlone ? AT_ONCE : 1)) {
      const [first] = queue.waiting;
      if (!first) break;
      const others = queue.waiting.slice(1).filter((call) => isAlone && first.canShare && call.canShare);
      const calls = [first, ...others.slice(0, MOST_TOGETHER - 1)] as const;
      queue.waiting = queue.waiting.filter((call) => !calls.includes(call));
      void takeTurn(accountId, queue, calls);
    }
    if (queue.running === 0) queues.delete(accountId);
  };
  /** After long work on the thread. The works of an account rest one after another, so together they get a quarter as well. */
  const rest = (accountId: string, tookMs: number) => {
    if (!hasOthers(accountId)) return undefined;
    const own = (rests.get(accountId) ?? Promise.resolve()).then(() => pause(Math.min(REST * tookMs, MOST_REST_MS)));
    rests.set(accountId, own);
    return own.finally(() => {
      if (rests.get(accountId) === own) rests.delete(accountId);
    });
  };
  /** Puts a call at the end of the account's queue. @throws ServiceError `too_many_requests`, at once. */
  const enqueue = (accountId: string, call: Pick<Call, 'item' | 'canShare' | 'work'>, mostWaiting: number) => {
    const queue = queues.get(accountId) ?? { running: 0, calls: 0, waiting: [] };
    if (queue.calls > mostWaiting)
      throw new ServiceError('too_many_requests', {
        text: 'This account has too many bulk calls in flight. Wait 120 seconds (Retry-After), then send fewer at once.',
      });
    queues.set(accountId, queue);
    queue.calls += 1;
    return new Promise<unknown>((resolve, reject) => {
      // Another call may start it: its deadline must stay its own.
      const work = AsyncResource.bind(call.work);
      queue.waiting.push({ ...call, work, isPatient: mostWaiting === Number.POSITIVE_INFINITY, resolve, reject });
      // Calls that arrive at the same moment may share the turn.
      queueMicrotask(() => startTurns(accountId));
    });
  };
  return {
    async run<T>(accountId: string, work: () => Promise<T>, mostWaiting = Number.POSITIVE_INFINITY) {
      const call = { item: null, canShare: false, work: async () => [await work()] };
      return (await enqueue(accountId, call, mostWaiting)) as T;
    },
    async runTogether<I, O>(
      accountId: string,
      item: I,
      work: (items: I[]) => Promise<O[]>,
      mostWaiting = Number.POSITIVE_INFINITY,
    ) {
      const call = { item, canShare: true, work: (items: unknown[]) => work(items as I[]) };
      return (await enqueue(accountId, call, mostWaiting)) as O;
    },
    turns: (accountId) => createTurns({ rest: (tookMs) => rest(accountId, tookMs), now }),
    seen(accountId) {
      if (latest.accountId !== accountId) before = latest;
      latest = { accountId, at: now() };
    },
  };
}
