import { TUNING } from '@pts/runtime/settings/settings';
import { ownTimeOf } from '@pts/testing/clock';
import { waitingForLocks } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { recordingProducer } from '@pts/testing/queue';
import { type OwnPostgres, startOwnPostgres } from '@pts/testing/servers/postgres';
import { stores } from '@pts/testing/stores';
import { type ApiAnswer, startTestApi, type TestApi } from './testing/test-api.ts';

/** A client gets a response within a second. The failure that the test detects takes five or more. */
const MAX_MS = 3000;
/** Long, so that one deadline is easily told from two, also on a busy machine. */
const DATABASE_MS = 2000;

let server: OwnPostgres;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  server = await startOwnPostgres();
  closers.push(() => server.close());
}, 60_000);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
}, 60_000);

type Fault = { says: RegExp; begin(): Promise<unknown>; end(): Promise<unknown> };

const FAULTS: Record<string, Fault> = {
  'is stopped': { says: /./, begin: () => server.freeze(), end: async () => server.thaw() },
  'is locked': {
    says: /took too long/,
    begin: async () => {
      await server.admin.query('BEGIN');
      const tables = ['accounts', 'api_keys', 'trackings', 'quota_usage', 'rate_limits'];
      const names = tables.map((name) => `public.${name}`).join(', ');
      await server.admin.query(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE`);
    },
    end: () => server.admin.query('ROLLBACK'),
  },
};

describe.each(stores())('with the store %s', (store) => {
  test.each(Object.entries(FAULTS))(
    'while Postgres %s, every call is answered 503 in time, and succeeds afterwards',
    async (_fault, fault) => {
      const api: TestApi = await startTestApi({
        store,
        databaseUrl: server.url,
        databaseMs: TUNING.databaseRequestTimeoutMs,
        limits: ['account=100000', 'trackings.create=100000', 'trackings.get=100000'],
        limitPatienceMs: 100,
      });
      closers.push(() => api.close());
      // The first connections may take longer than a request has, on a busy machine.
      const { key } = await eventually(() => api.account());
      const number = freshNumber();
      const register = () => api.call('POST', '/trackings/create', { key, body: { tracking_number: number } });
      await eventually(async () => expect((await register()).status).toBe(200));
      const calls = {
        account: () => api.call('GET', '/account', { key }),
        create: () => api.call('POST', '/trackings/create', { key, body: { tracking_number: freshNumber() } }),
        get: () => api.call('GET', `/trackings/get?tracking_numbers=${number}`, { key }),
        shipments: () => api.call('GET', '/shipments', { key }),
      };
      const all = () => Promise.all(Object.values(calls).map((call) => call()));
      await eventually(async () => expect((await all()).map(({ status }) => status)).toEqual([200, 200, 200, 200]));
      await fault.begin();
      const refused = async ([what, call]: [string, () => Promise<ApiAnswer>]) => {
        const { status, headers, body } = await call();
        expect([what, status, headers.get('Retry-After'), body.code]).toEqual([what, 503, '5', 503]);
        expect(body.message).toMatch(fault.says);
      };
      for (let round = 0; round < 4; round++)
        expect(await ownTimeOf(() => Promise.all(Object.entries(calls).map(refused)))).toBeLessThan(MAX_MS);
      await fault.end();
      await eventually(async () => expect((await all()).map(({ status }) => status)).toEqual([200, 200, 200, 200]));
    },
    60_000,
  );
});

describe('while a table is locked, every registration is answered within one deadline, however many there are', () => {
  let api: TestApi;
  let lookUps = 0;
  beforeEach(async () => {
    api = await startTestApi({
      databaseUrl: server.url,
      databaseMs: DATABASE_MS,
      limits: ['off'],
      // Nothing waits for Redis.
      producer: recordingProducer().producer,
      // Each call looks its key up.
      keyClock: () => ++lookUps * 1000,
    });
    closers.push(() => api.close());
  });

  test.each(['accounts', 'api_keys', 'trackings', 'checks', 'quota_usage', 'learned_prefixes'])('%s', async (table) => {
    const { key } = await eventually(() => api.account({ quota: 1000 }));
    let sent = 0;
    const create = () => {
      // A number of no carrier's form, with a prefix of its own: what is known of the prefix is read.
      const body = { tracking_number: `${String(++sent).padStart(4, '0')}${freshNumber()}` };
      return api.call('POST', '/trackings/create', { key, body });
    };
    const batch = () =>
      api.call('POST', '/trackings/batch', { key, body: { tracking_numbers: [freshNumber(), freshNumber()] } });
    await eventually(async () => expect((await create()).status).toBe(200));
    await server.admin.query('BEGIN');
    await server.admin.query(`LOCK TABLE public.${table} IN ACCESS EXCLUSIVE MODE`);
    const took: number[] = [];
    const calls: Promise<void>[] = [];
    const send = () => {
      for (const call of [create, batch])
        calls.push(
          ownTimeOf(async () => expect([200, 503]).toContain((await call()).status)).then((ms) => void took.push(ms)),
        );
    };
    await eventually(async () => {
      // On a busy machine, the first ones may have been answered before somebody looks.
      if (took.length === calls.length) send();
      expect(await waitingForLocks(server.url)).not.toEqual([]);
    });
    // These arrive while the first ones wait.
    for (let n = 0; n < 4; n++) send();
    await Promise.all(calls);
    expect(Math.max(...took)).toBeLessThan(1.5 * DATABASE_MS);
    await server.admin.query('ROLLBACK');
    await eventually(async () => expect((await create()).status).toBe(200));
    await eventually(async () => expect((await batch()).status).toBe(200));
  });
});
