import { randomBytes } from 'node:crypto';
import { openQueue, type QueueConnection, type Store } from '@pts/queue/connection';
import { createProducer, type Producer } from '@pts/queue/producer';
import { redisUrlOn } from '@pts/testing/stores';

export type BenchQueue = { queue: QueueConnection; producer: Producer; close(): Promise<void> };

/** The queue on a store, under a prefix of its own, and its producer; `close` ends both. */
export async function openBenchQueue(store: Store, databaseUrl: string): Promise<BenchQueue> {
  const prefix = `{bench-${randomBytes(6).toString('hex')}}`;
  const queue = await openQueue({ redisUrl: redisUrlOn(store), databaseUrl, prefix, onError: console.error });
  const producer = createProducer(queue, console.error);
  const close = async () => {
    await producer.close();
    await queue.close();
  };
  return { queue, producer, close };
}
