import { type Db, openDatabase } from '@pts/db/connection';
import { createAccount } from '@pts/service/accounts';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { merchantOf } from '../support/merchant.ts';
import { type Processes, startProcesses } from '../support/processes.ts';

const PER_CALL = 40;
/** Each second, the carrier answers one call. */
const CALLS = 100;

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
let processes: Processes;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolSize: 2, ...PATIENT });
  processes = await startProcesses({
    databaseUrl: database.url,
    directUrl: database.url,
    // First answers alone.
    env: {
      PROVIDER_LIMITS: 'sandbox.calls_per_second=1',
      CHECK_INTERVAL_SECONDS: '3600',
      IDLE_CHECK_INTERVAL_SECONDS: '3600',
    },
  });
}, 180_000);
afterAll(async () => {
  await processes?.stop();
  await db?.$disconnect();
  await database?.close();
}, 60_000);

test('the first answer of a merchant does not wait behind the thousands of another', async () => {
  const { key } = await createAccount({ db, now: () => new Date() }, { name: 'neighbour', plan: 'enterprise' });
  const [large, small] = [key.apiKey, processes.ready.api_key].map((api_key) =>
    merchantOf({ ready: { ...processes.ready, api_key } }),
  );
  const poller = processes.of('carrier-poller');
  // So that nothing is answered before both have registered, however long that takes.
  await poller.stop();
  for (let n = 0; n < CALLS; n++) {
    const numbers = Array.from({ length: PER_CALL }, (_, i) => ({ tracking_number: `SBXORDINARY${n * PER_CALL + i}` }));
    await large?.call('POST', '/trackings/batch', numbers);
  }
  const { id } = (await small?.register('SBXORDINARY9999')) ?? { id: '' };
  poller.start();
  const answered = (where: object) => db.check.count({ where: { ...where, fingerprint: { not: null } } });
  await eventually(async () => expect(await answered({ trackingId: id })).toBe(1), { everyMs: 200 });
  expect(await answered({})).toBeLessThan((PER_CALL * CALLS) / 2);
}, 300_000);
