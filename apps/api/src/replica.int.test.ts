import type { ReadDb } from '@pts/db/replica';
import { startTestApi, type TestApi } from './testing/test-api.ts';

let api: TestApi;
let account: Awaited<ReturnType<TestApi['account']>>;
const seen: string[] = [];
const reads: ReadDb = {
  read: (accountId, statements) => {
    seen.push(`read ${accountId}`);
    return statements(api.db);
  },
  changed: (accountId) => void seen.push(`changed ${accountId}`),
  look: async () => {},
  lagMs: () => 0,
};
beforeAll(async () => {
  api = await startTestApi({ reads });
  account = await api.account();
}, 60_000);
afterAll(() => api.close());
beforeEach(() => void seen.splice(0));

test.each(['/shipments', '/shipments?count=true', '/shipments.csv', '/stats', '/webhooks/deliveries'])(
  'GET %s may be read from a replica',
  async (path) => {
    await fetch(`${api.url}/api/v1${path}`, { headers: { 'X-API-Key': account.key } }).then((found) => found.text());
    expect(seen).toEqual([`read ${account.id}`]);
  },
);

test.each([
  '/account',
  '/webhooks',
  '/trackings/get?tracking_numbers=YT8962646785333',
  `/shipments?ids=${'a'.repeat(24)}`,
])('GET %s is read from the primary', async (path) => {
  await api.call('GET', path, { key: account.key });
  expect(seen).toEqual([]);
});

test('what an account changes is remembered before it is answered', async () => {
  const body = { tracking_number: 'YT8962646785333' };
  await api.call('POST', '/trackings/create', { key: account.key, body });
  expect(seen).toEqual([`changed ${account.id}`]);
});
