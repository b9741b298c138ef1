import { AsyncResource } from 'node:async_hooks';
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import { ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { isDatabaseUnreachable } from '@pts/db/errors';

/**
 * Bulk work of accounts: of each, some pieces at once, or one while other accounts are active; begun in order of
 * arrival.
 */
export type Bulkhead = {
  /**
   * Runs `work` when the account may.
   * @param maxWaiting the maximum number of calls before it; unlimited by default.
   * @throws ServiceError `too_many_requests` when there are more.
   */
  run<T>(accountId: string, work: () => Promise<T>, maxWaiting?: number): Promise<T>;
  /** For long work of an account on this thread: it rests while other accounts are active. */
  slices(accountId: string): TimeSlices;
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
const MAX_PAUSE_MS = 600;
/** The maximum rest after a slice of the thread. */
const MAX_REST_MS = 30;
/** Pieces at once while no other account is active: registrations among them share statements. */
const CONCURRENCY = 20;

/** A call that waits. */
type Call = {
  /** Whether it waits as long as it takes, as streams do. */
  isPatient: boolean;
  /** Does the work and resolves the caller's promise. */
  run(): Promise<void>;
  reject(error: unknown): void;
};
/** `running`: calls in work, or resting. */
type Queue = { running: number; waiting: Call[] };

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
    for (const { reject } of refused) reject(error);
  };
  /** Runs a call, and rests. */
  const runCall = async (accountId: string, queue: Queue, call: Call) => {
    const startedAt = now();
    let isUnreachable = false;
    queue.running += 1;
    try {
      await call.run();
    } catch (error) {
      call.reject(error);
      isUnreachable = isDatabaseUnreachable(error);
      if (isUnreachable) refuseWaiting(queue, error);
    }
    if (!isUnreachable && hasOthers(accountId)) await pause(Math.min(REST * (now() - startedAt), MAX_PAUSE_MS));
    queue.running -= 1;
    startCalls(accountId);
  };
  const startCalls = (accountId: string) => {
    const queue = queues.get(accountId);
    if (!queue) return;
    while (queue.running < (hasOthers(accountId) ? 1 : CONCURRENCY)) {
      const call = queue.waiting.shift();
      if (!call) break;
      void runCall(accountId, queue, call);
    }
    if (queue.running === 0) queues.delete(accountId);
  };
  /**
   * After long work on the thread. The works of an account rest one after another, so together they get a quarter as
   * well.
   */
  const rest = (accountId: string, tookMs: number) => {
    if (!hasOthers(accountId)) return undefined;
    const own = (rests.get(accountId) ?? Promise.resolve()).then(() => pause(Math.min(REST * tookMs, MAX_REST_MS)));
    rests.set(accountId, own);
    return own.finally(() => {
      if (rests.get(accountId) === own) rests.delete(accountId);
    });
  };
  return {
    async run(accountId, work, maxWaiting = Number.POSITIVE_INFINITY) {
      const queue = queues.get(accountId) ?? { running: 0, waiting: [] };
      if (queue.running + queue.waiting.length > maxWaiting)
        throw new ServiceError('too_many_requests', { text: message('too_many_bulk_calls') });
      queues.set(accountId, queue);
      return new Promise((resolve, reject) => {
        const isPatient = maxWaiting === Number.POSITIVE_INFINITY;
        // Another call may start it: its spans must stay its own.
        const run = AsyncResource.bind(async () => resolve(await work()));
        queue.waiting.push({ run, isPatient, reject });
        startCalls(accountId);
      });
    },
    slices: (accountId) => createTimeSlices({ rest: (tookMs) => rest(accountId, tookMs), now }),
    seen(accountId) {
      if (latest.accountId !== accountId) before = latest;
      latest = { accountId, at: now() };
    },
  };
}

/** Long enough to make progress, short enough not to delay others. */
const SLICE_MS = 1;

/** Divides long work on the thread into slices. */
export type TimeSlices = {
  /**
   * Lets other work run if the slice is over. Time in which the work has waited, for input or the database, does not
   * count.
   */
  next(): Promise<void>;
  /** Continues work that has waited: from now on its time counts again. */
  resume(): void;
};

type TimeSliceOptions = {
  sliceMs?: number;
  /** Called after each slice with its time on the thread. Default: no rest. */
  rest?: (tookMs: number) => Promise<void> | undefined;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
};

/** The queue for the next slice: one waiter gets it in each round of the event loop. */
let line: Promise<void> = Promise.resolve();

/**
 * Divides long work into slices, so that a stream of any size does not delay other requests. Several at once delay
 * others no longer than one does.
 */
export function createTimeSlices(options: TimeSliceOptions = {}): TimeSlices {
  const { sliceMs = SLICE_MS, rest = () => undefined, now = () => performance.now() } = options;
  /** Time of this slice until `seenAt`. */
  let tookMs = 0;
  let seenAt = 0;
  /** Whether the event loop has gone round since the work resumed: not all time since then was ours. */
  let hasWaited = false;
  let round: NodeJS.Immediate | undefined;

  const resume = () => {
    seenAt = now();
    hasWaited = false;
    clearImmediate(round);
    round = setImmediate(() => {
      hasWaited = true;
    });
  };
  resume();
  return {
    resume,
    async next() {
      if (hasWaited) return resume();
      const at = now();
      tookMs += at - seenAt;
      seenAt = at;
      if (tookMs < sliceMs) return;
      const rested = rest(tookMs);
      tookMs = 0;
      await rested;
      line = line.then(() => nextRound());
      await line;
      resume();
    },
  };
}
