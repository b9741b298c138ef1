import { showDatabaseAddress } from '@pts/core/settings';
import { type PgPool, PostgresQueueBackend, type QueueBaseOptions, withBackend } from 'bullmq';
import { LastingConnection } from '../bullmq/faults.ts';
import { receive } from '../bullmq/receiver.ts';
import { resilient } from '../bullmq/resilient-backend.ts';
import { createBreaker } from '../health/breaker.ts';
import { createOutageLog } from '../health/outage-log.ts';
import { PATIENCE_MS, type QueueConnection, type QueueOptions } from '../store.ts';
import { type Listener, openListener } from './listener.ts';
import { type BoundedPool, CONNECT_MS, openPool } from './pool.ts';
import { POSTGRES_SCHEMA } from './schema.ts';

/** Connections for the queue in Postgres, shared by all queues and workers; one more listens. */
const POOL_SIZE = 15;
/** The channel on which BullMQ announces the queue of a new job. */
const JOBS_CHANNEL = 'bullmq_jobs';

/** Adds no job, but fails where none can be added: without the right to insert, or a queue's sequence of ids. */
const PROBE = `
  WITH added AS (INSERT INTO job SELECT * FROM job WHERE false)
  SELECT next_job_id(queue) FROM unnest($1::text[]) queue`;

type Source = { pool: BoundedPool; listener: Listener };

class Backend extends PostgresQueueBackend {
  constructor({ pool }: Source, name: string, options: QueueBaseOptions<Source>) {
    const connection = new LastingConnection(asPool(pool));
    super(connection, name, { ...options, connection: connection.pool });
  }
}

/** A worker's backend: it waits for jobs on the process's one listening connection, not on one of its own. */
class ListeningBackend extends Backend {
  readonly #stopListening: () => void;
  #news = false;
  #wake = () => {};
  #isInterrupted = false;

  constructor(source: Source, name: string, options: QueueBaseOptions<Source>) {
    super(source, name, options);
    this.#stopListening = source.listener.listen(JOBS_CHANNEL, (queue) => {
      if (queue !== null && queue !== name) return;
      this.#news = true;
      this.#wake();
    });
  }

  override moveToActive(token: string, name?: string) {
    this.#news = false; // a notification from here on may be of a job that this attempt does not see
    return super.moveToActive(token, name);
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

  override close(force?: boolean): Promise<void> {
    this.#stopListening();
    return super.close(force);
  }
}

/** The part of a pool that BullMQ uses if it does not listen itself. */
function asPool(pool: BoundedPool): PgPool {
  const self: PgPool = {
    // BullMQ wrote the statements and knows their rows.
    query: async <R>(text: string, params?: readonly unknown[]) => {
      const { rows, rowCount } = await pool.query(text, params);
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
  const { databaseUrl, directDatabaseUrl = databaseUrl, onInfo, patienceMs = PATIENCE_MS } = options;
  const outages = createOutageLog(options);
  const pool = openPool({ databaseUrl, max: POOL_SIZE, schema: POSTGRES_SCHEMA, patienceMs, onError: outages.error });
  const probed = new Set<string>();
  const probe = () => pool.query(PROBE, [[...probed]]);
  const breaker = createBreaker({ patienceMs, firstPatienceMs: Math.max(patienceMs, CONNECT_MS), probe, outages });
  const listener = openListener({
    databaseUrl: directDatabaseUrl,
    outages,
    onInfo,
    otherwise: 'jobs are looked for every second',
    onLost: pool.dropIdle,
  });
  const { takesWork = () => true } = options;
  const source = { pool, listener };
  const WorkerBackend = resilient(ListeningBackend, outages, takesWork);
  const { Queue } = withBackend((name, base: QueueBaseOptions<Source>) => new Backend(source, name, base));
  const { Worker } = withBackend((name, base: QueueBaseOptions<Source>) => new WorkerBackend(source, name, base));
  return {
    store: 'postgres',
    at: ['PostgreSQL', showDatabaseAddress(databaseUrl)].filter(Boolean).join(' '),
    breaker,
    queue(name) {
      probed.add(name);
      const queue = new Queue(name, { connection: source });
      queue.on('error', outages.error);
      return queue;
    },
    receive: (name, woken) =>
      receive(woken, outages, (run, how) => new Worker(name, run, { ...how, connection: source })),
    ping: async () => void (await pool.query('SELECT 1')),
    close: async () => {
      breaker.close();
      await listener.close();
      await pool.end();
    },
  };
}
