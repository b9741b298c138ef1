import { createSandboxApp } from './app.ts';
import { rememberInMemory } from './first-requests.ts';
import type { Log } from './log.ts';
import { listen, stop, urlOf } from './server.ts';

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

test('a port in use is reported in one sentence', async () => {
  const server = await listen(app(), '127.0.0.1', 0);
  const port = Number(new URL(urlOf(server)).port);
  await expect(listen(app(), '127.0.0.1', port)).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use; set PORT to a free port.`,
  );
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
