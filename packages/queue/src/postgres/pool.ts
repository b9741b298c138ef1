import { DeadlinePool, isDirect } from '@pts/db/pool';
import pg from 'pg';

/** A statement takes milliseconds. If it takes this long, the connection is dead. */
export const STATEMENT_MS = 2000;
/** Generous: on a busy machine, opening a connection takes more than a second, and giving up makes it worse. */
export const CONNECT_MS = 5000;

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

/** The queue's own connections, also behind a pooler in transaction mode. */
export function openPool({ databaseUrl, max, schema, patienceMs = 0, onError }: Options): BoundedPool {
  const pooled = new WeakSet<pg.ClientBase>();
  const pool = new DeadlinePool({
    url: databaseUrl,
    poolSize: max,
    statementMs: Math.max(STATEMENT_MS, patienceMs),
    connectMs: CONNECT_MS,
    async onConnect(client) {
      if (schema === undefined) return;
      if (await isDirect(client)) await client.query(`SET search_path TO ${schema}`);
      else pooled.add(client);
    },
  });
  pool.on('error', onError);
  // The pool hears only those that are idle.
  pool.on('connect', (client) => client.on('error', onError));
  return {
    async query<R extends pg.QueryResultRow>(text: string, params: readonly unknown[] = []) {
      const client = await pool.connect();
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
        if (isDead) pool.dropIdle();
        throw error;
      }
    },
    dropIdle: () => pool.dropIdle(),
    end: () => pool.close(),
  };
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
