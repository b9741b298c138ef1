import { compatV4 } from '../compat-v4/endpoints.ts';
import { operations } from '../endpoints/index.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import type { Route, StreamOperation } from './operation.ts';

type AnyRoute = Pick<Route | StreamOperation, 'method' | 'path' | 'input'> & { localized?: true };

let api: TestApi;
let key: string;
beforeAll(async () => {
  api = await startTestApi();
  key = (await api.account()).key;
}, 60_000);
afterAll(() => api.close());

const rows = [
  ...operations.map((entry: AnyRoute) => ['/api/v1', entry] as const),
  ...compatV4.map((entry: AnyRoute) => ['/v4', entry] as const),
].map(([prefix, { method, path, input, localized = false }]) => {
  const address = `${prefix}${path.replaceAll(/:\w+/g, path.includes('/deliveries/') ? '48210' : 'a'.repeat(24))}`;
  return [method.toUpperCase(), address, input === 'body', localized] as const;
});

/** The caching headers of an answer. A stream adds a directive, and what its form depends on; so do answers in several languages. */
async function expectPrivate(response: Response, isLocalized = false): Promise<void> {
  // A stream would wait for a carrier.
  await response.body?.cancel();
  const { headers } = response;
  expect(headers.get('Cache-Control')).toMatch(/^no-store(, no-transform)?$/);
  const form = isLocalized
    ? /^X-API-Key, Tracking-Api-Key, Accept-Language$/
    : /^(Accept, )?X-API-Key, Tracking-Api-Key$/;
  expect(headers.get('Vary')).toMatch(form);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
}

const withKey = () => ({ 'X-API-Key': key, 'Content-Type': 'application/json' });

test.each(rows)('no cache keeps an answer of %s %s', async (method, address, hasBody, isLocalized) => {
  const url = api.url + address;
  const body = hasBody ? { body: '{"tracking_number":"YT8962646785333","tracking_numbers":["YT8962646785333"]}' } : {};
  await expectPrivate(await fetch(url, { method, headers: withKey(), ...body }), isLocalized);
  await expectPrivate(await fetch(url, { method, headers: { 'X-API-Key': 'wrong' } }));
});

test('nor a secret', async () => {
  const body = JSON.stringify({ url: 'https://hooks.example.com/', events: ['tracking_update'] });
  const response = await fetch(`${api.url}/api/v1/webhooks`, { method: 'POST', headers: withKey(), body });
  expect(response.status).toBe(200);
  await expectPrivate(response);
});

test('nor a path or a method that does not exist', async () => {
  for (const address of ['/api/v1/nothing', '/v4/nothing', '/api/v1/trackings/create', '/api/v1/account/'])
    await expectPrivate(await fetch(api.url + address, { method: 'PUT', headers: withKey() }));
});

test('an ETag of a client still gets 304, which no other cache keeps either', async () => {
  const url = `${api.url}/api/v1/couriers/all`;
  const first = await fetch(url, { headers: withKey() });
  await expectPrivate(first);
  const known = { ...withKey(), 'If-None-Match': first.headers.get('ETag') ?? '' };
  const second = await fetch(url, { headers: known });
  expect(second.status).toBe(304);
  await expectPrivate(second);
});

test.each(['/healthz', '/nothing', '/callbacks/kuaidi100/guessed'])('%s is not kept either', async (address) => {
  const { headers } = await fetch(api.url + address, { method: address.startsWith('/callbacks') ? 'POST' : 'GET' });
  expect([headers.get('Cache-Control'), headers.get('X-Content-Type-Options')]).toEqual(['no-store', 'nosniff']);
});

test('the public reference can be cached, whatever key is sent', async () => {
  const { headers } = await fetch(`${api.url}/openapi.json`, { headers: withKey() });
  expect(headers.get('Cache-Control')).toBe('public, max-age=300');
  expect(headers.get('Vary') ?? '').not.toContain('Key');
});
