import {
  BACKGROUND_QUEUE,
  DELIVER_QUEUE,
  type DeliverJob,
  jobOptions,
  oncePerEndpoint,
  PRIORITIES,
  type QueryJob,
  queryOptions,
  queryQueue,
  type RetrackJob,
  type RunJob,
  type SubscribeJob,
} from './catalog.ts';
import type { QueueConnection, QueueHandle } from './connection.ts';

/**
 * Enqueues wake-ups. Every call is bounded in time and never throws: a lost wake-up costs a moment,
 * because the sweep finds due work in Postgres. `false` means that it was lost. While the store is known to be
 * unavailable, calls do not wait for it.
 */
export type Producer = {
  /** @param isBulk see `queryOptions`. */
  query(provider: string, jobs: readonly QueryJob[], isBulk?: boolean): Promise<boolean>;
  retrack(provider: string, job: RetrackJob): Promise<boolean>;
  subscribe(provider: string, jobs: readonly SubscribeJob[]): Promise<boolean>;
  deliver(endpoints: readonly DeliverJob[]): Promise<boolean>;
  startRun(run: RunJob): Promise<boolean>;
  /** Jobs that wait for a worker; null when the store does not answer. */
  waiting(queue: string): Promise<number | null>;
  /** The same by kind: `regular` ones wait until no other one does. */
  load(queue: string): Promise<Load | null>;
  close(): Promise<void>;
};

/** Jobs of a queue that wait. */
export type Load = { regular: number; others: number };

/** Up to this number, jobs are added one by one: BullMQ adds several in a transaction, on Postgres with temporary tables, which takes longer. */
const FEW = 8;

type Added = { name: string; data: object; opts: object };

export function createProducer(connection: QueueConnection, onLost: (error: unknown) => void): Producer {
  const queues = new Map<string, QueueHandle>();
  const queue = (name: string) => {
    const known = queues.get(name) ?? connection.queue(name);
    queues.set(name, known);
    return known;
  };
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await connection.breaker.run(work);
    } catch (error) {
      onLost(error);
      return null;
    }
  };
  const addAll = (to: QueueHandle, jobs: readonly Added[]): Promise<unknown> =>
    jobs.length > FEW
      ? to.addBulk([...jobs])
      : Promise.all(jobs.map(({ name, data, opts }) => to.add(name, data, opts)));
  const add = async (name: string, jobs: readonly Added[]) =>
    jobs.length === 0 || (await attempt(() => addAll(queue(name), jobs))) !== null;
  const load = async (name: string): Promise<Load | null> => {
    const { awaited, bulk, regular } = PRIORITIES;
    const counts = await attempt(() => queue(name).getCountsPerPriority([awaited, bulk, regular]));
    return counts && { regular: counts[regular] ?? 0, others: (counts[awaited] ?? 0) + (counts[bulk] ?? 0) };
  };
  return {
    query: (provider, jobs, isBulk) =>
      add(
        queryQueue(provider),
        jobs.map((job) => ({ name: 'query', data: job, opts: queryOptions(job, isBulk) })),
      ),
    retrack: (provider, data) => add(queryQueue(provider), [{ name: 'retrack', data, opts: jobOptions('retrack') }]),
    subscribe: (provider, jobs) =>
      add(
        queryQueue(provider),
        jobs.map((data) => ({ name: 'subscribe', data, opts: jobOptions('subscribe') })),
      ),
    deliver: (endpoints) =>
      add(
        DELIVER_QUEUE,
        endpoints.map((data) => ({
          name: 'deliver',
          data,
          opts: { ...jobOptions('deliver'), ...oncePerEndpoint(data) },
        })),
      ),
    startRun: (data) => add(BACKGROUND_QUEUE, [{ name: 'run', data, opts: jobOptions('run') }]),
    waiting: async (name) => {
      const counts = await load(name);
      return counts && counts.regular + counts.others;
    },
    load,
    close: async () => {
      await Promise.all([...queues.values()].map((handle) => handle.close()));
    },
  };
}
