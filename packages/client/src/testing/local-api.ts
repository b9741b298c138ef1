import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Client, createClient } from '../client.ts';
import type { ClientOptions } from '../wire.ts';

export type Asked = { method: string; path: string; headers: IncomingMessage['headers']; body: unknown };
export type Respond = (response: ServerResponse, nth: number, asked: Asked) => void;

export type LocalApi = {
  client: Client;
  /** The requests to the server, in order. */
  asked: Asked[];
  /** How long the client would have waited, in order. */
  waits: number[];
};

/** A service on a free port that answers like this, and a client of it that never waits and whose random numbers are 0.5. */
export async function withLocalApi(
  respond: Respond,
  use: (api: LocalApi) => Promise<void>,
  options: Partial<ClientOptions> = {},
): Promise<void> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '');
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body: body === '' ? undefined : parse(body) };
    asked.push(one);
    respond(response, asked.length, one);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const waits: number[] = [];
  const client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'tk_1',
    sleep: async (ms) => void waits.push(ms),
    random: () => 0.5,
    ...options,
  });
  try {
    await use({ client, asked, waits });
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

/** An answer in the service's envelope. */
export function envelope(code: number, data: object = {}, message = 'as it is'): string {
  return JSON.stringify({ code, meta: code, message, data });
}

export function answer(response: ServerResponse, data: object): void {
  response.end(envelope(200, data));
}

export const answerNothing: Respond = (response) => answer(response, {});

export function refuse(response: ServerResponse, status: number, code = status, headers: Record<string, string> = {}) {
  response.writeHead(status, headers).end(envelope(code));
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
