import { AsyncResource } from 'node:async_hooks';
import pg from 'pg';
import { currentDeadline, DEADLINES } from './deadline.ts';
import { guard, type Running } from './guard.ts';

export type Connections = {
  pool: pg.Pool;
  /** The process is about to end: running and later statements get two seconds. */
  hurry(): void;
  /** Ends every connection; those that hang are destroyed after three seconds. */
  close(): Promise<void>;
};

type Options = {
  url: string;
  poolSize: number;
  /** For the answer to a statement, in milliseconds; `withDeadline` chooses another. */
  statementMs?: number;
  /** For a connection to become free or to be made, in milliseconds. */
  connectMs?: number;
  /** Milliseconds after which the server ends an idle transaction. */
  idleTransactionMs?: number;
};

const HURRY_MS = 2000;
const CLOSE_MS = 3000;
const GOODBYE_MS = 500;

/**
 * A pool whose statements all end within a deadline, whatever happens to the network: a late one is cancelled at
 * the server, fails with a DeadlineError, and its connection is never used again. Nothing depends on the state of a
 * session (startup parameters, SET), so PgBouncer may stand in between.
 */
export function openConnections(options: Options): Connections {
  const { statementMs = DEADLINES.statement, connectMs = 5000, idleTransactionMs = 15_000 } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // A connection that breaks while idle is replaced when the next one is needed.
  pool.on('error', () => {});
  keepContext(pool);
  const clients = new Set<pg.PoolClient>();
  const running = new Set<Running>();
  let mostMs = Number.POSITIVE_INFINITY;
  pool.on('connect', (client) => {
    clients.add(client);
    client.once('end', () => clients.delete(client));
    const deadlineMs = () => Math.min(mostMs, currentDeadline(statementMs));
    guard(client, running, { deadlineMs, idleTransactionMs });
  });
  const hurry = () => {
    if (mostMs === HURRY_MS) return;
    mostMs = HURRY_MS;
    pool.options.connectionTimeoutMillis = Math.min(HURRY_MS, connectMs);
    for (const statement of running) statement.endWithin(HURRY_MS);
  };
  const close = async () => {
    hurry();
    await within(CLOSE_MS, pool.ending ? Promise.resolve() : pool.end());
    // A connection that should end may be dead and never answer.
    for (const { connection } of clients) setTimeout(() => connection.stream.destroy(), GOODBYE_MS).unref();
  };
  return { pool, hurry, close };
}

/** A queued statement is sent in the async context of the statement that released the connection, so its own deadline is restored. */
function keepContext(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: () => void) => Promise<pg.PoolClient>;
  pool.connect = ((callback?: () => void) =>
    callback ? connect(AsyncResource.bind(callback)) : connect()) as typeof pool.connect;
}

/** Resolves when `work` is done, at the latest after `ms`. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
