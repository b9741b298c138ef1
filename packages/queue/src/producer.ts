import { BACKGROUND_QUEUE, DELIVER_QUEUE, type DeliverJob, JOB_OPTIONS, type JobName, oncePerEndpoint, type QueryJob, queryQueue, type RetrackJob, type RunJob } from './catalog.ts';
import type { QueueConnection, QueueHandle } from './connection.ts';

/**
 * Enqueues wake-ups. Every call is bounded in time and never throws: a lost wake-up costs a moment,
 * because the sweep finds due work in Postgres. `false` means that it was lost. While the store is known to be
 * unavailable, calls do not wait for it.
 */
export type Producer = {
  query(provider: string, jobs: readonly QueryJob[]): Promise<boolean>;
  retrack(provider: string, job: RetrackJob): Promise<boolean>;
  deliver(endpoints: readonly DeliverJob[]): Promise<boolean>;
  startRun(run: RunJob): Promise<boolean>;
  close(): Promise<void>;
};

/** Up to this number, jobs are added one by one: BullMQ adds several in a transaction, on Postgres with temporary tables, which takes longer. */
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
