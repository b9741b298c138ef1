import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { IQueueBackend } from 'bullmq';
import { type ClaimStore, createClaims } from './claims.ts';
import type { Trouble } from './trouble.ts';

const PAUSE_MS = { first: 100, most: 1000 };

/** How often the store has answered each backend's requests for a job. */
const answers = new WeakMap<object, number>();

/** How often the store has answered a worker with this backend that requested a job, so far. */
export const answersOf = (backend: object): number => answers.get(backend) ?? 0;

export type Pace = {
  /** How long a worker waits for a job before it polls. */
  blockSeconds(): number;
  trouble: Trouble;
  claims: Omit<ClaimStore, 'giveBack'>;
};

/** Time for the store to answer once the worker closes. */
const LAST_MS = 2000;

/**
 * Makes a worker's backend tolerate an unreliable store. BullMQ's main loop asks for a job again at once when the
 * last attempt failed, which starves the event loop if failing needs no I/O, so each failure is delayed here.
 * Nothing that BullMQ waits for outlasts the worker's closing by much. The worker cannot be paused.
 */
export function paced<B extends IQueueBackend>(backend: B, { blockSeconds, trouble, claims: store }: Pace): B {
  const { moveToActive, moveToCompleted, moveToFailed, moveToDelayed, retryJob, moveStalledJobsToWait } = backend;
  const { waitForJob, disconnectBlocking, reconnectBlocking } = backend;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  let pauseMs = PAUSE_MS.first;
  let hasFailed = false;
  const answered = () => void answers.set(backend, answersOf(backend) + 1);
  const pause = async () => {
    await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
    pauseMs = Math.min(PAUSE_MS.most, pauseMs * 2);
  };
  const claims = createClaims({
    ...store,
    giveBack: ({ id, token }) => backend.moveJobFromActiveToWait(id, token).catch(trouble.error),
  });
  Object.defineProperty(backend, 'maximumBlockTimeout', { get: blockSeconds });

  backend.moveToActive = async (token, name) => {
    try {
      const next = await bounded(closing.signal, LAST_MS, async () => {
        await claims.settle();
        return claims.run(token, () => moveToActive.call(backend, token, name), idOf);
      });
      pauseMs = PAUSE_MS.first;
      trouble.worked();
      answered();
      hasFailed = false;
      return next;
    } catch (error) {
      hasFailed = true;
      await pause();
      throw error;
    }
  };
  const finish = async <T extends { result: unknown }>(token: string, work: () => Promise<T>) => {
    const finished = await bounded(closing.signal, LAST_MS, () =>
      claims.run(token, work, ({ result }) => idOf(result)),
    );
    answered();
    return finished;
  };
  backend.moveToCompleted = (job, value, remove, token, fetchNext) =>
    finish(token, () => moveToCompleted.call(backend, job, value, remove, token, fetchNext));
  backend.moveToFailed = (job, reason, remove, token, fetchNext, fields) =>
    finish(token, () => moveToFailed.call(backend, job, reason, remove, token, fetchNext, fields));
  // A job that failed is put back by one of these; the first may claim the next job, too.
  backend.moveToDelayed = (id, at, delayMs, token = '', more = {}) =>
    bounded(closing.signal, LAST_MS, () =>
      claims.run(token, () => moveToDelayed.call(backend, id, at, delayMs, token, more), idOf),
    );
  backend.retryJob = (id, lifo, token, more) =>
    bounded(closing.signal, LAST_MS, () => retryJob.call(backend, id, lifo, token, more));

  // BullMQ would wait 5 s after a failure, even while closing.
  backend.moveStalledJobsToWait = async () => {
    try {
      return await moveStalledJobsToWait.call(backend);
    } catch (error) {
      if (!closing.signal.aborted) trouble.error(error as Error);
      return [];
    }
  };
  backend.waitForJob = async (seconds) => {
    // A failed claim has missed jobs that arrived since, and it has paused already.
    if (hasFailed) return null;
    const wait = () => waitForJob.call(backend, Math.min(seconds, blockSeconds()));
    try {
      return await bounded(closing.signal, 0, wait);
    } catch (error) {
      if (closing.signal.aborted) return null;
      trouble.error(error as Error);
      await pause();
      await bounded(closing.signal, 0, () => backend.reconnectBlocking()).catch(trouble.error);
      return null; // the worker then polls for a job
    }
  };
  backend.disconnectBlocking = async (wait) => {
    closing.abort();
    await bounded(closing.signal, LAST_MS, () => disconnectBlocking.call(backend, wait)).catch(() => {});
  };
  backend.reconnectBlocking = async () => {
    if (!closing.signal.aborted) await reconnectBlocking.call(backend);
  };
  return backend;
}

/** The work's result; once `closing` is aborted, an error after `graceMs` more. */
function bounded<T>(closing: AbortSignal, graceMs: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = () => reject(new Error('the store did not answer while the worker closed'));
    const hurry = () => {
      timer = setTimeout(giveUp, graceMs);
    };
    if (closing.aborted) hurry();
    else closing.addEventListener('abort', hurry, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        closing.removeEventListener('abort', hurry);
      });
  });
}

/** The id in BullMQ's answer to a claim, `[job, id, …]`; there is none when no job waits. */
function idOf(next: unknown): string | undefined {
  return Array.isArray(next) && next[0] && typeof next[1] === 'string' ? next[1] : undefined;
}
