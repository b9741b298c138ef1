import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@pts/db/migrate/migrate';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { migrateQueue } from '@pts/queue/migrate';
import { SETTINGS } from '@pts/runtime/settings';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { stores } from '@pts/testing/stores';
import pg from 'pg';
import { startTestApi, type TestApi } from './testing/test-api.ts';

const MIGRATIONS = join(resolve(fileURLToPath(import.meta.url), '../../../..'), 'prisma/migrations');
/** A client is answered within a second; a busy machine needs more. What the tests guard against takes five and more. */
const MOST_MS = 3000;

let server: Postgres;
let admin: pg.Client;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  server = await startPostgres({ persistent: false });
  closers.push(() => server.stop());
  await migrate({ databaseUrl: server.url, migrationsDir: MIGRATIONS });
  await migrateQueue(server.url);
  admin = new pg.Client({ connectionString: server.url });
  admin.on('error', () => {});
  await admin.connect();
  closers.push(() => admin.end());
}, 60_000);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
}, 60_000);

/** Every process of the server. */
async function processes(): Promise<number[]> {
  const { rows } = await admin.query(`SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()`);
  const file = await admin.query(`SELECT pg_read_file('postmaster.pid') AS file`);
  return [Number.parseInt(file.rows[0].file, 10), ...rows.map(({ pid }) => pid as number)];
}

type Fault = { begin(): Promise<void>; end(): Promise<void> };

const FAULTS: Record<string, () => Promise<Fault>> = {
  'is stopped': async () => {
    let pids: number[] = [];
    const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
      for (const pid of pids) process.kill(pid, name);
    };
    return {
      begin: async () => {
        pids = await processes();
        signal('SIGSTOP');
      },
      end: async () => signal('SIGCONT'),
    };
  },
  'is locked': async () => ({
    begin: async () => {
      await admin.query('BEGIN');
      const tables = ['accounts', 'api_keys', 'trackings', 'quota_usage', 'rate_limits'];
      await admin.query(`LOCK TABLE ${tables.map((name) => `public.${name}`).join(', ')} IN ACCESS EXCLUSIVE MODE`);
    },
    end: async () => void (await admin.query('ROLLBACK')),
  }),
};

describe.each(stores())('with the store %s', (store) => {
  test.each(Object.entries(FAULTS))(
    'while Postgres %s, every call is answered 503 in time, and then well',
    async (_fault, arrange) => {
      const api: TestApi = await startTestApi({
        store,
        databaseUrl: server.url,
        databaseMs: SETTINGS.databaseRequestTimeoutMs.fallback,
        limits: ['account=100000', 'trackings.create=100000'],
        limitPatienceMs: 100,
      });
      closers.push(() => api.close());
      // The first connections may take longer than a request has, on a busy machine.
      const { key } = await eventually(() => api.account());
      const calls = {
        account: () => api.call('GET', '/account', { key }),
        create: () => api.call('POST', '/trackings/create', { key, body: { tracking_number: freshNumber() } }),
        shipments: () => api.call('GET', '/shipments', { key }),
      };
      const all = () => Promise.all(Object.values(calls).map((call) => call()));
      await eventually(async () => expect((await all()).map(({ status }) => status)).toEqual([200, 200, 200]));
      const fault = await arrange();
      await fault.begin();
      for (let round = 0; round < 4; round++)
        for (const [what, call] of Object.entries(calls)) {
          const startedAt = performance.now();
          const { status, headers, body } = await call();
          expect([what, status, headers.get('Retry-After'), body.code]).toEqual([what, 503, '5', 503]);
          expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
        }
      await fault.end();
      await eventually(async () => expect((await all()).map(({ status }) => status)).toEqual([200, 200, 200]));
    },
    60_000,
  );
});
