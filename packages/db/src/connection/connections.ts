import { trackClients, trackIdle } from '@pts/postgres/pool';
import { within } from '@pts/waiting/within';
import type pg from 'pg';
import { currentDeadline, DEADLINES, sharedLeftMs } from './deadline.ts';
import { callersLimits } from './limits.ts';
import { WaitingPool } from './waiting-pool.ts';

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
const MAX_CONNECT_MS = 5000;

/**
 * A pool whose statements all end within a deadline, even if the network fails: a late one is cancelled at
 * the server, fails with a DeadlineError, and its connection is never used again. Nothing depends on the state of a
 * session (startup parameters, SET) but the time zone, which PgBouncer keeps, so it can be used.
 */
export function openConnections(options: Options): Connections {
  const { statementMs = DEADLINES.statement, connectMs = MAX_CONNECT_MS, idleTransactionMs = 15_000 } = options;
  let maxMs = Number.POSITIVE_INFINITY;
  const ownPatienceMs = () => Math.max(connectMs, Math.min(currentDeadline(connectMs), MAX_CONNECT_MS));
  const patienceMs = () => Math.min(maxMs, sharedLeftMs() ?? ownPatienceMs());
  const limits = callersLimits({
    deadlineMs: (client) => Math.min(maxMs, currentDeadline(statementMs, pool.waitedMs(client))),
    idleTransactionMs,
    onMute: () => dropIdle(),
  });
  const { Client, clients } = trackClients(limits);
  const settings = {
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: Math.max(connectMs, MAX_CONNECT_MS),
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 3000,
    Client,
  };
  const pool = new WaitingPool(settings, patienceMs);
  const dropIdle = trackIdle(pool);
  // A connection that breaks while idle is replaced when the next one is needed.
  pool.on('error', () => {});
  const hurry = () => {
    if (maxMs === HURRY_MS) return;
    maxMs = HURRY_MS;
    for (const client of clients) client.endWithin(HURRY_MS);
  };
  const close = async () => {
    hurry();
    await within(CLOSE_MS, pool.ending ? Promise.resolve() : pool.end(), () => {});
    // A connection that should end may be dead and never answer.
    for (const client of clients) setTimeout(() => client.destroy(), GOODBYE_MS).unref();
  };
  return { pool, hurry, close };
}
