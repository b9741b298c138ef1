import { hostileUrls } from '@pts/testing/fuzz';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const URLS = hostileUrls();
const EVENTS = ['tracking_update'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ urlPolicy: { allowHttp: true, allowed: { ranges: [], names: [] } } });
}, 60_000);
afterAll(() => api.close());

test('the list has at least 250 different hostile addresses', () => {
  expect(new Set(URLS).size).toBe(URLS.length);
  expect(URLS.length).toBeGreaterThanOrEqual(250);
});

test('none of them can be registered, or set on an existing webhook', async () => {
  const { id, key } = await api.account();
  const known = { url: 'https://hooks.example.com/', events: EVENTS };
  const registered = await api.call('POST', '/webhooks', { key, body: known });
  const through: [string, number, number][] = [];
  const offer = async (url: string) => {
    const created = await api.call('POST', '/webhooks', { key, body: { url, events: EVENTS } });
    const changed = await api.call('PATCH', `/webhooks/${registered.body.data.id}`, { key, body: { url } });
    const isRefused = [created, changed].every(
      ({ body }) => body.code === 4130 && body.data.errors.some(({ field }: { field: string }) => field === 'url'),
    );
    if (!isRefused) through.push([url, created.body.code, changed.body.code]);
  };
  for (let n = 0; n < URLS.length; n += 20) await Promise.all(URLS.slice(n, n + 20).map(offer));
  expect(through).toEqual([]);
  expect(await api.db.webhook.findMany({ where: { accountId: id }, select: { url: true } })).toEqual([
    { url: known.url },
  ]);
}, 120_000);
