import { DeadlineClient, KEEP_ALIVE } from '@pts/db/pool';
import { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, runMigrations, SchemaMigrationRequiredError } from 'bullmq';
import type pg from 'pg';
import { CONNECT_MS } from './pool.ts';

/** BullMQ's own schema in Postgres. */
export const POSTGRES_SCHEMA = 'bullmq';

type Connection = Pick<pg.Client, 'query'> | Pick<pg.Pool, 'query'>;

/** The requirements of the queue on the database, by name: none with Redis. */
export function queueRequirements({ redisUrl }: { redisUrl?: string | undefined }) {
  return redisUrl === undefined ? { queue: queueSchemaFault } : {};
}

/**
 * Whether BullMQ's own schema in Postgres is the one that this release needs, or a later one that it can work with.
 * @returns null if it is, otherwise what is wrong and how to fix it.
 */
export async function queueSchemaFault(connection: Connection): Promise<string | null> {
  try {
    const version = await assertSchemaCompatibility(connection as pg.Client, POSTGRES_SCHEMA, {
      skipVersionCheck: true,
    });
    if (version >= LATEST_SCHEMA_VERSION) return null;
    return `the queue's schema has version ${version} and needs ${LATEST_SCHEMA_VERSION}: run \`npm run migrate\``;
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError)
      return `the queue has no schema in the database: run \`npm run migrate\` without REDIS_URL`;
    if (error instanceof Error && error.name === 'SchemaVersionMismatchError') return error.message;
    throw error;
  }
}

/** BullMQ creates the sequence of a queue's ids with its first job. */
const HAS_NO_SEQUENCE = `to_regclass('${POSTGRES_SCHEMA}.' || ${POSTGRES_SCHEMA}.job_id_seq_name(queue)) IS NULL`;

/**
 * The queues whose jobs this role cannot add: their sequence is missing, which `migrateQueue` creates, and the role may
 * not. Needs the schema.
 */
export async function queuesWithoutSequence(connection: Connection, queues: readonly string[]): Promise<string[]> {
  const { rows } = await (connection as pg.Client).query<{ queue: string }>(
    `SELECT queue FROM unnest($1::text[]) queue WHERE NOT has_schema_privilege('${POSTGRES_SCHEMA}', 'CREATE') AND ${HAS_NO_SEQUENCE}`,
    [queues],
  );
  return rows.map(({ queue }) => queue);
}

/** A migration may wait for a lock or move many rows; the connection must not go silent during that time. */
const MIGRATION_MS = 300_000;

const CREATE_SEQUENCES = `
  SELECT ${POSTGRES_SCHEMA}.next_job_id(queue) FROM unnest($1::text[]) queue WHERE ${HAS_NO_SEQUENCE}`;

/**
 * Brings BullMQ's own schema in Postgres up to date; needed once per version, and only where there is no Redis.
 * @param queues get their sequence of ids, which BullMQ otherwise creates with the first job: the service's role
 *   cannot.
 */
export async function migrateQueue(databaseUrl: string, queues: readonly string[] = []): Promise<void> {
  const settings = { ...KEEP_ALIVE, connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_MS * 2 };
  const client: pg.Client = new DeadlineClient(settings, MIGRATION_MS);
  await client.connect();
  try {
    await runMigrations(client, POSTGRES_SCHEMA);
    await client.query(CREATE_SEQUENCES, [queues]);
  } finally {
    await client.end();
  }
}
