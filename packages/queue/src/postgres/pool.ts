import { type DeadlineClient, eachWithin, isDirect, trackClients, trackIdle } from '@pts/db/pool';
import pg from 'pg';

/** A statement takes milliseconds. If it takes this long, the connection is dead. */
const STATEMENT_MS = 2000;
export const STATEMENTS = eachWithin(STATEMENT_MS);
/** Generous: on a busy machine, opening a connection takes more than a second, and giving up makes it worse. */
export const CONNECT_MS = 5000;
/** At a gentle load, a connection may be unused for a while; opening one starts a process of the server. */
const IDLE_MS = 60_000;
/** After this, a second connection is tried in parallel with one that is still being made, which may hang. */
const SECOND_MS = 1000;
/** Time for a server to answer the termination message. */
const GOODBYE_MS = 1000;

/** The options of our Postgres connections. */
export const BOUNDED = {
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5000,
} as const;

export type BoundedPool = {
  query<R extends pg.QueryResultRow>(text: string, params?: readonly unknown[]): Promise<pg.QueryResult<R>>;
  /** Idle connections may be as dead as the one that just failed. */
  dropIdle(): void;
  end(): Promise<void>;
};

type Options = {
  databaseUrl: string;
  max: number;
  /** The schema for unqualified names, if there are any. */
  schema?: string;
  /** How long callers wait, if that is longer than a statement may take otherwise. */
  patienceMs?: number;
  onError(error: Error): void;
};

/** A pool whose statements and connections have a deadline, also behind a pooler in transaction mode. */
export function openPool({ databaseUrl, max, schema, patienceMs = 0, onError }: Options): BoundedPool {
  const pooled = new WeakSet<pg.ClientBase>();
  const prepare = async (client: pg.ClientBase) => {
    if (schema === undefined) return;
    if (await isDirect(client)) await client.query(`SET search_path TO ${schema}`);
    else pooled.add(client);
  };
  const { Client, clients } = trackClients(eachWithin(Math.max(STATEMENT_MS, patienceMs)));
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    idleTimeoutMillis: IDLE_MS,
    ...BOUNDED,
    onConnect: prepare,
    Client,
  });
  const dropIdle = trackIdle(pool);
  pool.on('error', onError);
  // The pool hears only those that are idle.
  pool.on('connect', (client) => client.on('error', onError));
  let ended: Promise<void> | undefined;
  const end = async () => {
    const impatience = setInterval(() => clients.forEach(destroy), GOODBYE_MS);
    await pool.end();
    await Promise.all([...clients].map((client) => client.end()));
    clearInterval(impatience);
  };

  return {
    async query<R extends pg.QueryResultRow>(text: string, params: readonly unknown[] = []) {
      const client = await checkOut(pool);
      const send = () => client.query<R>(text, [...params]);
      try {
        const result = await (schema !== undefined && pooled.has(client)
          ? inTransaction(client, schema, send)
          : send());
        client.release();
        return result;
      } catch (error) {
        const isDead = !(error instanceof pg.DatabaseError);
        client.release(isDead);
        if (isDead) dropIdle();
        throw error;
      }
    },
    dropIdle,
    end() {
      ended ??= end();
      return ended;
    },
  };
}

const destroy = (client: DeadlineClient) => client.destroy();

/** A connection of the pool; if opening one takes long, the first of two that is ready. */
function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let [isTaken, open] = [false, 0];
    let timer: NodeJS.Timeout | undefined;
    const attempt = () => {
      open += 1;
      pool.connect().then(
        (client) => {
          clearTimeout(timer);
          if (isTaken) return client.release();
          isTaken = true;
          resolve(client);
        },
        (error) => {
          open -= 1;
          if (open > 0) return;
          clearTimeout(timer);
          reject(error);
        },
      );
    };
    attempt();
    timer = setTimeout(() => {
      if (pool.idleCount > 0 || pool.totalCount < pool.options.max) attempt();
    }, SECOND_MS);
  });
}

/** Behind a pooler, session settings leak to the next client; transaction settings do not. */
async function inTransaction<T>(client: pg.ClientBase, schema: string, work: () => Promise<T>): Promise<T> {
  await client.query(`BEGIN; SET LOCAL search_path TO ${schema}`);
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (error instanceof pg.DatabaseError) await client.query('ROLLBACK');
    throw error;
  }
}
