import {
  createPostgresBackend,
  createRedisBackend,
  type PgPool,
  type Processor,
  type Queue,
  type Worker,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';

export type Store = 'redis' | 'postgres';

/** The parts of BullMQ's queue and worker that we use; the same on both stores. */
export type QueueHandle = Pick<Queue, 'addBulk' | 'getJobCounts' | 'close'>;
export type WorkerHandle = Pick<Worker, 'isRunning' | 'close'> & {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: { name: string } | undefined, error: Error) => void): unknown;
};

export type QueueConnection = {
  store: Store;
  queue(name: string): QueueHandle;
  worker(name: string, process: Processor, options: Omit<WorkerOptions, 'connection' | 'prefix'>): WorkerHandle;
  /** Resolves when the store answers. @throws when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** BullMQ's own schema in Postgres. */
export const POSTGRES_SCHEMA = 'bullmq';

type Options = { redisUrl?: string | undefined; databaseUrl: string; prefix: string; onError(error: Error): void };

/** How long opening waits for Redis. Without it the process starts all the same: wake-ups are lost, work is not. */
const FIRST_CONNECTION_MS = 3000;

/** Opens the queue's store: Redis when there is one, else Postgres. The only place that knows which. */
export async function openQueue(options: Options): Promise<QueueConnection> {
  return options.redisUrl === undefined ? openPostgres(options) : await openRedis(options.redisUrl, options);
}

async function openRedis(url: string, { prefix, onError }: Options): Promise<QueueConnection> {
  // A producer answers a request that waits: it fails fast. A worker's connection waits for Redis to come back.
  const producer = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2000,
    commandTimeout: 2000,
  });
  producer.on('error', onError);
  let consumer: Redis | undefined;
  const consume = () => {
    consumer ??= new Redis(url, { maxRetriesPerRequest: null }).on('error', onError);
    return consumer;
  };
  await firstConnection(producer);
  const bull = withBackend(createRedisBackend);
  return {
    store: 'redis',
    queue(name) {
      const queue = new bull.Queue(name, {
        connection: producer,
        prefix,
        skipWaitingForReady: true,
        skipVersionCheck: true,
      });
      queue.on('error', onError);
      return queue;
    },
    worker: (name, process, worker) => new bull.Worker(name, process, { ...worker, connection: consume(), prefix }),
    ping: async () => void (await producer.ping()),
    close: async () => {
      producer.disconnect();
      consumer?.disconnect();
    },
  };
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

/** Connections for the queue in Postgres: each worker keeps one to listen on, all share the others. */
const POSTGRES_POOL_SIZE = 16;

function openPostgres({ databaseUrl, onError }: Options): QueueConnection {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: POSTGRES_POOL_SIZE,
    options: `-c search_path=${POSTGRES_SCHEMA}`,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  pool.on('error', onError);
  // A client that is checked out when its connection breaks would end the process: the pool hears only idle ones.
  pool.on('connect', (client) => client.on('error', onError));
  const bull = withBackend(createPostgresBackend);
  const connection = pool as unknown as PgPool;
  return {
    store: 'postgres',
    queue(name) {
      const queue = new bull.Queue(name, { connection });
      queue.on('error', onError);
      return queue;
    },
    worker: (name, process, worker) => new bull.Worker(name, process, { ...worker, connection }),
    ping: async () => void (await pool.query('SELECT 1')),
    close: () => pool.end(),
  };
}
