import { runMigrations } from 'bullmq';
import pg from 'pg';
import { CONNECT_MS } from './postgres-pool.ts';
import { POSTGRES_SCHEMA } from './schema.ts';

/** A migration may wait for a lock or move many rows; the connection must not go silent during that time. */
const STATEMENT_MS = 300_000;

/** Brings BullMQ's own schema in Postgres up to date; needed once per version, and only where there is no Redis. */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_MS * 2,
    query_timeout: STATEMENT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  });
  client.on('error', () => {}); // what it was doing fails with it
  await client.connect();
  try {
    await runMigrations(client, POSTGRES_SCHEMA);
  } finally {
    await client.end();
  }
}
