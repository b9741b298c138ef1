import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { IQueueBackend } from 'bullmq';
import type { OutageLog } from '../health/outage-log.ts';

/** How long a worker waits for a job before it polls: a notification may be lost, and behind a pooler none arrives. */
export const BLOCK_SECONDS = 1;

const PAUSE_MS = { first: 100, max: 1000 };
/** Time for the store to answer once the worker closes. */
const LAST_MS = 1000;
/** BullMQ's answer to a claim for which no job waits. */
const NO_JOB = [null, '', 0, 0];

// biome-ignore lint/suspicious/noExplicitAny: TypeScript requires it of a class that extends any class
type BackendClass = new (...given: any[]) => IQueueBackend;

/**
 * The backend of a worker whose store is unreliable. BullMQ's main loop asks for a job again at once when the last
 * attempt failed, which starves the event loop if failing needs no I/O, so each failure is delayed here. Nothing that
 * BullMQ waits for outlasts the worker's closing by much: otherwise its timers would go on for ever.
 * @param takesWork whether this process may take jobs at the moment.
 */
export function resilient<C extends BackendClass>(Backend: C, outages: OutageLog, takesWork: () => boolean) {
  return class extends Backend {
    readonly #closing = new AbortController();
    #pauseMs = PAUSE_MS.first;
    #hasFailed = false;

    // biome-ignore lint/suspicious/noExplicitAny: see BackendClass
    constructor(...given: any[]) {
      super(...given);
      setMaxListeners(0, this.#closing.signal);
    }

    override async moveToActive(token: string, name?: string) {
      if (!takesWork()) return NO_JOB;
      try {
        const next = await this.#bounded(LAST_MS, () => super.moveToActive(token, name));
        this.#pauseMs = PAUSE_MS.first;
        this.#hasFailed = false;
        outages.worked();
        return next;
      } catch (error) {
        this.#hasFailed = true;
        await this.#pause();
        throw error;
      }
    }

    /** BullMQ would wait 5 s after a failure, even while closing. */
    override async moveStalledJobsToWait() {
      try {
        return await this.#bounded(LAST_MS, () => super.moveStalledJobsToWait());
      } catch (error) {
        if (!this.#closing.signal.aborted) outages.error(error as Error);
        return [];
      }
    }

    override async waitForJob(seconds: number) {
      // A failed claim has missed jobs that arrived since, and it has paused already.
      if (this.#hasFailed) return null;
      // Whoever is woken by the store must take the job: others are not woken for it.
      if (!takesWork()) return this.#sleep(BLOCK_SECONDS * 1000);
      try {
        return await this.#bounded(0, () => super.waitForJob(Math.min(seconds, BLOCK_SECONDS)));
      } catch (error) {
        if (this.#closing.signal.aborted) return null;
        outages.error(error as Error);
        await this.#pause();
        await this.#bounded(0, () => this.reconnectBlocking()).catch(outages.error);
        return null; // the worker then polls for a job
      }
    }

    override async disconnectBlocking(wait?: boolean) {
      this.#closing.abort();
      await this.#bounded(LAST_MS, () => super.disconnectBlocking(wait)).catch(() => {});
    }

    override async reconnectBlocking() {
      if (!this.#closing.signal.aborted) await super.reconnectBlocking();
    }

    override moveToCompleted(...given: Parameters<IQueueBackend['moveToCompleted']>) {
      return this.#bounded(LAST_MS, () => super.moveToCompleted(...given));
    }

    override moveToFailed(...given: Parameters<IQueueBackend['moveToFailed']>) {
      return this.#bounded(LAST_MS, () => super.moveToFailed(...given));
    }

    async #pause() {
      await this.#sleep(this.#pauseMs);
      this.#pauseMs = Math.min(PAUSE_MS.max, this.#pauseMs * 2);
    }

    async #sleep(ms: number): Promise<null> {
      await delay(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
      return null;
    }

    /** The work's result; once the worker closes, an error after `graceMs` more. */
    #bounded<T>(graceMs: number, work: () => Promise<T>): Promise<T> {
      const { signal } = this.#closing;
      return new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined;
        const giveUp = () => reject(new Error('the store did not answer while the worker closed'));
        const hurry = () => {
          timer = setTimeout(giveUp, graceMs);
        };
        if (signal.aborted) hurry();
        else signal.addEventListener('abort', hurry, { once: true });
        work()
          .then(resolve, reject)
          .finally(() => {
            clearTimeout(timer);
            signal.removeEventListener('abort', hurry);
          });
      });
    }
  };
}
