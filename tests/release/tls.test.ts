import { randomBytes } from 'node:crypto';
import { openDatabase } from '@pts/db/connection';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { createAccount } from '@pts/service/accounts';
import { PROCESSES, type ProcessName } from '@pts/testing/app-process';
import { PATIENT, queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Certificates, makeCertificates } from '@pts/testing/servers/postgres';
import { startRedis, type TestRedis } from '@pts/testing/servers/redis';
import { testServer } from '@pts/testing/stores';
import { faultsIn } from '../support/log-faults.ts';
import { type RunningProcess, runAdmin, startProcess } from '../support/process.ts';

const ENCRYPTION_KEY = randomBytes(32).toString('base64');

let certificates: Certificates;
let postgres: Postgres;
let redis: TestRedis;
let secure: { DATABASE_URL: string; REDIS_URL: string; NODE_EXTRA_CA_CERTS: string };
beforeAll(async () => {
  certificates = makeCertificates();
  [postgres, redis] = await Promise.all([
    startPostgres({ persistent: false, tls: certificates }),
    startRedis({ tls: certificates }),
  ]);
  const database = `${byName(postgres.url)}?sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.ca)}`;
  secure = { DATABASE_URL: database, REDIS_URL: byName(redis.url), NODE_EXTRA_CA_CERTS: certificates.ca };
  // The queue's schema as well: a process without REDIS_URL keeps its queue there.
  for (const REDIS_URL of [undefined, secure.REDIS_URL])
    expect(await runAdmin(['migrate'], { ...secure, REDIS_URL })).toMatchObject({ code: 0 });
}, 300_000);
afterAll(async () => {
  await Promise.all([postgres.stop(), redis.stop()]);
  certificates.remove();
}, 60_000);

/** The certificates are for localhost, not for 127.0.0.1. */
const byName = (url: string) => url.replace('127.0.0.1', 'localhost');

const running: RunningProcess[] = [];
afterEach(async () => void (await Promise.all(running.splice(0).map((one) => one.stop('SIGKILL')))), 60_000);

async function start(app: ProcessName, env: Record<string, string | undefined>): Promise<RunningProcess> {
  const started = await startProcess(app, { ENCRYPTION_KEY, RATE_LIMITS: 'shipments=50', ...env });
  running.push(started);
  return started;
}

const isReady = (one: RunningProcess) => eventually(async () => expect((await one.readyz()).status).toBe('ok'));

/**
 * Whether the other connections to the database are encrypted, one entry each. One that is starting is not encrypted
 * yet.
 */
async function connections(): Promise<boolean[]> {
  const { rows } = await queryOnce<{ ssl: boolean }>(
    postgres.url,
    `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
     WHERE backend_type = 'client backend' AND state <> 'starting' AND pid <> pg_backend_pid()`,
  );
  return rows.map(({ ssl }) => ssl);
}

test.each(['redis', 'postgres'])(
  'every process works with TLS only, with its queue on %s',
  async (store) => {
    const env = { ...secure, ...(store === 'redis' ? {} : { REDIS_URL: undefined }) };
    const started = await Promise.all(PROCESSES.map((app) => start(app, env)));
    await Promise.all(started.map(isReady));
    // Encrypted, too: the server may take some time to end it.
    const db = openDatabase({ url: secure.DATABASE_URL, poolSize: 1, ...PATIENT });
    const { key } = await createAccount({ db, now: () => new Date() }, { name: 'merchant', plan: 'pro' });
    await db.$disconnect();
    // Uses the limits' store, too.
    const answered = await fetch(`${started[0]?.url}/api/v1/shipments`, { headers: { 'X-API-Key': key.apiKey } });
    expect(answered.status).toBe(200);
    const encrypted = await eventually(async () => {
      const found = await connections();
      expect(found.length).toBeGreaterThanOrEqual(PROCESSES.length);
      return found;
    });
    expect(encrypted).not.toContain(false);
    const output = started.map((one) => one.output()).join('');
    expect(output).not.toMatch(/certificate|SSL|self-signed/i);
    expect(faultsIn(output)).toEqual([]);
  },
  300_000,
);

test('a PostgreSQL of another authority, or without TLS although it is required, is not used', async () => {
  const other = secure.DATABASE_URL.replace(
    encodeURIComponent(certificates.ca),
    encodeURIComponent(certificates.otherCa),
  );
  const plain = `${testServer('TEST_DATABASE_URL')}?sslmode=verify-full`;
  const cases = [
    [other, /self-signed certificate|unable to (get|verify)/],
    [plain, /The server does not support SSL connections/],
  ] as const;
  for (const [DATABASE_URL, reason] of cases) {
    const env = { ...secure, DATABASE_URL, NODE_EXTRA_CA_CERTS: undefined };
    const one = await start('api', env);
    const refused = { database: expect.stringMatching(reason) };
    await eventually(async () => expect((await one.readyz()).checks).toEqual(refused));
    expect(await runAdmin(['migrate'], env)).toEqual({ code: 1, output: expect.stringMatching(reason) });
  }
}, 300_000);

test('a Redis of another authority, or without TLS although it is required, is not used', async () => {
  const plain = testServer('TEST_REDIS_URL').replace('redis:', 'rediss:');
  const cases = [
    [secure.REDIS_URL, certificates.otherCa, /self-signed certificate|unable to (get|verify)/],
    [secure.REDIS_URL, undefined, /self-signed certificate|unable to (get|verify)/],
    [plain, certificates.ca, /does not speak TLS at this port: use redis:/],
  ] as const;
  for (const [REDIS_URL, NODE_EXTRA_CA_CERTS, reason] of cases) {
    const one = await start('api', { ...secure, REDIS_URL, NODE_EXTRA_CA_CERTS });
    // It continues without Redis, as in any outage, and logs that the certificate is the reason.
    await isReady(one);
    await eventually(() => expect(one.messages()).toContain('queue outage'));
    await eventually(() => expect(one.output()).toMatch(reason));
  }
}, 300_000);
