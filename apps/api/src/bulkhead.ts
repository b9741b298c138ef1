import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '@pts/core/errors';
import { createTurns, type Turns } from './http/turns.ts';

/** Bulk work of accounts: one statement at a time for each account, in order of arrival. */
export type Bulkhead = {
  /**
   * Runs `work` after the account's earlier bulk work.
   * @param mostWaiting the maximum number of calls waiting before it; unlimited by default.
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

/** A call that may share a turn. Once it has, `results` are those of all calls of that turn. */
type Call = { item: unknown; results?: Promise<unknown[]>; place: number };
type Queue = { last: Promise<unknown>; waiting: number; calls: Call[] };

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
  const runAndRest = async <T>(accountId: string, work: () => Promise<T>, done: (result: Promise<T>) => void) => {
    const startedAt = now();
    const result = work();
    done(result);
    await result.catch(() => {});
    if (hasOthers(accountId)) await pause(Math.min(REST * (now() - startedAt), MOST_PAUSE_MS));
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
  /** Puts work at the end of the account's queue. @throws ServiceError `too_many_requests`, at once. */
  const enqueue = <T>(accountId: string, work: (queue: Queue) => Promise<T>, mostWaiting: number, call?: Call) => {
    const queue = queues.get(accountId) ?? { last: Promise.resolve(), waiting: 0, calls: [] };
    if (queue.waiting > mostWaiting)
      throw new ServiceError('too_many_requests', {
        text: 'This account has too many bulk calls in flight. Wait 120 seconds (Retry-After), then send fewer at once.',
      });
    queues.set(accountId, queue);
    queue.waiting += 1;
    if (call) queue.calls.push(call);
    const { last } = queue;
    return new Promise<T>((resolve) => {
      queue.last = last.then(async () => {
        await runAndRest(accountId, async () => work(queue), resolve);
        queue.waiting -= 1;
        if (queue.waiting === 0) queues.delete(accountId);
      });
    });
  };
  return {
    async run(accountId, work, mostWaiting = Number.POSITIVE_INFINITY) {
      return enqueue(accountId, work, mostWaiting);
    },
    async runTogether<I, O>(
      accountId: string,
      item: I,
      work: (items: I[]) => Promise<O[]>,
      mostWaiting = Number.POSITIVE_INFINITY,
    ) {
      const call: Call = { item, place: 0 };
      const turn = async ({ calls }: Queue) => {
        if (!call.results) {
          // Calls before this one have had their turn, or have shared one.
          const together = calls.splice(0, hasOthers(accountId) ? 1 : MOST_TOGETHER);
          const results = work(together.map((each) => each.item as I));
          for (const [place, each] of together.entries()) Object.assign(each, { results, place });
        }
        return (await call.results)?.[call.place] as O;
      };
      return enqueue(accountId, turn, mostWaiting, call);
    },
    turns: (accountId) => createTurns({ rest: (tookMs) => rest(accountId, tookMs), now }),
    seen(accountId) {
      if (latest.accountId !== accountId) before = latest;
      latest = { accountId, at: now() };
    },
  };
}
