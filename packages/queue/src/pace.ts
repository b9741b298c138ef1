import { setTimeout as delay } from 'node:timers/promises';
import type { IQueueBackend } from 'bullmq';
import { type ClaimStore, createClaims } from './claims.ts';
import type { Trouble } from './trouble.ts';

const PAUSE_MS = { first: 100, most: 1000 };

export type Pace = {
  /** How long a worker waits for a job at most before it looks for itself. */
  blockSeconds(): number;
  trouble: Trouble;
  claims: Omit<ClaimStore, 'giveBack'>;
};

/**
 * Makes a worker's backend bear a store that comes and goes. BullMQ's main loop asks for a job again at once when the
 * last attempt failed, which starves the event loop where failing needs no I/O: here each failure takes a while.
 */
export function paced<B extends IQueueBackend>(backend: B, { blockSeconds, trouble, claims: store }: Pace): B {
  const { moveToActive, moveToCompleted, moveToFailed, waitForJob, disconnectBlocking, reconnectBlocking } = backend;
  let closing = new AbortController();
  let pauseMs = PAUSE_MS.first;
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
      await claims.settle();
      const next = await claims.run(token, () => moveToActive.call(backend, token, name), idOf);
      pauseMs = PAUSE_MS.first;
      trouble.worked();
      return next;
    } catch (error) {
      await pause();
      throw error;
    }
  };
  backend.moveToCompleted = (job, value, remove, token, fetchNext) =>
    claims.run(
      token,
      () => moveToCompleted.call(backend, job, value, remove, token, fetchNext),
      ({ result }) => idOf(result),
    );
  backend.moveToFailed = (job, reason, remove, token, fetchNext, fields) =>
    claims.run(
      token,
      () => moveToFailed.call(backend, job, reason, remove, token, fetchNext, fields),
      ({ result }) => idOf(result),
    );
  backend.waitForJob = async (seconds) => {
    try {
      return await waitForJob.call(backend, Math.min(seconds, blockSeconds()));
    } catch (error) {
      if (!closing.signal.aborted) {
        trouble.error(error as Error);
        await pause();
        await reconnectBlocking.call(backend);
      }
      return null; // the worker then looks for a job itself
    }
  };
  backend.disconnectBlocking = (wait) => {
    closing.abort();
    return disconnectBlocking.call(backend, wait);
  };
  backend.reconnectBlocking = () => {
    closing = new AbortController();
    return reconnectBlocking.call(backend);
  };
  return backend;
}

/** The id in BullMQ's answer to a claim, `[job, id, …]`; there is none when no job waits. */
function idOf(next: unknown): string | undefined {
  return Array.isArray(next) && next[0] && typeof next[1] === 'string' ? next[1] : undefined;
}
