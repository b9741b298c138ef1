import { runMigrations } from 'bullmq';
import pg from 'pg';
import { POSTGRES_SCHEMA } from './connection.ts';

/** Brings BullMQ's own schema in Postgres up to date; needed once per version, and only where there is no Redis. */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client, POSTGRES_SCHEMA);
  } finally {
    await client.end();
  }
}
