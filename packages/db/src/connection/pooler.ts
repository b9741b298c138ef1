import { backendOf, isDirect } from '@pts/postgres/pool';
import { openConnections } from './connections.ts';
import { DeadlineError } from './deadline.ts';

/** Rounds of two alternating clients. Others may use the pooler at the same time, so a single round proves nothing. */
const ROUNDS = 10;
/** A session pooler without a free connection makes the second client wait, which also identifies it. */
const PATIENCE_MS = 3000;

/**
 * Whether the URL leads to a pooler in transaction mode, which may use another session for each statement. A pooler
 * reports an invented process id; a second client shows whether it keeps a session for each client.
 */
export async function isTransactionPooled(url: string): Promise<boolean> {
  const settings = { url, poolSize: 1, statementMs: PATIENCE_MS, connectMs: 10_000 };
  const [one, other] = [openConnections(settings), openConnections(settings)];
  try {
    const client = await one.pool.connect();
    try {
      if (await isDirect(client)) return false;
      const pid = await backendOf(client);
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
