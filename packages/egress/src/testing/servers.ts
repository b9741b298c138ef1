import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { parseAllowList } from '@pts/core/url-policy';
import type { StartTimer } from '../exchange.ts';
import { createSender, type Resolver, type Sender } from '../send.ts';

/** Longer than any answer takes here; a test that runs into it has failed. */
export const PATIENT_MS = 30_000;

/** Servers and senders of one test file, closed together. */
export function testServers() {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const senders: Sender[] = [];

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket)).on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  return {
    listen,
    /** A server that sends `answer` unchanged as soon as it has read a whole request; `requests` holds those. */
    async raw(answer: string | Buffer | ((socket: Socket) => unknown)) {
      const requests: string[] = [];
      const port = await listen(
        createTcpServer((socket) => {
          let text = '';
          socket.on('data', (chunk) => {
            text += chunk;
            if (!text.endsWith('}')) return;
            requests.push(text);
            text = '';
            if (typeof answer === 'function') answer(socket);
            else socket.write(answer);
          });
        }),
      );
      return { port, requests, url: `http://127.0.0.1:${port}/hook` };
    },
    async http(answer: RequestListener) {
      const requests: { url: string; headers: NodeJS.Dict<string | string[]> }[] = [];
      const server = createServer((request, response) => {
        request.resume().on('end', () => {
          requests.push({ url: request.url ?? '', headers: request.headers });
          answer(request, response);
        });
      });
      const port = await listen(server);
      return { port, requests, url: `http://127.0.0.1:${port}/hook` };
    },
    sender(
      options: Partial<Parameters<typeof createSender>[0]> & { allow?: string[]; allowHttp?: boolean } = {},
    ): Sender {
      const { timeoutMs = PATIENT_MS, allow = ['127.0.0.1'], allowHttp = true, refusalMs = 1, ...more } = options;
      const sender = createSender({
        policy: { allowHttp, allowed: parseAllowList(allow) },
        timeoutMs,
        refusalMs,
        ...more,
      });
      senders.push(sender);
      return sender;
    },
    async close() {
      await Promise.all(senders.splice(0).map((sender) => sender.close()));
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Every connection that any code of this process tries to open; emptied before each test of the file. */
export function recordDialled(): unknown[] {
  const dialled: unknown[] = [];
  const onDial = (message: unknown) => dialled.push(message);
  beforeAll(() => subscribe('net.client.socket', onDial));
  beforeEach(() => dialled.splice(0));
  afterAll(() => unsubscribe('net.client.socket', onDial));
  return dialled;
}

/** A stopped clock: `ring` fires the timeouts of all pushes so far. */
export function stoppedClock() {
  const timers: (() => void)[] = [];
  const startTimer: StartTimer = (callBack) => {
    timers.push(callBack);
    return setTimeout(() => {}, 0);
  };
  const ring = () => {
    for (const callBack of timers.splice(0)) callBack();
  };
  return { startTimer, ring };
}

export const push = (url: string) => ({
  url,
  headers: { 'Content-Type': 'application/json' },
  body: '{"event":"ping"}',
});

/** A resolver that gives every name these addresses, and remembers what it was asked. */
export const resolvingTo = (...addresses: string[]) => resolving(addresses);

/** A resolver that answers from a table of its own, and remembers what it was asked. */
export function resolving(...answers: string[][]) {
  const requested: string[] = [];
  const resolver: Resolver = (hostname, _options, callback) => {
    const addresses = answers[Math.min(requested.length, answers.length - 1)] ?? [];
    requested.push(hostname);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { resolver, requested };
}
