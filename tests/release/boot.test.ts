import { randomBytes } from 'node:crypto';
import { openDatabase } from '@pts/db/connection';
import { NEEDED_MIGRATION } from '@pts/db/readiness';
import { createAccount } from '@pts/service/accounts';
import { PROCESSES, type ProcessName } from '@pts/testing/app-process';
import { emptyDatabase, PATIENT, type TestDatabase, testDatabase, waitingForLocks } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startGate } from '@pts/testing/network-faults';
import { redisUrlOn, stores } from '@pts/testing/stores';
import pg from 'pg';
import { type RunningProcess, runAdmin, startProcess } from '../support/process.ts';

const KEY = randomBytes(32).toString('base64');
const LACKING = `the database schema lacks migration ${NEEDED_MIGRATION}: run \`npm run migrate\``;
const TEST_MS = 300_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
}, TEST_MS);

async function start(app: ProcessName, env: Record<string, string | undefined>): Promise<RunningProcess> {
  const providers = app === 'api' ? { PROVIDERS: 'sandbox' } : {};
  const running = await startProcess(app, { ENCRYPTION_KEY: KEY, ...providers, ...env });
  closing.push(() => running.stop('SIGKILL'));
  return running;
}

async function opened(make: () => Promise<TestDatabase>): Promise<string> {
  const database = await make();
  closing.push(() => database.close());
  return database.url;
}

const isReady = (running: RunningProcess) => eventually(async () => expect((await running.readyz()).status).toBe('ok'));
/**
 * Its log until it is ready, except for requests. Afterwards, a busy machine may delay the queue, which would be
 * logged.
 */
function said(running: RunningProcess): string[] {
  const messages = running.messages().filter((message) => message !== 'request');
  const ready = messages.indexOf('ready');
  return ready === -1 ? messages : messages.slice(0, ready + 1);
}
const isLate = (message: string) => /(?:answer(?:ed)?|response) within \d+ ms|timeout expired/.test(message);
/** Without what a PostgreSQL causes that answers late, as on a busy machine: the reason to wait, and the end of it. */
function told(running: RunningProcess): string[] {
  const messages = said(running);
  const isOnlyLate = messages.filter((message) => message.startsWith('waiting')).every(isLate);
  return messages.filter((message) => !isLate(message) && !(isOnlyLate && message === 'dependencies are available'));
}
const waits = (running: RunningProcess) => told(running).filter((message) => message.startsWith('waiting'));

describe.each(PROCESSES)('%s', (app) => {
  test(
    'waits for a PostgreSQL that is unavailable, says why, and continues on its own',
    async () => {
      const gate = await startGate(await opened(testDatabase), 5432);
      closing.push(gate.close);
      gate.set('shut');
      const running = await start(app, { DATABASE_URL: gate.url });
      const waiting = expect.stringMatching(`^waiting for PostgreSQL at 127.0.0.1:${new URL(gate.url).port} \\(.+\\)$`);
      await eventually(async () =>
        expect(await running.readyz()).toMatchObject({
          http: 200,
          status: 'waiting',
          checks: { database: waiting },
        }),
      );
      expect(await running.healthz()).toBe(200);
      // What its alert reads, although nothing of it works yet.
      const unmet = new RegExp(`^pts_requirement_unmet\\{check="database",app="${app}"\\} 1$`, 'm');
      await eventually(async () => expect(await running.metrics()).toMatch(unmet));
      if (app === 'api') await isUnavailable(running);
      await eventually(() => expect(waits(running)).toContainEqual(waiting));
      gate.set('open');
      await isReady(running);
      await eventually(() => expect(told(running).slice(-2)).toEqual(['dependencies are available', 'ready']));
      if (app === 'api') {
        gate.set('shut');
        await eventually(async () => expect(await running.readyz()).toMatchObject({ http: 200, status: 'waiting' }));
        await isUnavailable(running, ['/api/v1/account', '/healthz']);
      }
      // A connection is refused in several ways: one line for each.
      const waited = told(running).slice(0, -2);
      expect(waited).toEqual([...new Set(waited)].map(() => waiting));
      expect(await running.stop()).toBe(0);
    },
    TEST_MS,
  );

  test(
    'that is stopped while it waits ends with code 0',
    async () => {
      const url = new URL(await opened(testDatabase));
      url.password = 'not-the-password';
      const running = await start(app, { DATABASE_URL: url.href });
      const reason =
        /^waiting: PostgreSQL at 127\.0\.0\.1:\d+ refuses this process \(password authentication failed for user "postgres"\)$/;
      await eventually(() => expect(told(running)).toEqual([expect.stringMatching(reason)]));
      expect((await running.readyz()).http).toBe(503);
      expect(await running.stop()).toBe(0);
      expect(running.output()).not.toContain('not-the-password');
    },
    TEST_MS,
  );

  test.each(stores())(
    'does nothing in a database without a schema (%s) until it was migrated',
    async (store) => {
      const env = {
        DATABASE_URL: await opened(emptyDatabase),
        REDIS_URL: redisUrlOn(store),
        QUEUE_PREFIX: `{${randomBytes(6).toString('hex')}}`,
      };
      const running = await start(app, env);
      const queue = store === 'postgres' ? { queue: expect.stringContaining('run `npm run migrate`') } : {};
      const checks = { database: 'ok', schema: LACKING, ...queue };
      await eventually(async () =>
        expect(await running.readyz()).toMatchObject({ http: 503, status: 'unavailable', checks }),
      );
      // It may be ready to say so a moment later than on the management port.
      if (app === 'api') await eventually(() => isUnavailable(running));
      await eventually(() => expect(told(running)).toEqual([`waiting: ${LACKING}`]));
      expect((await runAdmin(['migrate'], env)).code).toBe(0);
      await isReady(running);
      const last = ['dependencies are available', 'ready'];
      await eventually(() => expect(told(running).slice(-2)).toEqual(last));
      // The queue's schema may exist a moment after ours: one line for each.
      const waited = told(running).slice(0, -2);
      expect(waited).toEqual([...new Set(waited)]);
      expect(waited.every((message) => message.startsWith('waiting'))).toBe(true);
      expect(await running.stop()).toBe(0);
    },
    TEST_MS,
  );
});

