import { testDatabase } from '@pts/testing/database';
import { startGate } from '@pts/testing/network-faults';
import { type PgPool, PostgresConnection } from 'bullmq';
import pg from 'pg';
import { POSTGRES_SCHEMA } from '../postgres/schema.ts';
import { LastingConnection } from './faults.ts';

test('a connection whose first statement failed works once the database does, which that of BullMQ still does not', async () => {
  const database = await testDatabase();
  const gate = await startGate(database.url, 5432);
  const pool = new pg.Pool({ connectionString: gate.url, options: `-c search_path=${POSTGRES_SCHEMA}` });
  gate.set('shut');
  const [theirs, ours] = [new PostgresConnection(pool as PgPool), new LastingConnection(pool as PgPool)];
  await Promise.allSettled([theirs.waitUntilReady(), ours.waitUntilReady()]);
  gate.set('open');
  const settled = await Promise.allSettled([theirs.waitUntilReady(), ours.waitUntilReady()]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  // Without the failure, theirs works.
  await expect(new PostgresConnection(pool as PgPool).waitUntilReady()).resolves.toBeUndefined();
  await pool.end();
  await gate.close();
  await database.close();
});
