import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { merchantOf } from '../support/merchant.ts';
import { type Processes, startProcesses } from '../support/processes.ts';

let database: TestDatabase;
let carrier: Server;
let service: Processes;
let asked = 0;
beforeEach(async () => {
  database = await testDatabase();
  // It is there and takes every question, and answers none.
  carrier = createServer((request, response) => {
    if (request.url === '/healthz') response.end();
    else asked += 1;
  });
  await new Promise<void>((done) => carrier.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(carrier.address() as AddressInfo).port}`;
  service = await startProcesses({
    databaseUrl: database.url,
    directUrl: database.url,
    // Shorter than the client's own patience with the carrier (10 s).
    env: { SANDBOX_URL: url, SHUTDOWN_TIMEOUT_SECONDS: '8' },
  });
}, 120_000);
afterEach(async () => {
  await service.stop();
  carrier.closeAllConnections();
  carrier.close();
  await database.close();
});

test('a carrier that does not answer does not delay a stopping poller', async () => {
  await merchantOf(service).register('SBXORDINARY8301');
  await eventually(() => expect(asked).toBeGreaterThan(0));
  const poller = service.of('carrier-poller');
  await poller.stop();
  expect(await poller.exited).toBe(0);
  expect(poller.output()).toContain('calls ended unanswered');
}, 120_000);
