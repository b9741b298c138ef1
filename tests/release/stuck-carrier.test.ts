import { connect } from 'node:net';
import { ownTimeOf } from '@pts/testing/clock';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type HttpServer, serve } from '@pts/testing/http-server';
import { merchantOf } from '../support/merchant.ts';
import { type Processes, startProcesses } from '../support/processes.ts';

let database: TestDatabase;
let carrier: HttpServer;
let service: Processes;
let requested = 0;
beforeEach(async () => {
  database = await testDatabase();
  // It is there and takes every question, and answers none.
  carrier = await serve((request, response) => {
    if (request.url === '/healthz') response.end();
    else requested += 1;
  });
  service = await startProcesses({
    databaseUrl: database.url,
    directUrl: database.url,
    env: { SANDBOX_URL: carrier.url },
  });
}, 120_000);
afterEach(async () => {
  await service.stop();
  await carrier.close();
  await database.close();
});

test('a client that never finishes its request does not delay a stopping API', async () => {
  const { base_url, api_key } = service.ready;
  const { hostname, port } = new URL(base_url);
  const client = connect(Number(port), hostname).on('error', () => {});
  const head = `POST /api/v1/trackings/create HTTP/1.1\r\nHost: x\r\nX-API-Key: ${api_key}\r\nContent-Type: application/json\r\n`;
  await new Promise<void>((sent) => client.write(`${head}Content-Length: 100\r\n\r\n{`, () => sent()));
  // The server has read it by the time it answers a later request.
  await merchantOf(service).call('GET', '/account');
  const api = service.of('api');
  expect(await ownTimeOf(() => api.stop())).toBeLessThan(10_000);
  expect(await api.exited).toBe(0);
  client.destroy();
}, 120_000);

test('a carrier that does not answer does not delay a stopping poller', async () => {
  await merchantOf(service).register('SBXORDINARY8301');
  await eventually(() => expect(requested).toBeGreaterThan(0));
  const poller = service.of('carrier-poller');
  expect(await ownTimeOf(() => poller.stop())).toBeLessThan(10_000);
  expect(await poller.exited).toBe(0);
  expect(poller.output()).toContain('calls were aborted');
}, 120_000);
