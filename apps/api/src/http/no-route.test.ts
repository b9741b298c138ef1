import { operations } from '../endpoints/index.ts';
import { noRoute } from './errors.ts';

const ID = '691f0a3c5d2b4e6f8a9c0d1e';
const textOf = (method: string, path: string) => noRoute(operations, { method, path }).message;

test.each(operations.map(({ method, path }) => [method.toUpperCase(), path]))(
  '%s %s without its prefix names the address with it',
  (method, path) => {
    const called = path.replaceAll(/:\w+/g, path.includes('deliveries') ? '48210' : ID);
    for (const prefix of ['', '/v1', '/api', '/v4', '/api/v2', '/api/v1/api/v1'])
      expect(textOf(method, prefix + called)).toMatch(
        new RegExp(`^No such route: ${method} ${prefix}${called}\\. Use .*\\b${method}\\b.* /api/v1${called}\\.$`),
      );
  },
);

test.each([
  ['POST', '/trackings/get', 'Use GET /api/v1/trackings/get.'],
  ['GET', '/Trackings/GET/', 'Use GET /api/v1/trackings/get.'],
  ['GET', '/api/v1/tracking/get', 'Use GET /api/v1/trackings/get.'],
  ['POST', '/api/v1/track/batchStream', 'Use POST /api/v1/track/batch-stream.'],
  ['GET', '//api/v1/account', 'Use GET or PATCH /api/v1/account.'],
  ['POST', '/api/v1//trackings/create', 'Use POST /api/v1/trackings/create.'],
  ['POST', '/api/v1/webhooks//check', 'Part of the path is empty. Is an id missing?'],
  ['PUT', `/trackings/${ID}`, `Use GET or PATCH or DELETE /api/v1/trackings/${ID}.`],
])('%s %s also names the methods', (method, path, hint) => {
  expect(textOf(method, path)).toBe(`No such route: ${method} ${path}. ${hint}`);
});

test.each([
  ['/v4//awb', '/v4/awb'],
  ['/v4/trackings/statistics', '/v4/trackings/statistics'],
  ['/v4', '/v4'],
])('%s of the family is said not to be offered', (path, shown) => {
  expect(textOf('POST', path)).toMatch(new RegExp(`^POST ${shown} is not available\\. .* /docs/migrating`));
});

test.each([
  '/',
  '//api/v1//nothing/here',
  '/favicon.ico',
  '/trackings',
  '/tracking',
  '/trackings/unknown',
  '/api',
  '/api/v1',
  '/api/v1/',
  '/docs/more',
])('%s is close to no address', (path) => {
  expect(textOf('GET', path)).toBe(`No such route: GET ${path}.`);
});
