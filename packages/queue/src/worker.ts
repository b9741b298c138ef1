import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Ajv, type ValidateFunction } from 'ajv';
import { UnrecoverableError } from 'bullmq';
import { CANARY_ID, JOBS, type JobName, type JobPayloads } from './catalog.ts';
import type { QueueConnection, WorkerHandle } from './connection.ts';

/** The handlers of a queue's jobs. A throw is an internal error: the job is retried. */
export type Handlers<N extends JobName> = { [K in N]: (payload: JobPayloads[K]) => Promise<void> };

export type WorkerLimits = {
  /** Concurrent jobs in this process. */
  concurrency: number;
  /** Another process takes over the jobs of a killed one after this long. */
  lockMs?: number;
};

/** Called when a worker takes a canary, with the time at which that was added. */
export type CanaryListener = (addedAtMs: number) => void;

export type StartedWorker = WorkerHandle & { onCanary(listener: CanaryListener): void };

const LOCK_MS = 15_000;
/** How long a job waits after it has failed for the first time; twice as long after each further failure. */
const RETRY_MS = 500;

// The schemas are ours; a test checks them.
const ajv = new Ajv({ strict: true, strictTypes: false, validateSchema: false, meta: false });
const validators: Record<JobName, ValidateFunction> = {
  query: ajv.compile(JOBS.query.schema),
  retrack: ajv.compile(JOBS.retrack.schema),
  subscribe: ajv.compile(JOBS.subscribe.schema),
  run: ajv.compile(JOBS.run.schema),
  deliver: ajv.compile(JOBS.deliver.schema),
};

/**
 * Starts a worker on a queue. A job without a handler, or with a payload that does not match the catalog, fails at once
 * and permanently, without side effects.
 */
export function startWorker<N extends JobName>(
  connection: QueueConnection,
  queue: string,
  handlers: Handlers<N>,
  limits: WorkerLimits,
  onError: (error: Error, job?: string) => void,
): StartedWorker {
  let tookCanary: CanaryListener = () => {};
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  // Here, by this process' timer, and not in the queue, which compares clocks of processes.
  const rest = (ms: number) => delay(ms, undefined, { signal: closing.signal }).catch(() => {});
  const worker = connection.worker(
    queue,
    async (job) => {
      if (job.id === CANARY_ID) return tookCanary(Number(job.data.addedAtMs));
      const name = job.name as N;
      const handle = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
      if (!handle) throw new UnrecoverableError(`queue ${queue} has no handler for job ${job.name}`);
      if (!validators[name](job.data))
        throw new UnrecoverableError(
          `job ${job.name} has an invalid payload: ${ajv.errorsText(validators[name].errors)}`,
        );
      try {
        await handle(job.data as JobPayloads[N]);
      } catch (error) {
        if (job.attemptsMade + 1 < (job.opts.attempts ?? 1)) await rest(RETRY_MS * 2 ** job.attemptsMade);
        throw error;
      }
    },
    {
      concurrency: limits.concurrency,
      lockDuration: limits.lockMs ?? LOCK_MS,
      stalledInterval: (limits.lockMs ?? LOCK_MS) / 2,
      drainDelay: 1,
      runRetryDelay: 100, // failed attempts take their time as they are
      maxStalledCount: 10,
    },
  );
  worker.onFailed((job, error) => onError(error, job));
  return {
    ...worker,
    close: () => {
      closing.abort();
      return worker.close();
    },
    onCanary: (listener) => {
      tookCanary = listener;
    },
  };
}
