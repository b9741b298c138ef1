import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { ERRORS, ServiceError } from '@pts/core/errors';
import { serve } from '@pts/testing/http-server';
import express, { type ErrorRequestHandler } from 'express';
import { readConsole } from './files.ts';
import { consoleRouter } from './routers.ts';

const SCRIPT = 'console.log(1);'.repeat(50);

let dist: string;
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  dist = mkdtempSync(join(tmpdir(), 'pts-console-'));
  mkdirSync(join(dist, 'assets'));
  writeFileSync(join(dist, 'index.html'), '<script src="/console/assets/main-A.js"></script>');
  writeFileSync(join(dist, 'build.json'), '{"script":"main-A.js"}');
  for (const name of ['main-A.js', 'older-B.js']) {
    writeFileSync(join(dist, 'assets', name), SCRIPT);
    writeFileSync(join(dist, 'assets', `${name}.br`), brotliCompressSync(SCRIPT));
    writeFileSync(join(dist, 'assets', `${name}.gz`), gzipSync(SCRIPT));
  }
  const files = readConsole(undefined, dist);
  if (!files) throw new Error('the console was not found');
  const app = express().use(consoleRouter(files), refuse);
  server = await serve((incoming, response) => void app(incoming, response));
});
afterAll(async () => {
  await server.close();
  rmSync(dist, { recursive: true });
});

/** As the API answers errors. */
const refuse: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!(error instanceof ServiceError)) return next(error);
  response.status(ERRORS[error.error].http).json({ message: error.message });
};

/** As the bytes come: `fetch` would unpack them. */
function get(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>((done, fail) => {
    request(`${server.url}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', fail)
      .end();
  });
}

test.each(['/console', '/console/', '/console/shipments/100%', '/console/webhooks/691f?tab=test'])(
  '%s is the page: never cached unchecked, under a strict policy',
  async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(body.toString()).toContain('/console/assets/main-A.js');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const again = await get(path, { 'If-None-Match': String(headers.etag) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  },
);

test('an asset never changes, and comes as the build has compressed it', async () => {
  const br = await get('/console/assets/main-A.js', { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
  expect(br.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    vary: 'Accept-Encoding',
  });
  expect(brotliDecompressSync(br.body).toString()).toBe(SCRIPT);
  const gzipped = await get('/console/assets/main-A.js', { 'Accept-Encoding': 'gzip' });
  expect(gzipped.headers['content-encoding']).toBe('gzip');
  const plain = await get('/console/assets/main-A.js', { 'Accept-Encoding': 'br;q=0' });
  expect([plain.headers['content-encoding'], plain.body.toString()]).toEqual([undefined, SCRIPT]);
});

test('below a path of the public address, the page names its assets there', () => {
  const files = readConsole('https://shop.example/parcels/', dist);
  expect(files?.html.body.toString()).toContain('"/parcels/console/assets/main-A.js"');
});

test('where it was not built, there is none', () => {
  expect(readConsole(undefined, join(dist, 'assets'))).toBeNull();
});
