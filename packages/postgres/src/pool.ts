import type pg from 'pg';
import { DeadlineClient, type Limits } from './client.ts';

/** The client class of a pool, and its clients that have not ended, also those that are still being opened. */
export function trackClients(limits: Limits): { Client: typeof pg.Client; clients: ReadonlySet<DeadlineClient> } {
  const clients = new Set<DeadlineClient>();
  class Client extends DeadlineClient {
    constructor(config?: pg.ClientConfig) {
      super(config, limits);
      clients.add(this);
      this.once('end', () => clients.delete(this));
    }
  }
  return { Client, clients };
}

/** @returns a function that ends the idle connections of a pool: they may be as dead as one that just failed. */
export function trackIdle(pool: pg.Pool): () => void {
  const idle = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_error, client) => idle.add(client));
  pool.on('remove', (client) => idle.delete(client));
  return () => {
    for (const { connection } of idle) connection.stream.destroy();
  };
}

/** Whether the server's own session answers: a pooler greets with a process id that it has invented. */
export async function isDirect(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  return (await backendOf(client)) === ('processID' in client ? client.processID : undefined);
}

/** The process of the server that answers. */
export async function backendOf(connection: Pick<pg.ClientBase, 'query'>): Promise<number | undefined> {
  const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
