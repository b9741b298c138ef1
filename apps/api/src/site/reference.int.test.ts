import { startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${api.url}${path}`, { headers, redirect: 'manual' });

describe('the OpenAPI document', () => {
  test.each(['/openapi.json', '/api/v1/openapi.json'])('is at %s for everyone, and not sent twice', async (path) => {
    const first = await get(path);
    expect([first.status, first.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=300']);
    expect(first.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(await first.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api/v1' }] });
    const known = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    const again = await get(path, known);
    expect([again.status, (await again.text()).length]).toEqual([304, 0]);
  });

  test('is sent uncompressed to clients that accept only that', async () => {
    const packed = await get('/openapi.json', { 'Accept-Encoding': 'gzip' });
    const plain = await get('/openapi.json', { 'Accept-Encoding': 'identity' });
    expect([packed.headers.get('Content-Encoding'), plain.headers.get('Content-Encoding')]).toEqual(['gzip', null]);
    expect(await packed.text()).toBe(await plain.text());
  });

  test('is read-only', async () => {
    const response = await fetch(`${api.url}/openapi.json`, { method: 'POST' });
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });
});

test('a browser is redirected to the portal; a program gets links', async () => {
  const browser = await get('/', { Accept: 'text/html,*/*;q=0.8' });
  expect([browser.status, browser.headers.get('Location')]).toEqual([302, 'docs']);
  const program = await get('/');
  expect(await program.json()).toMatchObject({ code: 200, data: { docs: '/docs', openapi: '/openapi.json' } });
});