/** A caller is asked to retry, in the usual envelope. */
async function isUnavailable(
  { url }: RunningProcess,
  paths = ['/api/v1/account', '/api/v1/nothing', '/healthz'],
): Promise<void> {
  for (const path of paths) {
    const response = await fetch(`${url}${path}`, { headers: { 'X-API-Key': `tk_${'0'.repeat(48)}` } });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toMatchObject({ code: 503, meta: 503, data: {} });
  }
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
}

test(
  'an API without any provider starts, and warns that it refuses registrations',
  async () => {
    const running = await start('api', { DATABASE_URL: await opened(testDatabase), PROVIDERS: '' });
    await isReady(running);
    const lines = ['no provider is configured, so registrations are rejected until PROVIDERS is set', 'ready'];
    await eventually(() => expect(told(running)).toEqual(lines));
  },
  TEST_MS,
);

test(
  'a poller without a key that PROVIDERS requires does not start, and names the key',
  async () => {
    const running = await start('carrier-poller', {
      DATABASE_URL: await opened(testDatabase),
      PROVIDERS: 'kuaidi100',
      KUAIDI100_CUSTOMER: 'mine',
    });
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('KUAIDI100_KEY is missing');
    expect(running.output()).not.toContain('KUAIDI100_CUSTOMER is missing');
  },
  TEST_MS,
);

describe('ENCRYPTION_KEY', () => {
  test.each(['api', 'webhook-dispatcher', 'carrier-poller'] as const)(
    'that does not match the database prevents the %s from starting',
    async (app) => {
      const env = { DATABASE_URL: await opened(testDatabase) };
      const first = await start(app === 'api' ? 'webhook-dispatcher' : 'api', env);
      await isReady(first);
      const second = await start(app, { ...env, ENCRYPTION_KEY: randomBytes(32).toString('base64') });
      expect(await second.ended).toBe(1);
      // A PostgreSQL that answers late, as on a busy machine, may be logged before.
      expect(second.output()).toMatch(
        /ENCRYPTION_KEY does not match the key that encrypted the webhook secrets in this database\. /,
      );
      const third = await start(app, env);
      await isReady(third);
    },
    TEST_MS,
  );

  test(
    'that was typed in prevents a process from starting, and the error says how to generate one',
    async () => {
      const typed = Buffer.from('correct horse battery staple 1!!').toString('base64');
      const running = await start('api', { DATABASE_URL: 'postgres://db/x', ENCRYPTION_KEY: typed });
      expect(await running.ended).toBe(1);
      expect(running.output()).toContain(
        'ENCRYPTION_KEY is not a random key (it is text); generate one with: openssl rand -base64 32',
      );
      expect(running.output()).not.toContain(typed);
    },
    TEST_MS,
  );
});

test(
  'an API stays in service while all of its connections wait for a locked table',
  async () => {
    const databaseUrl = await opened(testDatabase);
    const db = openDatabase({ url: databaseUrl, poolSize: 1, ...PATIENT });
    const { key } = await createAccount({ db, now: () => new Date() }, { name: 'merchant', plan: 'pro' });
    await db.$disconnect();
    const api = await start('api', { DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: '2', RATE_LIMITS: 'off' });
    await isReady(api);
    const locker = new pg.Client({ connectionString: databaseUrl });
    await locker.connect();
    closing.push(() => locker.end());
    const expectWaiting = async (count: number) => expect(await waitingForLocks(databaseUrl)).toHaveLength(count);
    const statusOfCall = async () =>
      (await fetch(`${api.url}/api/v1/account`, { headers: { 'X-API-Key': key.apiKey } })).status;
    // Calls wait for some seconds at most: a busy machine may take longer for a round.
    await eventually(async () => {
      await locker.query('BEGIN');
      await locker.query('LOCK TABLE quota_usage IN ACCESS EXCLUSIVE MODE');
      const calls = Promise.all(Array.from({ length: 4 }, statusOfCall));
      try {
        await eventually(() => expectWaiting(2), { deadlineMs: 10_000 });
        const readyz = await api.readyz();
        await expectWaiting(2);
        expect(readyz).toMatchObject({
          http: 200,
          status: 'ok',
          checks: { database: 'ok', schema: 'ok', queue: 'ok' },
        });
      } finally {
        await locker.query('ROLLBACK');
        await calls;
      }
      expect(await calls).toEqual([200, 200, 200, 200]);
    });
  },
  TEST_MS,
);
