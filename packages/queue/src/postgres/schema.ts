import { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, SchemaMigrationRequiredError } from 'bullmq';
import type pg from 'pg';

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
export const HAS_NO_SEQUENCE = `to_regclass('${POSTGRES_SCHEMA}.' || ${POSTGRES_SCHEMA}.job_id_seq_name(queue)) IS NULL`;

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
