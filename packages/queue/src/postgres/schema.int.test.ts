import { emptyDatabase, type TestDatabase } from '@pts/testing/database';
import pg from 'pg';
import { migrateQueue } from './migrate.ts';
import { queueRequirements, queueSchemaFault } from './schema.ts';

let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await emptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.close();
});

test("the queue's schema is missing until it was migrated", async () => {
  expect(await queueSchemaFault(client)).toBe(
    'the queue has no schema in the database: run `npm run migrate` without REDIS_URL',
  );
  await migrateQueue(database.url);
  expect(await queueSchemaFault(client)).toBeNull();
});

test.each([
  [
    'an older schema lacks a version',
    'DELETE FROM bullmq.migration WHERE version > 1',
    /^the queue's schema has version 1 and needs \d+: run `npm run migrate`$/,
  ],
  [
    "a later release's fits",
    `INSERT INTO bullmq.migration (version, name, min_client_version) VALUES (1000, 'later', 6)`,
    null,
  ],
  [
    'one that needs a later BullMQ does not',
    `INSERT INTO bullmq.migration (version, name, min_client_version) VALUES (1000, 'later', 99)`,
    /requires BullMQ major version 99/,
  ],
])('%s', async (_promise, change, fault) => {
  await migrateQueue(database.url);
  await client.query(change);
  const found = await queueSchemaFault(client);
  if (fault === null) expect(found).toBeNull();
  else expect(found).toMatch(fault);
});

test('with a Redis, the queue has no requirements on the database', () => {
  expect(Object.keys(queueRequirements({ redisUrl: 'redis://redis' }))).toEqual([]);
  expect(Object.keys(queueRequirements({ redisUrl: undefined }))).toEqual(['queue']);
});
