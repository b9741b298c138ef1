import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDatabase, type TestDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import pg from 'pg';
import { DELIVER_QUEUE } from '../catalog.ts';
import { openQueue } from '../connection.ts';
import { createProducer } from '../wake.ts';
import { migrateQueue, queueRequirements, queueSchemaFault } from './schema.ts';

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

/** Roles belong to the whole server, so the test has its own. */
const ROLES = readFileSync(join(import.meta.dirname, '../../../../k8s/examples/roles.sql'), 'utf8').replaceAll(
  'parcel_tracking',
  `queue_${randomBytes(4).toString('hex')}`,
);

test("the service's role, which cannot create anything, adds jobs to every queue that was migrated; an outage lasts until it can", async () => {
  const [owner = '', service = ''] = [...ROLES.matchAll(/CREATE ROLE (\w+)/g)].map(([, name]) => name);
  const urlOf = (role: string) => Object.assign(new URL(database.url), { username: role, password: 'x' }).href;
  await client.query(ROLES);
  for (const role of [owner, service]) await client.query(`ALTER ROLE ${role} PASSWORD 'x'`);
  try {
    await migrateQueue(urlOf(owner), ['one', 'two', DELIVER_QUEUE]);
    await migrateQueue(urlOf(owner), ['one', 'two', DELIVER_QUEUE]);
    const faults: string[] = [];
    const queue = await openQueue({
      databaseUrl: urlOf(service),
      prefix: 'x',
      onError: ({ message }) => faults.push(message),
    });
    await queue.queue('one').add('query', {});
    await queue.queue('two').addBulk([1, 2, 3].map((n) => ({ name: 'query', data: { n } })));
    expect(await queue.queue('two').getJobCounts('waiting')).toEqual({ waiting: 3 });
    expect(faults).toEqual([]);
    // An outage lasts as long as no job is accepted, whatever else the store answers.
    let probes = 0;
    queue.breaker.alsoProbe(async () => {
      probes += 1;
    });
    const producer = createProducer(queue, () => {});
    const sequence = `bullmq.bullmq_jid_${createHash('md5').update(DELIVER_QUEUE).digest('hex')}`;
    for (const [refuse, accept] of [
      [`REVOKE INSERT ON bullmq.job FROM ${service}`, `GRANT INSERT ON bullmq.job TO ${service}`],
      [`REVOKE USAGE ON ${sequence} FROM ${service}`, `GRANT USAGE ON ${sequence} TO ${service}`],
    ] as const) {
      const deliver = () =>
        producer.deliver([{ webhookId: randomBytes(8).toString('hex'), accountId: 'a', isFailing: false }]);
      await eventually(async () => expect(await deliver()).toBe(true));
      await client.query(refuse);
      expect(await deliver()).toBe(false);
      const before = probes;
      await eventually(() => expect(probes - before).toBeGreaterThan(1));
      expect(queue.breaker.isOpen()).toBe(true);
      await client.query(accept);
      await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
    }
    await queue.close();
  } finally {
    for (const role of [owner, service]) await client.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
  }
});

test('with a Redis, the queue has no requirements on the database', () => {
  expect(Object.keys(queueRequirements({ redisUrl: 'redis://redis' }))).toEqual([]);
  expect(Object.keys(queueRequirements({ redisUrl: undefined }))).toEqual(['queue']);
});
