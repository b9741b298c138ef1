import { testDatabase } from '@pts/testing/database';
import { merchantOf } from '../support/merchant.ts';
import { newDirectory, removeDirectory, type Service, startService } from '../support/service.ts';

const dir = newDirectory();
let database: Awaited<ReturnType<typeof testDatabase>>;
let service: Service;

beforeAll(async () => {
  database = await testDatabase();
  service = await startService({ DATABASE_URL: database.url, RATE_LIMITS: 'off', QUOTA_PRO: '11' }, dir);
}, 120_000);

afterAll(async () => {
  await service.stop();
  await database.close();
  removeDirectory(dir);
}, 30_000);

test('the same number 50 times at once is one tracking and one unit', async () => {
  const merchant = merchantOf(service);
  const created = await Promise.all(Array.from({ length: 50 }, () => merchant.register('SBXNOTFOUND4000')));
  expect(new Set(created.map((tracking) => tracking.id)).size).toBe(1);
  expect(await merchant.quotaUsed()).toBe(1);
});

test('of 100 registrations at once with 10 units left exactly 10 succeed, and the rest are refused with 4190', async () => {
  const merchant = merchantOf(service);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      merchant.call('POST', '/trackings/create', { tracking_number: `SBXNOTFOUND${5000 + i}` }),
    ),
  );
  const codes = answers.map((answer) => answer.code);
  expect(codes.filter((code) => code === 200)).toHaveLength(10);
  expect(codes.filter((code) => code === 4190)).toHaveLength(90);
  expect(await merchant.quotaUsed()).toBe(11);
  const stored = await merchant.call<{ shipments: object[] }>('GET', '/shipments?limit=200');
  expect(stored.data.shipments).toHaveLength(11);
});
