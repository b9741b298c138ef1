import { randomBytes } from 'node:crypto';
import type { DeliverJob } from '@pts/queue/catalog';
import { openQueue, type QueueConnection, type Store } from '@pts/queue/connection';
import { readDepths } from '@pts/queue/operate';
import type { Producer } from '@pts/queue/wake';
import { Redis } from 'ioredis';
import { redisUrlOn } from './stores.ts';

/** A busy machine must not look like a store that is unavailable. */
const PATIENCE_MS = 60_000;

export type TestQueue = QueueConnection & {
  /** What another connection needs to reach the same jobs. */
  options: { redisUrl: string | undefined; databaseUrl: string; prefix: string };
  errors: Error[];
  /** How many wake-ups of a queue wait. */
  waiting(name: string): Promise<number>;
  /** Loses every job, as a flushed Redis does. The Postgres store loses nothing that its database keeps. */
  forget(): Promise<void>;
};

/** The queue's store under a prefix of its own; closing it leaves nothing behind. */
export async function testQueue(store: Store, databaseUrl: string): Promise<TestQueue> {
  const options = { redisUrl: redisUrlOn(store), databaseUrl, prefix: `{test-${randomBytes(6).toString('hex')}}` };
  const errors: Error[] = [];
  const forgetAll = async () => {
    if (options.redisUrl !== undefined) await forget(options.redisUrl, options.prefix);
  };
  const queue = await openQueue({ ...options, patienceMs: PATIENCE_MS, onError: (error) => errors.push(error) });
  return {
    ...queue,
    options,
    errors,
    waiting: async (name) => (await readDepths(queue, [name]))[0]?.waiting ?? 0,
    forget: forgetAll,
    close: async () => {
      await queue.close();
      await forgetAll();
    },
  };
}

/** A producer in place of the queue. `woken` keeps what the dispatchers were woken with. */
export function recordingProducer(differs: Partial<Producer> = {}): { woken: DeliverJob[]; producer: Producer } {
  const woken: DeliverJob[] = [];
  const accept = async () => true;
  const producer: Producer = {
    deliver: async (endpoints) => woken.push(...endpoints) > 0,
    query: accept,
    retrack: accept,
    startRun: accept,
    close: async () => {},
    ...differs,
  };
  return { woken, producer };
}

export async function forget(redisUrl: string, prefix: string): Promise<void> {
  const client = new Redis(redisUrl);
  try {
    const keys = await client.keys(`${prefix}*`);
    if (keys.length > 0) await client.del(...keys);
  } finally {
    client.disconnect();
  }
}
