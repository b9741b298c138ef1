import { DeadlineClient, eachWithin } from '@pts/postgres/client';
import { runMigrations } from 'bullmq';
import type pg from 'pg';
import { BOUNDED, CONNECT_MS } from './pool.ts';
import { POSTGRES_SCHEMA } from './schema.ts';

/** A migration may wait for a lock or move many rows; the connection must not go silent during that time. */
const STATEMENT_MS = 300_000;

/** Brings BullMQ's own schema in Postgres up to date; needed once per version, and only where there is no Redis. */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const settings = { ...BOUNDED, connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_MS * 2 };
  const client: pg.Client = new DeadlineClient(settings, eachWithin(STATEMENT_MS));
  await client.connect();
  try {
    await runMigrations(client, POSTGRES_SCHEMA);
  } finally {
    await client.end();
  }
}
