import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '@pts/testing/http-server';
import { type Client, createClient } from '../client.ts';
import type { ClientOptions } from '../request.ts';

export type Requested = { method: string; path: string; headers: IncomingMessage['headers']; body: unknown };
export type Respond = (response: ServerResponse, nth: number, requested: Requested) => void;

export type LocalApi = {
  client: Client;
  /** The requests to the server, in order. */
  requested: Requested[];
  /** How long the client would have waited, in order. */
  waits: number[];
};

/**
 * A service on a free port that answers like this, and a client of it that never waits and whose random numbers are
 * 0.5.
 */
export async function withLocalApi(
  respond: Respond,
  use: (api: LocalApi) => Promise<void>,
  options: Partial<ClientOptions> = {},
): Promise<void> {
  const requested: Requested[] = [];
  const server = await serve(async (request, response) => {
    const body = await text(request).catch(() => '');
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body: body === '' ? undefined : parse(body) };
    requested.push(one);
    respond(response, requested.length, one);
  });
  const waits: number[] = [];
  const client = createClient({
    baseUrl: server.url,
    apiKey: 'tk_1',
    sleep: async (ms) => void waits.push(ms),
    random: () => 0.5,
    ...options,
  });
  try {
    await use({ client, requested, waits });
  } finally {
    await server.close();
  }
}

/** As Safari's: streams without an async iterator. */
export const fetchOfSafari: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  if (response.body) Object.defineProperty(response.body, Symbol.asyncIterator, { value: undefined });
  return response;
};

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
