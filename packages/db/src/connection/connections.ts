import { AsyncResource } from 'node:async_hooks';
import pg from 'pg';
import { countWait, currentDeadline, DEADLINES, lateError, sharedLeftMs } from './deadline.ts';
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
  /** How long a statement waits for a connection, in milliseconds. */
  connectMs?: number;
  /** Milliseconds after which the server ends an idle transaction. */
  idleTransactionMs?: number;
};

const HURRY_MS = 2000;
const CLOSE_MS = 3000;
const GOODBYE_MS = 500;

/** At a gentle load, a connection may be unused for a while. Opening one starts a process of the server, and prepares its statements again. */
const IDLE_MS = 60_000;
/** The longest time to connect. It continues when its statement gives up, so that the next statement can use the connection. */
const MOST_CONNECT_MS = 5000;

/**
 * A pool whose statements all end within a deadline, even if the network fails: a late one is cancelled at
 * the server, fails with a DeadlineError, and its connection is never used again. Nothing depends on the state of a
 * session (startup parameters, SET), so PgBouncer can be used.
 */
export function openConnections(options: Options): Connections {
  const { statementMs = DEADLINES.statement, connectMs = MOST_CONNECT_MS, idleTransactionMs = 15_000 } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 3000,
  });
  const dropIdle = trackIdle(pool);
  // A connection that breaks while idle is replaced when the next one is needed.
  pool.on('error', () => {});
  const ownPatienceMs = () => Math.max(connectMs, Math.min(currentDeadline(connectMs), MOST_CONNECT_MS));
  const patienceMs = () => Math.min(mostMs, sharedLeftMs() ?? ownPatienceMs());
  const waitedMs = keepContext(pool, patienceMs);
  const clients = new Set<pg.PoolClient>();
  const running = new Set<Running>();
  let mostMs = Number.POSITIVE_INFINITY;
  Object.defineProperty(pool.options, 'connectionTimeoutMillis', {
    get: () => Math.min(mostMs, Math.max(connectMs, MOST_CONNECT_MS)),
  });
  pool.on('connect', (client) => {
    clients.add(client);
    // Without a listener, one that breaks before its user has added one would end the process. Its statements fail anyway.
    client.on('error', () => {});
    client.once('end', () => clients.delete(client));
    const deadlineMs = () => Math.min(mostMs, currentDeadline(statementMs, waitedMs(client)));
    guard(client, running, { deadlineMs, idleTransactionMs, onMute: dropIdle });
  });
  const hurry = () => {
    if (mostMs === HURRY_MS) return;
    mostMs = HURRY_MS;
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

/**
 * A queued statement is sent in the async context of the statement that released the connection, so its own deadline is
 * restored. It waits until its own deadline; the connection that is being opened for it then serves the next one: on a busy
 * machine, discarding connections and opening new ones would only add load.
 * @returns how long the next statement of a connection has waited for it, once.
 */
function keepContext(pool: pg.Pool, patienceMs: () => number): (client: pg.PoolClient) => number {
  const waits = new WeakMap<pg.PoolClient, number>();
  const connect = pool.connect.bind(pool) as (callback: Connected) => void;
  const waitFor = (connected: Connected) => {
    const refusal = lateError();
    if (refusal) return void setImmediate(() => connected(refusal, undefined));
    const waited = countWait();
    const startedAt = performance.now();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      waited();
      connected(new Error('timeout exceeded when trying to connect'), undefined);
    }, patienceMs());
    const pass: Connected = (error, client, done) => {
      clearTimeout(timer);
      if (isLate) return done?.();
      waited();
      if (client) waits.set(client, performance.now() - startedAt);
      connected(error, client, done);
    };
    connect(pass);
  };
  pool.connect = ((callback?: Connected) => {
    // A promise restores the context of its caller itself, and costs much less.
    if (callback) return waitFor(AsyncResource.bind(callback));
    return new Promise<pg.PoolClient>((resolve, reject) => {
      waitFor((error, client) => (client ? resolve(client) : reject(error)));
    });
  }) as typeof pool.connect;
  return (client) => {
    const ms = waits.get(client) ?? 0;
    waits.delete(client);
    return ms;
  };
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  /** Missing when the pool gave up waiting. */
  done?: (release?: unknown) => void,
) => void;

/** @returns a function that ends the idle connections: they may be as dead as the one that just failed. */
function trackIdle(pool: pg.Pool): () => void {
  const idle = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_error, client) => idle.add(client));
  pool.on('remove', (client) => idle.delete(client));
  return () => {
    for (const { connection } of idle) connection.stream.destroy();
  };
}

/** Resolves when `work` is done, at the latest after `ms`. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
