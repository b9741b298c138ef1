import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandboxApp } from './app.ts';
import { rememberInMemory } from './first-requests.ts';
import { type Log, listen, postCallback, stop, urlOf } from './http.ts';

const app = (log: Log = () => {}) =>
  createSandboxApp({
    speed: 1,
    now: () => new Date(),
    state: rememberInMemory(),
    kuaidi100: { customer: 'c', key: 'k' },
    log,
    logRequests: true,
  });
const body = (number: string) => JSON.stringify({ numbers: [{ number, carrier: 'any' }] });
const headers = { 'content-type': 'application/json' };

test('a held-back answer does not delay the stop', async () => {
  const server = await listen(app(), '127.0.0.1', 0);
  const arrived = new Promise((resolve) => server.once('request', resolve));
  const held = fetch(`${urlOf(server)}/track`, { method: 'POST', headers, body: body('SBXTIMEOUT1') });
  const cut = expect(held).rejects.toThrow();
  await arrived;
  // If the stop had waited, there would be an answer.
  await stop(server, 50);
  await cut;
});

test('a port in use is reported in words', async () => {
  const server = await listen(app(), '127.0.0.1', 0);
  const port = Number(new URL(urlOf(server)).port);
  await expect(listen(app(), '127.0.0.1', port)).rejects.toThrow(`Port ${port} is in use. Set PORT to a free port.`);
  await stop(server, 0);
});

test('at debug level each request is one line', async () => {
  const entries: object[] = [];
  const server = await listen(
    app((level, msg, fields) => entries.push({ level, msg, ...fields })),
    '127.0.0.1',
    0,
  );
  await (await fetch(`${urlOf(server)}/healthz`)).text();
  await stop(server);
  expect(entries).toEqual([
    {
      level: 'debug',
      msg: 'request',
      method: 'GET',
      path: '/healthz',
      status: 200,
      finished: true,
      durationMs: expect.any(Number),
    },
  ]);
});

const NEVER = new AbortController().signal;
let server: Server;
let url: string;
const received: string[] = [];
/** Connections that break before their answer. */
let breaking = 0;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push(Buffer.concat(chunks).toString());
    breaking -= 1;
    if (breaking >= 0) request.socket.destroy();
    else response.writeHead(202).end('thanks');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
beforeEach(() => {
  received.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

test('a callback over a connection that breaks is posted once more', async () => {
  breaking = 1;
  expect(await postCallback(url, { body: 'news' }, NEVER)).toEqual({ isOk: true, text: 'thanks' });
  expect(received).toEqual(['news', 'news']);
});

test('a receiver that breaks both connections has not accepted it, and one that stops is not asked again', async () => {
  breaking = 2;
  expect(await postCallback(url, { body: 'news' }, NEVER)).toBeNull();
  expect(received).toHaveLength(2);
  expect(await postCallback(url, { body: 'news' }, AbortSignal.abort())).toBeNull();
  expect(received).toHaveLength(2);
});
