import { emptyDatabase, type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startGate } from '@pts/testing/gate';
import { testQueue } from '@pts/testing/queue';
import { type PgPool, PostgresConnection, runMigrations } from 'bullmq';
import pg from 'pg';
import { LastingConnection } from './bullmq-faults.ts';
import { createProducer } from './producer.ts';
import { POSTGRES_SCHEMA } from './schema.ts';
import { startWorker } from './worker.ts';

/** What one job stores and announces as events, and on which channels anything is announced. */
async function eventsOfOneJob(database: TestDatabase) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const channels = new Set<string>();
  client.on('notification', ({ channel }) => channels.add(channel));
  await client.query('LISTEN bullmq_events; LISTEN bullmq_jobs');
  const queue = await testQueue('postgres', database.url);
  const producer = createProducer(queue, () => {});
  const done: string[] = [];
  const deliver = async ({ webhookId }: { webhookId: string }) => void done.push(webhookId);
  const worker = startWorker<'deliver'>(queue, 'deliver', { deliver }, { concurrency: 2 }, () => {});
  const add = () => producer.deliver([{ webhookId: 'a', isFailing: false }]);
  // On a busy machine, an answer may be late; what was added may run twice then.
  await eventually(async () => expect(await add()).toBe(true));
  const rowsOf = async (table: string) => (await client.query(`SELECT 1 FROM bullmq.${table}`)).rowCount;
  await eventually(async () => {
    expect(done).toContain('a');
    expect(await rowsOf('job')).toBe(0);
    expect([...channels]).toContain('bullmq_jobs');
  });
  const stored = await rowsOf('event');
  await worker.close();
  await Promise.all([producer.close(), client.end()]);
  await queue.close();
  await database.close();
  return { stored, channels: [...channels].sort() };
}

test('a job on Postgres wakes its workers, and stores and announces no events', async () => {
  expect(await eventsOfOneJob(await testDatabase())).toEqual({ stored: 0, channels: ['bullmq_jobs'] });
});

test("BullMQ's own function still does both, so ours is needed", async () => {
  const database = await emptyDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await runMigrations(client, POSTGRES_SCHEMA);
  await client.end();
  const { stored, channels } = await eventsOfOneJob(database);
  expect(stored).toBeGreaterThan(2);
  expect(channels).toEqual(['bullmq_events', 'bullmq_jobs']);
});

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
