import { createLogger } from '@pts/runtime/logger';
import { nameTrackings, type Span, type SpanStart, useTracer } from '@pts/runtime/tracing/tracing';
import { eventually } from '@pts/testing/eventually';
import { type HttpServer, serve } from '@pts/testing/http-server';
import express from 'express';
import { createApiMetrics } from '../metrics.ts';
import { requestLog } from './request-log.ts';

const GIVEN = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const OURS = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;

const lines: Record<string, unknown>[] = [];
const started: SpanStart[] = [];
const ended: unknown[] = [];
const servers: HttpServer[] = [];

beforeEach(() => {
  for (const list of [lines, started, ended]) list.length = 0;
});
afterEach(async () => {
  useTracer(null);
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function startApp(trustProxy: number | string, metrics = createApiMetrics()): Promise<string> {
  const app = express();
  app.set('trust proxy', trustProxy);
  const write = (line: string) => void lines.push(JSON.parse(line));
  app.use(requestLog(createLogger({ app: 'api', level: 'info', format: 'json', write }), metrics));
  app.post('/trackings/create', (_request, response) => {
    nameTrackings(response.locals.context, ['t1', 't2']);
    response.status(500).end();
  });
  const server = await serve(app);
  servers.push(server);
  return server.url;
}

function trace(): void {
  const attributes: object[] = [];
  const span: Span = {
    traceparent: OURS,
    rename: (name) => ended.push(name),
    add: (more) => attributes.push(more),
    end: (error) => ended.push(...attributes, error),
  };
  const start = (_name: string, how: SpanStart) => {
    started.push(how);
    return span;
  };
  useTracer({ start, close: async () => {} });
}

const post = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/trackings/create`, { method: 'POST', headers: { 'X-Request-Id': 'r1', ...headers } });
const line = () =>
  eventually(() => {
    expect(lines).toHaveLength(1);
    return lines[0];
  });

test('the line of a request names it, and the parcels that it was about', async () => {
  await post(await startApp(0));
  expect(await line()).toMatchObject({ msg: 'request', requestId: 'r1', trackingIds: ['t1', 't2'], status: 500 });
  expect(await line()).not.toHaveProperty('traceId');
});

test('failures of a route are counted from zero, so that the first one is an increase', async () => {
  const metrics = createApiMetrics();
  const failures = async () =>
    (await metrics.failures.get()).values.find(({ labels }) => labels.route === '/trackings/create')?.value;
  expect(await failures()).toBe(0);
  await post(await startApp(0, metrics));
  await line();
  expect(await failures()).toBe(1);
});

test('its span has the same names, fails with a 5xx, and is named in the line', async () => {
  trace();
  await post(await startApp(0));
  expect(await line()).toMatchObject({ traceId: 'c'.repeat(32) });
  const attributes = { 'http.route': '/trackings/create', 'pts.request_id': 'r1', 'pts.tracking_ids': ['t1', 't2'] };
  expect(ended).toEqual(['POST /trackings/create', expect.objectContaining(attributes), 'status 500']);
});

test.each([
  ['a caller', 0, { links: [GIVEN] }],
  ['a proxy that is trusted', 1, { parent: GIVEN }],
  ['a proxy from another range', '10.0.0.0/8', { links: [GIVEN] }],
])('the trace of %s', async (_whose, trustProxy, how) => {
  trace();
  await post(await startApp(trustProxy), { traceparent: GIVEN });
  expect(started).toEqual([{ kind: 'server', ...how }]);
});

const KEY = `tk_${'0a'.repeat(24)}`;
const TOKEN = 'Zk3-x_'.repeat(5).slice(0, 27);

test.each([
  `/api/v1/keys/${KEY}`,
  `/api/v1/keys/tk%5F${KEY.slice(3)}`,
  `/api/v1/trackings/${KEY.slice(0, 30)}`,
  `/${KEY}/x`,
  `/api/v1/keys/tk_test_${KEY.slice(3)}`,
  `/api/v1/keys/tk%5Ftest%5F${KEY.slice(3)}`,
  `/api/v1/operator/accounts/o${KEY}`,
  `/t/${TOKEN}`,
  `//t/${TOKEN}`,
  `/T/${TOKEN}/events.json`,
  `/t%2F${TOKEN}`,
  `/%2ft%2f${TOKEN}`,
  `/t%252F${TOKEN}`,
  `/callbacks/kuaidi100/${TOKEN}`,
  `/callbacks%2Fkuaidi100%2F${TOKEN}`,
  `/x/whsec_${TOKEN}`,
])('the line of a request to %s has no secret', async (path) => {
  await fetch(`${await startApp(0)}${path}`);
  expect(JSON.stringify(await line())).not.toMatch(/(0a){6}|Zk3-x_/);
});

test('other paths are logged as they are', async () => {
  const path = '/api/v1/trackings/69a45f02b1c2d3e4f5061728';
  await fetch(`${await startApp(0)}${path}`);
  expect(await line()).toMatchObject({ path });
});
