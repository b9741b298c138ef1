import { type PgPool, PostgresConnection, PostgresQueueBackend, type QueueBaseOptions, withBackend } from 'bullmq';
import { bounded } from './bounded-worker.ts';
import { createBreaker } from './breaker.ts';
import type { Claimed } from './claims.ts';
import { type Listener, openListener } from './listener.ts';
import { paced } from './pace.ts';
import { type BoundedPool, CONNECT_MS, openPool } from './postgres-pool.ts';
import { byServerClock, END_FAR_TIMES } from './server-clock.ts';
import { PATIENCE_MS, type QueueConnection, type QueueOptions } from './store.ts';
import { createTrouble } from './trouble.ts';

/** BullMQ's own schema in Postgres. */
export const POSTGRES_SCHEMA = 'bullmq';

/** Connections for the queue in Postgres, shared by all queues and workers; one more listens. */
const POOL_SIZE = 15;
/** How often a worker polls for a job: a notification may be lost, and behind a pooler none arrives. */
const LOOK_SECONDS = { listening: 1, deaf: 1 };
/** The channel on which BullMQ announces the queue of a new job. */
const JOBS_CHANNEL = 'bullmq_jobs';

/** BullMQ caches the result of its first schema check, even a failure, after which no statement would ever work. */
class Connection extends PostgresConnection {
  override async waitUntilReady(): Promise<void> {}
}

type Source = { pool: BoundedPool; listener: Listener };

/** Waits for jobs on the process's one listening connection, not on one of its own. */
class Backend extends PostgresQueueBackend {
  readonly #pool: BoundedPool;
  readonly #listener: Listener;
  #hasEndedFarTimes = false;
  #news = false;
  #wake = () => {};
  #isInterrupted = false;

  constructor(source: Source, name: string, options: QueueBaseOptions<Source>) {
    const connection = new Connection(asPool(source.pool));
    super(connection, name, { ...options, connection: connection.pool });
    this.#pool = source.pool;
    this.#listener = source.listener;
  }

  /** Starts listening for jobs of this queue. @returns a function that stops it. */
  listen(): () => void {
    return this.#listener.listen(JOBS_CHANNEL, (queue) => {
      if (queue !== null && queue !== this.queueName) return;
      this.#news = true;
      this.#wake();
    });
  }

  override moveToActive(token: string, name?: string) {
    this.#news = false; // a notification from here on may be of a job that this attempt does not see
    return super.moveToActive(token, name);
  }

  override async moveStalledJobsToWait() {
    if (!this.#hasEndedFarTimes) await this.#pool.query(END_FAR_TIMES, [this.queueName]);
    this.#hasEndedFarTimes = true;
    return super.moveStalledJobsToWait();
  }

  override async waitForJob(seconds: number): Promise<null> {
    if (this.#news || this.#isInterrupted || this.closing) return null;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    return null;
  }

  override async disconnectBlocking(): Promise<void> {
    this.#isInterrupted = true;
    this.#wake();
  }

  override async reconnectBlocking(): Promise<void> {
    this.#isInterrupted = false;
  }
}

/** The part of a pool that BullMQ uses if it does not listen itself. */
function asPool(pool: BoundedPool): PgPool {
  const self: PgPool = {
    // BullMQ wrote the statements and knows their rows.
    query: async <R>(text: string, params?: readonly unknown[]) => {
      // It asks how long to wait after each claim without a job. Nothing here is delayed or limited, and it asks again in a second.
      if (text.includes('next_signal(')) return { rows: [], rowCount: 0 };
      const { rows, rowCount } = await pool.query(byServerClock(text), params);
      return { rows: rows as R[], rowCount };
    },
    connect: () => Promise.reject(new Error('the queue has no connection of its own for this')),
    end: async () => {},
    on: () => self,
    removeAllListeners: () => self,
  };
  return self;
}

export function openPostgres(options: QueueOptions): QueueConnection {
  const { databaseUrl, directDatabaseUrl = databaseUrl, onNotice, patienceMs = PATIENCE_MS } = options;
  const trouble = createTrouble(options);
  const pool = openPool({ databaseUrl, max: POOL_SIZE, schema: POSTGRES_SCHEMA, onError: trouble.error });
  // It changes nothing, but fails where writing is impossible.
  const probe = () => pool.query('UPDATE job SET id = id WHERE false');
  const breaker = createBreaker({ patienceMs, firstPatienceMs: Math.max(patienceMs, CONNECT_MS), probe, trouble });
  const listener = openListener({
    databaseUrl: directDatabaseUrl,
    trouble,
    onNotice,
    otherwise: 'jobs are looked for every second',
    onLost: pool.dropIdle,
  });
  const blockSeconds = () => (listener.isListening() ? LOOK_SECONDS.listening : LOOK_SECONDS.deaf);
  const source = { pool, listener };
  const bull = withBackend<Backend, Source>((name, base, role) => {
    const backend = new Backend(source, name, base);
    if (!role?.withBlockingConnection) return backend;
    const { close } = backend;
    const end = backend.listen();
    backend.close = (force) => {
      end();
      return close.call(backend, force);
    };
    return paced(backend, {
      blockSeconds,
      trouble,
      claims: { find: (tokens) => claimedBy(pool, name, tokens), breaks: () => 0 },
    });
  });
  return {
    store: 'postgres',
    breaker,
    queue(name) {
      const queue = new bull.Queue(name, { connection: source });
      queue.on('error', trouble.error);
      return queue;
    },
    worker: (name, process, worker) =>
      bounded(process, trouble, (run) => new bull.Worker(name, run, { ...worker, connection: source })),
    ping: async () => void (await pool.query('SELECT 1')),
    close: async () => {
      breaker.close();
      await listener.close();
      await pool.end();
    },
  };
}

/** The active jobs of a queue with these tokens. */
async function claimedBy(pool: BoundedPool, queue: string, tokens: string[]): Promise<Claimed[]> {
  const { rows } = await pool.query<Claimed>(
    `SELECT id, lock_token AS token FROM job WHERE queue = $1 AND state = 'active' AND lock_token = ANY($2)`,
    [queue, tokens],
  );
  return rows;
}
