import { Ajv, type ValidateFunction } from 'ajv';
import {
  BACKGROUND_QUEUE,
  DELIVER_QUEUE,
  type DeliverJob,
  JOB_OPTIONS,
  JOBS,
  type JobName,
  type JobPayloads,
  oncePerEndpoint,
  type ParcelsJob,
  queryQueue,
  type RunJob,
} from './catalog.ts';
import type { QueueConnection, QueueHandle, Receiver } from './connection.ts';

/**
 * Enqueues wake-ups. Every call is bounded in time and never throws: a lost wake-up costs a moment,
 * because the sweep finds due work in Postgres. `false` means that it was lost. While the store is known to be
 * unavailable, calls do not wait for it.
 */
export type Producer = {
  query(provider: string, jobs: readonly ParcelsJob[]): Promise<boolean>;
  retrack(provider: string, job: ParcelsJob): Promise<boolean>;
  deliver(endpoints: readonly DeliverJob[]): Promise<boolean>;
  startRun(run: RunJob): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * Up to this number, jobs are added one by one: BullMQ adds several in a transaction, on Postgres with temporary
 * tables, which takes longer.
 */
const FEW = 8;

export function createProducer(connection: QueueConnection, onLost: (error: unknown) => void): Producer {
  const queues = new Map<string, QueueHandle>();
  const open = (name: string) => {
    const known = queues.get(name) ?? connection.queue(name);
    queues.set(name, known);
    return known;
  };
  const add = async (to: string, name: JobName, payloads: readonly object[], more: (payload: never) => object) => {
    if (payloads.length === 0) return true;
    const jobs = payloads.map((data) => ({ name, data, opts: { ...JOB_OPTIONS, ...more(data as never) } }));
    try {
      const queue = open(to);
      await connection.breaker.run<unknown>(() =>
        jobs.length > FEW
          ? queue.addBulk(jobs)
          : Promise.all(jobs.map(({ data, opts }) => queue.add(name, data, opts))),
      );
      return true;
    } catch (error) {
      onLost(error);
      return false;
    }
  };
  const plain = () => ({});
  return {
    query: (provider, jobs) => add(queryQueue(provider), 'query', jobs, plain),
    retrack: (provider, job) => add(queryQueue(provider), 'retrack', [job], plain),
    deliver: (endpoints) => add(DELIVER_QUEUE, 'deliver', endpoints, oncePerEndpoint),
    startRun: (run) => add(BACKGROUND_QUEUE, 'run', [run], plain),
    close: async () => {
      await Promise.all([...queues.values()].map((handle) => handle.close()));
    },
  };
}

/** The handlers that the jobs of a queue start. A handler returns at once, and never throws. */
export type Handlers<N extends JobName> = { [K in N]: (payload: JobPayloads[K]) => void };

// The schemas are ours; a test checks them.
const ajv = new Ajv({ strict: true, strictTypes: false, validateSchema: false, meta: false });
const validators: Record<JobName, ValidateFunction> = {
  query: ajv.compile(JOBS.query.schema),
  retrack: ajv.compile(JOBS.retrack.schema),
  run: ajv.compile(JOBS.run.schema),
  deliver: ajv.compile(JOBS.deliver.schema),
};

/**
 * Receives the wake-ups of a queue. A job without a handler, or with a payload that does not match the catalog, as
 * another version may add them, is reported and dropped: its work is due in PostgreSQL.
 */
export function receiveWakeUps<N extends JobName>(
  connection: QueueConnection,
  queue: string,
  handlers: Handlers<N>,
  onError: (error: Error) => void,
): Receiver {
  return connection.receive(queue, (name, payload) => {
    const job = name as N;
    if (!Object.hasOwn(handlers, name)) onError(new Error(`queue ${queue} has no handler for job ${name}`));
    else if (!validators[job](payload))
      onError(new Error(`job ${name} has an invalid payload: ${ajv.errorsText(validators[job].errors)}`));
    else handlers[job](payload as JobPayloads[N]);
  });
}
