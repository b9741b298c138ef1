import { within } from '@pts/db/pool';
import {
  createRedisBackend,
  QueueKeys,
  RedisConnection,
  RedisQueueBackend,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { receive } from '../bullmq/receiver.ts';
import { BLOCK_SECONDS, resilient } from '../bullmq/resilient-backend.ts';
import { createBreaker } from '../health/breaker.ts';
import { createOutageLog } from '../health/outage-log.ts';
import { PATIENCE_MS, type QueueConnection, type QueueOptions } from '../store.ts';
import { isCluster, openClient, type RedisClient } from './client.ts';
import { describeFault, nameOfRedis, namingRedis } from './describe-fault.ts';

/**
 * A producer's command takes milliseconds. If it takes this long, and longer than its caller waits, the connection is
 * dead.
 */
const COMMAND_MS = 2000;
/** How long opening waits for Redis. The process also starts without it: wake-ups are lost, work is not. */
const FIRST_CONNECTION_MS = 3000;
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

/** How long a worker's connection may be silent after the end of its wait. */
const LATE_MS = 2000;

/** The workers' connection, and one more for each worker, to wait on. */
type Consumer = {
  client: RedisClient;
  openWaiting(connectionName: string): RedisClient;
  closeWaiting(client: RedisClient): void;
  disconnectAll(): void;
};

function openConsumer(url: string, onError: (error: Error) => void): Consumer {
  const client = openClient(url, PATIENT);
  client.on('error', onError);
  const waiting = new Set<RedisClient>();
  return {
    client,
    openWaiting(connectionName) {
      // It is silent while a worker waits: the wait ends before this timeout.
      const own = openClient(url, { ...PATIENT, connectionName, socketTimeout: BLOCK_SECONDS * 1000 + LATE_MS });
      own.on('error', onError);
      waiting.add(own);
      return own;
    },
    closeWaiting(own) {
      waiting.delete(own);
      own.disconnect();
    },
    disconnectAll: () => {
      for (const each of [client, ...waiting]) each.disconnect();
    },
  };
}

class Backend extends RedisQueueBackend {
  readonly #consumer: Consumer;
  readonly #connectionName: string;
  #waiting: RedisClient | undefined;

  constructor(consumer: Consumer, name: string, options: WorkerOptions) {
    const keys = new QueueKeys(options.prefix);
    // It asks with INFO, which is among the dangerous commands that a rented Redis may refuse.
    const skipVersionCheck = true;
    const connection = new RedisConnection(consumer.client, { shared: true, blocking: false, skipVersionCheck });
    super(connection, name, keys.getKeys(name), (type) => keys.toKey(name, type), options);
    this.#consumer = consumer;
    this.#connectionName = `${options.prefix}:${Buffer.from(name).toString('base64')}`;
  }

  /**
   * On a connection of ours, which is replaced when it is late: BullMQ's never ends its wait after a master of a
   * Cluster was killed, because it waits for a connection that does not come back.
   */
  override async waitForJob(seconds: number) {
    this.#waiting ??= this.#consumer.openWaiting(this.#connectionName);
    const { marker = '' } = this.queue.keys;
    try {
      const found = await within(seconds * 1000 + LATE_MS, this.#waiting.bzpopmin(marker, seconds), late);
      return found ? { member: found[1], score: Number.parseInt(found[2], 10) } : null;
    } catch (error) {
      this.#closeWaiting();
      throw error;
    }
  }

  override async disconnectBlocking() {
    this.#closeWaiting();
  }

  #closeWaiting() {
    if (this.#waiting) this.#consumer.closeWaiting(this.#waiting);
    this.#waiting = undefined;
  }
}

function late(): never {
  throw new Error('Redis does not respond to a worker that waits for a job');
}

export async function openRedis(url: string, options: QueueOptions): Promise<QueueConnection> {
  const { prefix, patienceMs = PATIENCE_MS, takesWork = () => true } = options;
  const outages = createOutageLog({ ...options, onError: namingRedis(url, options.onError) });
  const commandMs = Math.max(COMMAND_MS, patienceMs);
  // A request waits for the producer, so it fails fast. A worker's connection waits for Redis to come back.
  const producer = openClient(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2000,
    commandTimeout: commandMs,
    socketTimeout: 2 * commandMs,
    disconnectTimeout: 500,
    retryStrategy: PATIENT.retryStrategy,
  });
  let lastFault: Error | undefined;
  producer.on('error', (error: Error) => {
    lastFault = error;
    outages.error(error);
  });
  producer.on('ready', () => {
    lastFault = undefined;
  });
  const spreads = isCluster(url);
  /** On a Cluster, the queues are on different servers: each has a hash tag of its own. */
  const prefixOf = (name: string) => (spreads ? prefix.replace(/\}?$/, `-${name}$&`) : prefix);
  const probed = new Set([prefix]);
  // A write: a Redis that is full, or a replica, still answers reads.
  const probe = () => Promise.all([...probed].map((each) => producer.set(`${each}:probe`, '1', 'PX', PROBE_KEPT_MS)));
  const breaker = createBreaker({ patienceMs, probe, outages });
  let consumer: Consumer | undefined;
  let pings: NodeJS.Timeout | undefined;
  const consume = () => {
    if (consumer) return consumer;
    consumer = openConsumer(url, outages.error);
    const { client } = consumer;
    pings = setInterval(() => void client.ping().catch(() => {}), PING_MS);
    return consumer;
  };
  await firstConnection(producer);
  const WorkerBackend = resilient(Backend, outages, takesWork);
  const { Queue } = withBackend(createRedisBackend);
  const { Worker } = withBackend((name, base: WorkerOptions) => new WorkerBackend(consume(), name, base));
  return {
    store: 'redis',
    at: nameOfRedis(url),
    breaker,
    queue(name) {
      probed.add(prefixOf(name));
      const queue = new Queue(name, {
        connection: producer,
        prefix: prefixOf(name),
        skipWaitingForReady: true,
        skipVersionCheck: true,
      });
      queue.on('error', outages.error);
      return queue;
    },
    receive: (name, woken) =>
      receive(
        woken,
        outages,
        (run, how) => new Worker(name, run, { ...how, connection: consume().client, prefix: prefixOf(name) }),
      ),
    async ping() {
      try {
        await producer.ping();
      } catch (error) {
        // A command on a connection that failed only says that there is none.
        throw new Error(await describeFault(url, lastFault ?? (error as Error)), { cause: error });
      }
    },
    close: async () => {
      breaker.close();
      clearInterval(pings);
      producer.disconnect();
      consumer?.disconnectAll();
    },
  };
}

function firstConnection(client: RedisClient): Promise<void> {
  const ready = new Promise<void>((resolve) => client.once('ready', () => resolve()));
  return within(FIRST_CONNECTION_MS, ready, () => {});
}
