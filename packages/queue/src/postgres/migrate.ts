import { DeadlineClient, KEEP_ALIVE } from '@pts/db/pool';
import { runMigrations } from 'bullmq';
import type pg from 'pg';
import { CONNECT_MS } from './pool.ts';
import { HAS_NO_SEQUENCE, POSTGRES_SCHEMA } from './schema.ts';

/** A migration may wait for a lock or move many rows; the connection must not go silent during that time. */
const STATEMENT_MS = 300_000;

const CREATE_SEQUENCES = `
  SELECT ${POSTGRES_SCHEMA}.next_job_id(queue) FROM unnest($1::text[]) queue WHERE ${HAS_NO_SEQUENCE}`;

/**
 * Brings BullMQ's own schema in Postgres up to date; needed once per version, and only where there is no Redis.
 * @param queues get their sequence of ids, which BullMQ otherwise creates with the first job: the service's role
 *   cannot.
 */
export async function migrateQueue(databaseUrl: string, queues: readonly string[] = []): Promise<void> {
  const settings = { ...KEEP_ALIVE, connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_MS * 2 };
  const client: pg.Client = new DeadlineClient(settings, STATEMENT_MS);
  await client.connect();
  try {
    await runMigrations(client, POSTGRES_SCHEMA);
    await client.query(CREATE_SEQUENCES, [queues]);
  } finally {
    await client.end();
  }
}
