import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@pts/embedded/machine';
import { counter, createRegistry } from '../metrics.ts';
import { tracedHistogram } from '../tracing/open-metrics.ts';
import { type Health, listen, startManagement } from './management.ts';

const HEALTHY: Health = { live: () => true, ready: () => ({ isReady: true, checks: { database: { state: 'ok' } } }) };
const registry = createRegistry('test');
const servers: Server[] = [];
const close = (server: Server) =>
  new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
afterAll(() => Promise.all(servers.map(close)));

async function start(health: Partial<Health> = {}): Promise<(path: string) => Promise<Response>> {
  const port = await freePort();
  await startAt({ port }, health);
  return (path) => fetch(`http://127.0.0.1:${port}${path}`);
}

async function startAt(address: { port: number; host?: string }, health: Partial<Health> = {}): Promise<Server> {
  const server = await startManagement(address, { ...HEALTHY, ...health }, registry);
  if (!server) throw new Error('it is turned off');
  servers.push(server);
  return server;
}

test("the operator's page is off unless it is turned on", async () => {
  expect((await (await start())('/')).status).toBe(404);
  const port = await freePort();
  const server = await startManagement({ port }, HEALTHY, registry, { isOn: true, app: 'api' });
  if (server) servers.push(server);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
    ...[200, 'text/html; charset=utf-8', 'no-store'],
  ]);
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(await response.text()).toContain('<title>api: ok</title>');
});

test('port 0 turns it off', async () => {
  expect(await startManagement({ port: 0 }, HEALTHY, registry)).toBeNull();
});

test('/healthz of a healthy process answers 200', async () => {
  const response = await (await start())('/healthz');
  expect([response.status, await response.text()]).toEqual([200, 'ok']);
});

test.each(['/readyz', '/readyz?verbose'])('%s shows every check', async (path) => {
  const response = await (await start())(path);
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok', checks: { database: 'ok' } }]);
});

test('/readyz says what is missing and how to fix it', async () => {
  const checks = { database: 'ok', schema: 'the schema lacks a migration: run `npm run migrate`' };
  const schema = { state: 'unfit', reason: checks.schema } as const;
  const faulty = (isReady: boolean) =>
    start({ ready: () => ({ isReady, checks: { database: { state: 'ok' }, schema } }) });
  const response = await (await faulty(false))('/readyz');
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable', checks }]);
  const waiting = await (await faulty(true))('/readyz');
  expect([waiting.status, await waiting.json()]).toEqual([200, { status: 'waiting', checks }]);
});

test('/readyz shows details that do not make the process unready', async () => {
  const providers = { acme: 'paused until 2031-04-05T06:00:00.000Z: ACME refused the key' };
  const response = await (await start({ details: () => ({ providers }) }))('/readyz');
  expect([response.status, await response.json()]).toEqual([
    200,
    { status: 'ok', checks: { database: 'ok' }, providers },
  ]);
});

test('a process that is stuck is not live, one that shuts down is not ready', async () => {
  const stuck = await start({ live: () => false });
  expect((await stuck('/healthz')).status).toBe(503);
  expect((await stuck('/readyz')).status).toBe(200);
  const stopping = await start({ ready: async () => ({ isReady: false, checks: {} }) });
  expect((await stopping('/healthz')).status).toBe(200);
  expect((await stopping('/readyz')).status).toBe(503);
});

test('a probe that throws answers 500, and the server keeps running', async () => {
  const broken = await start({ ready: () => Promise.reject(new Error('the pool is gone')) });
  const response = await broken('/readyz');
  expect([response.status, await response.text()]).toEqual([500, 'failed']);
  expect((await broken('/healthz')).status).toBe(200);
});

test('/metrics shows the metrics of Node and our own, each with its app', async () => {
  counter(registry, { name: 'pts_tests_total', help: 'Tests.', labels: ['kind'] }).inc({ kind: 'unit' }, 3);
  const response = await (await start())('/metrics');
  const text = await response.text();
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(text).toContain('pts_tests_total{kind="unit",app="test"} 3');
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds\{app="test"\}/m);
});

test('/metrics is OpenMetrics for those who take it, with the traces of latencies, and nothing changes for others', async () => {
  const own = createRegistry('test');
  counter(own, { name: 'pts_pushes_total', help: 'Pushes.' }).inc(2);
  const latency = tracedHistogram(own, { name: 'pts_push_seconds', help: 'Latency.', labels: ['route'] });
  latency.observe({ route: '/a' }, 0.02, 'c'.repeat(32));
  latency.observe({ route: '/a' }, 0.2, null);
  const [plain, open] = ['text/plain', 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5'];
  const port = await freePort();
  const server = await startManagement({ port }, HEALTHY, own);
  if (server) servers.push(server);
  const read = (accept: string) => fetch(`http://127.0.0.1:${port}/metrics`, { headers: { accept } });
  const before = await (await read(plain)).text();
  const response = await read(open);
  const lines = (await response.text()).split('\n');
  expect(response.headers.get('content-type')).toContain('application/openmetrics-text');
  expect(lines).toContain('# TYPE pts_pushes counter');
  expect(lines).toContain('pts_pushes_total{app="test"} 2');
  const bucket = (le: string) => lines.find((line) => line.startsWith(`pts_push_seconds_bucket{le="${le}"`));
  expect(bucket('0.025')).toMatch(/route="\/a".* 1 # \{trace_id="c{32}"\} 0\.02 \d+/);
  expect(bucket('0.25')).not.toContain('trace_id');
  expect(lines.slice(-2)).toEqual(['# EOF', '']);
  const ours = (text: string) => text.split('\n').filter((line) => line.includes('pts_'));
  expect(ours(await (await read(plain)).text())).toEqual(ours(before));
  expect(before).toContain('pts_pushes_total{app="test"} 2');
  expect(before).not.toContain('trace_id');
});

test('all other paths are 404', async () => {
  expect((await (await start())('/')).status).toBe(404);
});

test('a port that is taken is an error', async () => {
  const taken = createServer();
  servers.push(taken);
  await new Promise<void>((resolve) => taken.listen(0, resolve));
  const { port } = taken.address() as AddressInfo;
  await expect(startManagement({ port }, HEALTHY, registry)).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: `Port ${port} is in use. Set MANAGEMENT_PORT to a free port.`,
  });
});

test('it listens on all addresses, or on the given one', async () => {
  const everywhere = (await startAt({ port: await freePort() })).address() as AddressInfo;
  expect(['::', '0.0.0.0']).toContain(everywhere.address);
  const here = (await startAt({ port: await freePort(), host: '127.0.0.1' })).address() as AddressInfo;
  expect(here.address).toBe('127.0.0.1');
});

test('an address that does not belong to the machine is an error that names the setting', async () => {
  const port = await freePort();
  // TEST-NET-1 (RFC 5737): never assigned to a machine.
  await expect(startManagement({ port, host: '192.0.2.1' }, HEALTHY, registry)).rejects.toThrow(
    'MANAGEMENT_HOST 192.0.2.1 is not an address of this machine.',
  );
  const settings = { port: 'PORT', host: 'HOST' };
  await expect(listen(createServer(), { port, host: '192.0.2.1' }, settings)).rejects.toMatchObject({
    message: 'HOST 192.0.2.1 is not an address of this machine.',
  });
});
