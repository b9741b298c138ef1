import { freePort } from '@pts/embedded/machine';
import { createRegistry } from '@pts/runtime/metrics';
import { startManagement } from '@pts/runtime/process/management';
import { type HttpServer, serve } from '@pts/testing/http-server';
import express from 'express';
import { createFile } from '../site/files.ts';
import { consoleRouter, downloadsRouter, portalRouter } from '../site/routers.ts';
import { startBareApi } from '../testing/test-api.ts';
import { privateAnswers } from './answers.ts';

const HTML = createFile(Buffer.from('<h1>page</h1>'), 'text/html; charset=utf-8');
const SCRIPT = createFile(Buffer.from('1'), 'text/javascript; charset=utf-8');

let api: Awaited<ReturnType<typeof startBareApi>>;
let files: HttpServer;
beforeAll(async () => {
  api = await startBareApi();
  // As the API serves them, whatever has been built here.
  const app = express().disable('x-powered-by');
  app.use(
    privateAnswers,
    consoleRouter({ html: HTML, build: SCRIPT, assets: new Map([['main.js', SCRIPT]]) }),
    portalRouter([
      { address: '/docs', kind: 'page', file: HTML },
      { address: '/docs/assets/main.js', kind: 'asset', file: SCRIPT },
    ]),
    downloadsRouter({ packages: new Map([['pts.tgz', SCRIPT]]), sums: SCRIPT, sumOf: () => '' }, '1.0.0', undefined),
  );
  files = await serve((incoming, response) => void app(incoming, response));
}, 60_000);
afterAll(async () => {
  await files.close();
  await api.close();
});

type Kept = 'not at all' | 'checked' | 'public';
const CACHES: Record<Kept, RegExp> = {
  'not at all': /^no-store(, no-transform)?$/,
  checked: /^(private, )?no-cache$/,
  public: /^public, max-age=\d+/,
};

async function expectHeaders(response: Response, kept: Kept): Promise<void> {
  await response.body?.cancel();
  const policy = response.headers.get('Content-Security-Policy') ?? '';
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': expect.stringMatching(CACHES[kept]),
  });
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(policy).toMatch(/frame-ancestors 'none'$/);
  expect(policy).not.toContain('unsafe');
  expect(response.headers.get('X-Powered-By')).toBeNull();
  expect(response.headers.get('Set-Cookie')).toBeNull();
}

// Each operation: refusals.local.test.ts. Here the database is away, which changes no header.
test.each<[string, string, Kept]>([
  ['GET', '/api/v1/shipments.csv', 'not at all'],
  ['POST', '/api/v1/track/batch-stream', 'not at all'],
  ['POST', '/mcp', 'not at all'],
  ['GET', '/mcp', 'not at all'],
  ['POST', '/callbacks/kuaidi100/guessed', 'not at all'],
  ['GET', '/healthz', 'not at all'],
  ['GET', '/', 'not at all'],
  ['GET', '/nothing', 'not at all'],
  ['GET', '/t/guessed', 'not at all'],
  ['GET', '/robots.txt', 'public'],
  ['GET', '/openapi.json', 'public'],
])('%s %s is private and unframed, with a key and without', async (method, path, kept) => {
  const more = method === 'POST' ? { body: '["YT8962646785999"]' } : {};
  for (const key of [{ 'X-API-Key': `tk_${'0'.repeat(48)}` }, {}])
    await expectHeaders(
      await fetch(`${api.url}${path}`, { method, headers: { ...key, 'Content-Type': 'application/json' }, ...more }),
      kept,
    );
});

test.each<[string, Kept]>([
  ['/console', 'checked'],
  ['/console/shipments', 'checked'],
  ['/console/build.json', 'checked'],
  ['/console/assets/main.js', 'public'],
  ['/docs', 'checked'],
  ['/docs/assets/main.js', 'public'],
  ['/downloads', 'checked'],
  ['/downloads/pts.tgz', 'public'],
])('the file %s', async (path, kept) => {
  const response = await fetch(`${files.url}${path}`);
  expect(response.status).toBe(200);
  await expectHeaders(response, kept);
});

test.each(['/', '/healthz', '/readyz', '/metrics', '/nothing'])('the management port: %s', async (path) => {
  const port = await freePort();
  const health = { live: () => true, ready: () => ({ isReady: true, checks: {} }) };
  const server = await startManagement({ port }, health, createRegistry('test'), { isOn: true, app: 'api' });
  try {
    await expectHeaders(await fetch(`http://127.0.0.1:${port}${path}`), 'not at all');
  } finally {
    await new Promise((resolve) => {
      server?.close(resolve);
      server?.closeAllConnections();
    });
  }
});
