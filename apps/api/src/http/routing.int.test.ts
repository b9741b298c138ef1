import { compatV4 } from '../compat-v4/endpoints.ts';
import { operations } from '../endpoints/index.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';
import type { Route, StreamOperation } from './operation.ts';

type AnyRoute = Pick<Route | StreamOperation, 'method' | 'path'>;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ID = '691f0a3c5d2b4e6f8a9c0d1e';
/** Ids of a wrong form: too short, too long, upper case, of another alphabet, pasted with their braces. */
const WRONG_IDS = ['691f0a3c', `${ID}0`, ID.toUpperCase(), 'g'.repeat(24), '%7Bid%7D', 'order-1001', '-1'];

const TABLES: readonly { prefix: string; routes: readonly AnyRoute[] }[] = [
  { prefix: '/api/v1', routes: operations },
  { prefix: '/v4', routes: compatV4 },
];

let api: TestApi;
let key: string;
beforeAll(async () => {
  api = await startTestApi();
  const account = await api.account();
  key = account.key;
}, 60_000);
afterAll(() => api.close());

/** Without the check against the document, which does not contain unknown paths. */
async function ask(method: string, path: string) {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const response = await fetch(api.url + path, { method, headers, ...body });
  const answer = (await response.json()) as { code?: number; meta: number | { code: number } };
  const number = typeof answer.meta === 'number' ? answer.meta : answer.meta.code;
  return { number, allow: response.headers.get('Allow'), answer };
}

const filled = (path: string) => path.replaceAll(/:\w+/g, ID);
const cases = TABLES.flatMap(({ prefix, routes }) => {
  const paths = [...new Set(routes.map(({ path }) => path))];
  return paths.map((path) => ({
    name: prefix + path,
    prefix,
    path,
    paths,
    methods: routes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase()),
  }));
});

/** Whether a changed path belongs to another route. */
function isThere(path: string, paths: readonly string[]): boolean {
  return paths.some((known) => {
    const pattern = known.replaceAll(/:\w+/g, '(?:[0-9a-f]{24}|[0-9]{1,18})');
    const isParentOfIds =
      filled(known.replace(/\/:\w+$/, '/')) === path.replace(/[^/]+$/, '') && !hasWords(known, paths);
    return new RegExp(`^${pattern}$`).test(path) || isParentOfIds;
  });
}

/** Whether words may replace the id at the end of a path. */
function hasWords(path: string, paths: readonly string[]): boolean {
  const parent = path.replace(/:\w+$/, '');
  return paths.some((other) => other.startsWith(parent) && !other.startsWith(path));
}

describe.each(cases)('$name', ({ prefix, path, paths, methods }) => {
  test.each(METHODS.filter((method) => !methods.includes(method)))('refuses %s with 405 and Allow', async (method) => {
    const allow = methods.join(', ').replace('GET', 'GET, HEAD');
    expect(await ask(method, prefix + filled(path))).toMatchObject({ number: 405, allow });
  });

  const wrong = [
    `${path}/unknown`,
    `${path}/unknown/more`,
    `${path}/${ID}/unknown`,
    path.replace(/([a-z]+)(\/:\w+)?$/, '$1x$2'),
    path.replace(/([a-z]+)[a-z](\/:\w+)?$/, '$1$2'),
    path.replace(/([a-z]+)$/, (word) => word.toUpperCase()),
  ].filter((changed) => changed !== path && !isThere(filled(changed), paths));

  test.each(wrong.map(filled))('%s is 404, whatever the method', async (changed) => {
    for (const method of METHODS)
      expect({ method, ...(await ask(method, prefix + changed)) }).toMatchObject({ number: 404 });
  });

  if (path.includes(':')) {
    test.each(WRONG_IDS)('the id %s is 4112', async (id) => {
      for (const method of methods) {
        const { number } = await ask(method, prefix + path.replaceAll(/:\w+/g, id));
        expect([method, number]).toEqual([method, 4112]);
      }
    });
    test('a well-formed unknown id is neither', async () => {
      const known = path.replaceAll(/:\w+/g, ID);
      const { number } = await ask(methods[0] ?? '', prefix + known);
      expect([404, 4102, 4130]).toContain(number);
    });
  }
});

test.each([
  ['GET', '/trackings/foo/bar', 404],
  ['GET', '/trackings/whatever/explainx', 404],
  ['POST', '/webhooks/xyz/unknown', 404],
  ['GET', '/trackings/batchx', 404],
  ['POST', '/webhooks/tset', 404],
  ['GET', '/trackings/whatever1', 4112],
  ['GET', '/trackings/whatever/explain', 4112],
  ['POST', '/trackings/retrack/whatever', 4112],
  ['GET', '/trackings/create', 405],
])('%s %s is %d', async (method, path, number) => {
  expect((await ask(method, `/api/v1${path}`)).number).toBe(number);
});

test('a 404 next to ids lists the valid paths', async () => {
  const { answer } = await ask('GET', '/api/v1/trackings/batchx');
  expect(answer).toMatchObject({
    message: expect.stringMatching(/GET .*batchx\. After \/api\/v1\/trackings\/, use one of batch, create/),
  });
});

test.each(operations.map(({ method, path }) => [method.toUpperCase(), path]))(
  '%s %s refuses a parameter that it does not have',
  async (method, path) => {
    const { answer } = await ask(method, `/api/v1${filled(path)}?colour=red&_=1763688852`);
    const errors = {
      errors: expect.arrayContaining([{ field: 'colour', message: expect.stringMatching(/^is unknown/) }]),
    };
    expect(answer).toMatchObject({ data: errors });
  },
);

test('version 4 of the family ignores it', async () => {
  expect((await ask('GET', '/v4/couriers/all?colour=red')).number).toBe(200);
  expect((await ask('GET', '/v4/trackings/get?page=2')).number).toBe(200);
});
