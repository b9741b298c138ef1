import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { IQueueBackend } from 'bullmq';
import type { OutageLog } from '../health/outage-log.ts';
import { type Claimed, createClaims } from './claims.ts';

/** How long a worker waits for a job before it polls: a notification may be lost, and behind a pooler none arrives. */
export const BLOCK_SECONDS = 1;

const PAUSE_MS = { first: 100, max: 1000 };
/**
 * From the end of a wait for a job to the earliest beginning of the next wait. Jobs that come in the meantime are taken together,
 * with one wake-up, and what they do shares its statements; one that comes after a silence is taken at once.
 */
export const REST_MS = 25;
/** Time for the store to answer once the worker closes. */
const LAST_MS = 2000;
/** BullMQ's answer to a claim for which no job waits. */
const NO_JOB = [null, '', 0, 0];

// biome-ignore lint/suspicious/noExplicitAny: TypeScript requires it of a class that extends any class
type BackendClass = new (...given: any[]) => IQueueBackend;

export type Rules<B> = {
  outages: OutageLog;
  /** Whether workers may take jobs at the moment. */
  takesWork(): boolean;
  /** The active jobs of these tokens. */
  findClaimed(backend: B, tokens: string[]): Promise<Claimed[]>;
  /** Grows when a connection breaks, after which unanswered requests are sent again. */
  breaks(): number;
};

/**
 * The backend of a worker whose store is unreliable. BullMQ's main loop asks for a job again at once when the last attempt
 * failed, which starves the event loop if failing needs no I/O, so each failure is delayed here. Nothing that BullMQ waits for
 * outlasts the worker's closing by much.
 */
export function resilient<C extends BackendClass>(Backend: C, rules: Rules<InstanceType<C>>) {
  const { outages, takesWork, findClaimed, breaks } = rules;
  return class extends Backend {
    /** How often the store has answered the worker's requests for a job. */
    answers = 0;
    readonly #closing = new AbortController();
    readonly #claims = createClaims({
      find: (tokens) => findClaimed(this as InstanceType<C>, tokens),
      breaks,
      giveBack: ({ id, token }) => this.moveJobFromActiveToWait(id, token).catch(outages.error),
    });
    #pauseMs = PAUSE_MS.first;
    #hasFailed = false;
    /** When its last wait for a job ended, in milliseconds of a monotonic clock. */
    #wokenAt = Number.NEGATIVE_INFINITY;

    // biome-ignore lint/suspicious/noExplicitAny: see BackendClass
    constructor(...given: any[]) {
      super(...given);
      setMaxListeners(0, this.#closing.signal);
    }

    override async moveToActive(token: string, name?: string) {
      if (!takesWork()) return NO_JOB;
      try {
        const next = await this.#bounded(LAST_MS, async () => {
          await this.#claims.settle();
          return this.#claims.run(token, () => super.moveToActive(token, name), idOf);
        });
        this.#pauseMs = PAUSE_MS.first;
        this.#hasFailed = false;
        this.answers += 1;
        outages.worked();
        return next;
      } catch (error) {
        this.#hasFailed = true;
        await this.#pause();
        throw error;
      }
    }

    override moveToCompleted(...[job, value, remove, token, next]: Parameters<IQueueBackend['moveToCompleted']>) {
      return this.#finish(token, () => super.moveToCompleted(job, value, remove, token, next && takesWork()));
    }

    override moveToFailed(...[job, why, remove, token, next, more]: Parameters<IQueueBackend['moveToFailed']>) {
      return this.#finish(token, () => super.moveToFailed(job, why, remove, token, next && takesWork(), more));
    }

    /** Puts a job that failed back. */
    override retryJob(...given: Parameters<IQueueBackend['retryJob']>) {
      return this.#bounded(LAST_MS, () => super.retryJob(...given));
    }

    /** BullMQ would wait 5 s after a failure, even while closing. */
    override async moveStalledJobsToWait() {
      if (!takesWork()) return [];
      try {
        return await super.moveStalledJobsToWait();
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
        const restMs = this.#wokenAt + REST_MS - performance.now();
        if (restMs > 0) await this.#sleep(restMs);
        if (this.#closing.signal.aborted) return null;
        const found = await this.#bounded(0, () => super.waitForJob(Math.min(seconds, BLOCK_SECONDS)));
        this.#wokenAt = performance.now();
        return found;
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

    async #finish<T extends { result: unknown }>(token: string, work: () => Promise<T>): Promise<T> {
      const claimed = ({ result }: T) => idOf(result);
      const finished = await this.#bounded(LAST_MS, () => this.#claims.run(token, work, claimed));
      this.answers += 1;
      return finished;
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

/** The id in BullMQ's answer to a claim, `[job, id, …]`; there is none when no job waits. */
function idOf(next: unknown): string | undefined {
  return Array.isArray(next) && next[0] && typeof next[1] === 'string' ? next[1] : undefined;
}
