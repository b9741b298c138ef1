import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { type Programs, prepareProgram } from '@pts/runtime/testing/program';
import { queryOnce } from '@pts/testing/database';
import { migrateDatabase } from '@pts/testing/migrate';
import { type Certificates, makeCertificates } from '@pts/testing/servers/certificates';
import { startRedis, type TestRedis } from '@pts/testing/servers/redis';
import { leaseLongStream } from '@pts/testing/stream-lease';

// Every client of the queue's stores, each of which has to work: Node reads the trusted authority when a program starts.
const SOURCE = `
  import { openQueue } from '@pts/queue/connection';
  import { createProducer } from '@pts/queue/producer';
  import { openSignals } from '@pts/queue/signals';
  import { startWorker } from '@pts/queue/worker';
  import { openLimitStore } from '../../../apps/api/src/http/limits/limit-store.ts';

  const { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl = '' } = process.env;
  const say = (text: string) => void process.stdout.write(text + '\\n');
  const options = { redisUrl, databaseUrl, prefix: '{tls}', onError: (error: Error) => say(error.message) };
  async function run() {
    const queue = await openQueue(options);
    const producer = createProducer(queue, () => {});
    const query = async () => say('the worker works');
    startWorker(queue, 'query-x', { query }, { concurrency: 1 }, () => {});
    const signals = openSignals(options);
    signals.subscribe('answered', () => say('signals work'));
    void openLimitStore({ ...options, breaker: queue.breaker }).connected.then(() => say('limits work'));
    setInterval(async () => {
      if (await producer.query('x', [{ ids: ['1'], accounts: ['a'] }])) say('the producer works');
      await signals.publish('answered', ['1']);
    }, 200);
  }
  void run();
`;
const CLIENTS = ['the producer works', 'the worker works', 'signals work', 'limits work'];

let certificates: Certificates;
let postgres: Postgres;
let redis: TestRedis;
let programs: Programs;
beforeAll(async () => {
  certificates = makeCertificates();
  [postgres, redis, programs] = await Promise.all([
    startPostgres({ persistent: false, tls: certificates }),
    startRedis({ tls: certificates }),
    prepareProgram(SOURCE),
  ]);
  await migrateDatabase(postgres.url);
  await leaseLongStream(postgres.url);
}, 120_000);
afterAll(async () => {
  await programs.remove();
  await Promise.all([postgres.stop(), redis.stop()]);
  certificates.remove();
}, 60_000);

/** The certificates are for localhost, not for 127.0.0.1. */
const byName = (url: string) => url.replace('127.0.0.1', 'localhost');

test('each client of a Redis that takes connections with TLS only does its work', async () => {
  const program = programs.start({ REDIS_URL: byName(redis.url), NODE_EXTRA_CA_CERTS: certificates.ca });
  await Promise.all(CLIENTS.map((client) => program.says(client)));
}, 60_000);

test('each connection of the queue, the signals and the limits to PostgreSQL is encrypted', async () => {
  const sslrootcert = encodeURIComponent(certificates.ca);
  const program = programs.start({
    DATABASE_URL: `${byName(postgres.url)}?sslmode=verify-full&sslrootcert=${sslrootcert}`,
  });
  await Promise.all(CLIENTS.slice(0, 3).map((client) => program.says(client)));
  const { rows } = await queryOnce<{ ssl: boolean }>(
    postgres.url,
    `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
     WHERE backend_type = 'client backend' AND state <> 'starting' AND pid <> pg_backend_pid()`,
  );
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.map(({ ssl }) => ssl)).not.toContain(false);
}, 60_000);
