import { Duplex } from 'node:stream';
import pg from 'pg';

/** A statement takes milliseconds. If it takes this long, the connection is dead. */
const QUERY_MS = 2000;
/** Generous: on a busy machine, opening a connection takes more than a second, and giving up makes it worse. */
export const CONNECT_MS = 5000;
/** At a gentle load, a connection may be unused for a while; opening one starts a process of the server. */
const IDLE_MS = 60_000;
/** After this, a second connection is tried in parallel with one that is still being made, which may hang. */
const SECOND_MS = 1000;
/** Time for a server to answer the termination message. */
const GOODBYE_MS = 1000;

/** The options of our Postgres connections. Their statements go through `withDeadline`. */
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
  onError(error: Error): void;
};

/** A pool whose statements and connections have a deadline, also behind a pooler in transaction mode. */
export function openPool({ databaseUrl, max, schema, onError }: Options): BoundedPool {
  const pooled = new WeakSet<pg.PoolClient>();
  const clients = new Set<pg.PoolClient>();
  const idle = new Set<pg.PoolClient>();
  const prepare = async (client: pg.ClientBase) => {
    if (schema === undefined) return;
    await withDeadline(client, async () => {
      if (await isBehindPooler(client)) pooled.add(client as pg.PoolClient);
      else await client.query(`SET search_path TO ${schema}`);
    });
  };
  /** Also those that are still being made. */
  const made = new Set<object>();
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      made.add(this);
      this.once('end', () => made.delete(this));
    }
  }
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    idleTimeoutMillis: IDLE_MS,
    ...BOUNDED,
    onConnect: prepare,
    Client,
  });
  pool.on('error', onError);
  pool.on('connect', (client) => {
    clients.add(client);
    // One that is checked out when its connection breaks would end the process: the pool hears only idle ones.
    client.on('error', onError);
  });
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_error, client) => idle.add(client));
  pool.on('remove', (client) => {
    idle.delete(client);
    clients.delete(client);
  });
  const dropIdle = () => idle.forEach(destroy);
  let ended: Promise<void> | undefined;
  const end = async () => {
    const impatience = setInterval(() => made.forEach(destroy), GOODBYE_MS);
    await pool.end();
    await Promise.all([...clients].map((client) => client.end()));
    clearInterval(impatience);
  };

  return {
    async query<R extends pg.QueryResultRow>(text: string, params: readonly unknown[] = []) {
      const client = await checkOut(pool);
      const send = () => client.query<R>(text, [...params]);
      try {
        const result = await withDeadline(client, () =>
          schema !== undefined && pooled.has(client) ? inTransaction(client, schema, send) : send(),
        );
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

/**
 * Runs statements on a connection that is destroyed when they take too long, so that they fail. An answer that has
 * arrived and only waits for this process to read it counts as in time.
 */
export async function withDeadline<T>(client: object, statements: () => Promise<T>): Promise<T> {
  let isOver = false;
  const timer = setTimeout(() => setImmediate(() => isOver || destroy(client)), QUERY_MS);
  try {
    return await statements();
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** A pooler's greeting has an invented number; the server process that answers has another. */
export async function isBehindPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid !== greetedBy(client);
}

function greetedBy(client: object): unknown {
  return 'processID' in client ? client.processID : undefined;
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

/** Destroys a connection without the termination message, which a dead one would never answer. */
export function destroy(client: object): void {
  const connection = 'connection' in client ? client.connection : undefined;
  if (typeof connection !== 'object' || connection === null || !('stream' in connection)) return;
  if (connection.stream instanceof Duplex) connection.stream.destroy();
}
