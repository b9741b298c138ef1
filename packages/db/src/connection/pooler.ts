import type pg from 'pg';
import { openConnections } from './connections.ts';
import { DeadlineError } from './deadline.ts';

/** Rounds of two clients in turn. Others may use the pooler meanwhile, so one round may show nothing. */
const ROUNDS = 10;
/** A session pooler without a free connection keeps the second client waiting: that is an answer, too. */
const PATIENCE_MS = 3000;

/**
 * Whether the address leads to a pooler in transaction mode, which may give each statement another session. A pooler
 * invents the process id that it greets with; whether it keeps a session for a client shows when a second one comes.
 */
export async function isTransactionPooled(url: string): Promise<boolean> {
  const settings = { url, poolSize: 1, statementMs: PATIENCE_MS, connectMs: 10_000 };
  const [one, other] = [openConnections(settings), openConnections(settings)];
  try {
    const client = await one.pool.connect();
    try {
      const pid = await backendOf(client);
      if ((client as unknown as { processID: number | null }).processID === pid) return false;
      for (let round = 0; round < ROUNDS; round += 1) {
        if ((await backendOf(other.pool)) === pid || (await backendOf(client)) !== pid) return true;
      }
      return false;
    } finally {
      client.release();
    }
  } catch (error) {
    if (error instanceof DeadlineError) return false;
    throw error;
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}

async function backendOf(connection: Pick<pg.Pool, 'query'>): Promise<number | undefined> {
  const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
