// Faults of BullMQ 6.7. `bullmq-faults.int.test.ts` fails for each that the library no longer has.
import { PostgresConnection } from 'bullmq';
import { POSTGRES_SCHEMA } from './schema.ts';

/** BullMQ's keeps the result of its first schema check, even a failure, after which no statement would ever work. */
export class LastingConnection extends PostgresConnection {
  override async waitUntilReady(): Promise<void> {}
}

/**
 * BullMQ on PostgreSQL stores three events for each job and announces them with NOTIFY, although nobody listens to them here:
 * each is an INSERT and a lookup, and every commit with a NOTIFY waits for the one before it, in the whole database. There is no
 * setting against it. Its migrations restore the function, so this follows each of them; earlier releases do not need it either.
 */
export const WITHOUT_EVENTS = `
  CREATE OR REPLACE FUNCTION ${POSTGRES_SCHEMA}.publish_event(p_queue text, p_event text, p_data jsonb) RETURNS bigint
  LANGUAGE sql IMMUTABLE AS 'SELECT 0::bigint'`;
