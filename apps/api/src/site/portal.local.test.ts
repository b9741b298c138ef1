import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { ERRORS, ServiceError } from '@pts/core/errors';
import { serve } from '@pts/testing/http-server';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { readPortal } from './files.ts';
import { portalRouter } from './routers.ts';

const FILES = {
  'docs.html': '<h1>Overview</h1>',
  'docs.md': '# Overview',
  'docs/quickstart.html': '<h1>Quickstart</h1>',
  'docs/zh/quickstart.html': '<h1>快速入门</h1>',
  'docs/404.html': '<h1>Page not found</h1><a href="#text"></a><a href="quickstart"></a><link href="assets/main.css">',
  'docs/zh/404.html': '<h1>找不到页面</h1><a href="../docs"></a>',
  'docs/assets/main-A.js': 'console.log(1);',
  'docs/assets/icon.svg': '<svg/>',
  'llms.txt': '# Pages',
};

/** As the API answers errors. */
const refuse: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!(error instanceof ServiceError)) return next(error);
  response.status(ERRORS[error.error].http).end();
};

/** What the API serves besides the portal. */
const somethingElse: RequestHandler = (_request, response) => void response.sendStatus(418);

let dist: string;
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  dist = mkdtempSync(join(tmpdir(), 'pts-portal-'));
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(dist, 'public', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    writeFileSync(`${file}.br`, brotliCompressSync(text));
  }
  expect(readPortal(dist)).toBeNull();
  writeFileSync(join(dist, 'version.json'), '{}');
  const app = express().use(portalRouter(readPortal(dist) ?? []), somethingElse, refuse);
  server = await serve((incoming, response) => void app(incoming, response));
});
afterAll(async () => {
  await server.close();
  rmSync(dist, { recursive: true });
});

const get = (path: string, accept = '*/*') =>
  fetch(`${server.url}${path}`, { redirect: 'manual', headers: { accept } });

// biome-ignore format: one address per line is readable as a table
test.each([
  ['/docs', 'text/html; charset=utf-8', 'no-cache', '<h1>Overview</h1>'],
  ['/docs/quickstart', 'text/html; charset=utf-8', 'no-cache', '<h1>Quickstart</h1>'],
  ['/docs/zh/quickstart', 'text/html; charset=utf-8', 'no-cache', '<h1>快速入门</h1>'],
  ['/docs.md', 'text/markdown; charset=utf-8', 'no-cache', '# Overview'],
  ['/docs/assets/main-A.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'console.log(1);'],
  ['/docs/assets/icon.svg', 'image/svg+xml', 'no-cache', '<svg/>'],
  ['/llms.txt', 'text/plain; charset=utf-8', 'no-cache', '# Pages'],
])('%s is a file of the build', async (path, type, cacheControl, text) => {
  const response = await get(path);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, type]);
  expect(response.headers.get('Cache-Control')).toBe(cacheControl);
  expect(await response.text()).toBe(text);
  const policy = response.headers.get('Content-Security-Policy');
  if (type.startsWith('text/html')) expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  else expect(policy).toBeNull();
});

test('a page has one address: with a slash at its end, it leads there', async () => {
  for (const [path, location] of [
    ['/docs/', '../docs'],
    ['/docs/zh/quickstart/', '../quickstart'],
  ] as const) {
    const response = await get(path);
    expect([response.status, response.headers.get('Location')]).toEqual([301, location]);
  }
});

/** As browsers ask for a page. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test.each([
  ['/docs/nothing', 'Page not found', 'quickstart'],
  ['/docs/100%', 'Page not found', 'quickstart'],
  ['/docs/404', 'Page not found', 'quickstart'],
  ['/docs/reference/gone/', 'Page not found', '../../quickstart'],
  ['/docs/zh/nothing', '找不到页面', '../docs'],
  ['/docs/zh/errors/1', '找不到页面', '../../docs'],
])('a browser gets a page at %s, whose links lead on', async (path, title, link) => {
  const response = await get(path, BROWSER);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  const text = await response.text();
  expect(text).toContain(`<h1>${title}</h1>`);
  expect(text).toContain(`href="${link}"`);
  expect(text).not.toContain('href="../#text"');
});
