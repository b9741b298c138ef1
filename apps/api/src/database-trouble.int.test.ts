import { SETTINGS } from '@pts/runtime/settings';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { ownTimeOf } from '@pts/testing/own-clock';
import { type OwnPostgres, startOwnPostgres } from '@pts/testing/own-postgres';
import { stores } from '@pts/testing/stores';
import { type ApiAnswer, startTestApi, type TestApi } from './testing/test-api.ts';

/** A client gets a response within a second. The failure that the test detects takes five or more. */
const MOST_MS = 3000;

let server: OwnPostgres;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  server = await startOwnPostgres();
  closers.push(() => server.close());
}, 60_000);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
}, 60_000);

type Fault = { begin(): Promise<unknown>; end(): Promise<unknown> };

const FAULTS: Record<string, Fault> = {
  'is stopped': { begin: () => server.freeze(), end: async () => server.thaw() },
  'is locked': {
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
      await fault.begin();
      const refused = async ([what, call]: [string, () => Promise<ApiAnswer>]) => {
        const { status, headers, body } = await call();
        expect([what, status, headers.get('Retry-After'), body.code]).toEqual([what, 503, '5', 503]);
      };
      for (let round = 0; round < 4; round++)
        expect(await ownTimeOf(() => Promise.all(Object.entries(calls).map(refused)))).toBeLessThan(MOST_MS);
      await fault.end();
      await eventually(async () => expect((await all()).map(({ status }) => status)).toEqual([200, 200, 200]));
    },
    60_000,
  );
});
