import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postCallback } from './post-callback.ts';

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
