import { openPostgres } from './postgres/postgres.ts';
import { openRedis } from './redis/redis.ts';
import type { QueueConnection, QueueOptions } from './store.ts';

export type { QueueConnection, QueueHandle, QueueOptions, Receiver, Store } from './store.ts';

/** Opens the queue's store: Redis if there is one, otherwise Postgres. The only place that knows which. */
export async function openQueue(options: QueueOptions): Promise<QueueConnection> {
  return options.redisUrl === undefined ? openPostgres(options) : await openRedis(options.redisUrl, options);
}
