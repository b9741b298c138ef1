import { createRedisBackend, type RedisQueueBackend, withBackend } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { bounded } from './bounded-worker.ts';
import { createBreaker } from './breaker.ts';
import { withoutSecondLook } from './bullmq-second-look.ts';
import type { Claimed } from './claims.ts';
import { paced } from './pace.ts';
import { PATIENCE_MS, type QueueConnection, type QueueOptions } from './store.ts';
import { createTrouble } from './trouble.ts';

/** How long opening waits for Redis. The process also starts without it: wake-ups are lost, work is not. */
const FIRST_CONNECTION_MS = 3000;
/** A worker waits this long in Redis for a job, then asks again. BullMQ abandons a silent connection a second later. */
const BLOCK_SECONDS = 1;
/** The silence of a connection is counted from the first unanswered command. */
const PING_MS = 500;
const PROBE_KEPT_MS = 10_000;

/** A connection that is silent for `socketTimeout` is replaced; pending commands are sent again. */
export const PATIENT = {
  maxRetriesPerRequest: null,
  connectTimeout: 2000,
  socketTimeout: 2500,
  disconnectTimeout: 500,
  keepAlive: 5000,
  retryStrategy: (times: number) => Math.min(1000, 50 * 2 ** Math.min(times, 10)),
} as const satisfies RedisOptions;

/** The workers' connection: BullMQ duplicates it for each worker, to wait on, and may not close the copy. */
class Consumer extends Redis {
  readonly #copies = new Set<Redis>();

  override duplicate(override?: Partial<RedisOptions>): Redis {
    // It is silent while a worker waits: BullMQ ends the wait before this timeout.
    const copy = super.duplicate({ ...override, socketTimeout: BLOCK_SECONDS * 1000 + 2000 });
    this.#copies.add(copy);
    copy.once('end', () => this.#copies.delete(copy));
    return copy;
  }

  disconnectAll(): void {
    for (const client of [this, ...this.#copies]) client.disconnect();
  }
}

export async function openRedis(url: string, options: QueueOptions): Promise<QueueConnection> {
  const { prefix, patienceMs = PATIENCE_MS } = options;
  const trouble = createTrouble(options);
  // A request waits for the producer, so it fails fast. A worker's connection waits for Redis to come back.
  const producer = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2000,
    commandTimeout: 2000,
    socketTimeout: 4000,
    disconnectTimeout: 500,
    retryStrategy: PATIENT.retryStrategy,
  });
  producer.on('error', trouble.error);
  // A write: a Redis that is full, or a replica, still answers reads.
  const probe = () => producer.set(`${prefix}:probe`, '1', 'PX', PROBE_KEPT_MS);
  const breaker = createBreaker({ patienceMs, probe, trouble });
  let consumer: Consumer | undefined;
  let breaks = 0;
  let pings: NodeJS.Timeout | undefined;
  const consume = () => {
    if (consumer) return consumer;
    const client = new Consumer(url, PATIENT);
    client.on('error', trouble.error);
    client.on('close', () => {
      breaks += 1;
    });
    pings = setInterval(() => void client.ping().catch(() => {}), PING_MS);
    consumer = client;
    return client;
  };
  await firstConnection(producer);
  const bull = withBackend((name: string, base: Parameters<typeof createRedisBackend>[1], role = {}) => {
    const backend = createRedisBackend(name, base, role);
    if (!role.withBlockingConnection) return backend;
    const claims = { find: (tokens: string[]) => claimedBy(consume(), backend, tokens), breaks: () => breaks };
    return paced(withoutSecondLook(backend, consume), { blockSeconds: () => BLOCK_SECONDS, trouble, claims });
  });
  return {
    store: 'redis',
    breaker,
    queue(name) {
      const queue = new bull.Queue(name, {
        connection: producer,
        prefix,
        skipWaitingForReady: true,
        skipVersionCheck: true,
      });
      queue.on('error', trouble.error);
      return queue;
    },
    worker: (name, process, worker) =>
      bounded(process, trouble, (run) => new bull.Worker(name, run, { ...worker, connection: consume(), prefix })),
    ping: async () => void (await producer.ping()),
    close: async () => {
      breaker.close();
      clearInterval(pings);
      producer.disconnect();
      consumer?.disconnectAll();
    },
  };
}

/** The active jobs of a queue with these tokens, found by their locks. */
async function claimedBy(client: Redis, backend: RedisQueueBackend, tokens: string[]): Promise<Claimed[]> {
  const ids = await client.lrange(backend.toKey('active'), 0, -1);
  if (ids.length === 0) return [];
  const locks = await client.mget(ids.map((id) => `${backend.toKey(id)}:lock`));
  return ids.flatMap((id, i) => {
    const token = locks[i];
    return token && tokens.includes(token) ? [{ id, token }] : [];
  });
}

function firstConnection(client: Redis): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FIRST_CONNECTION_MS);
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
