import { setMaxListeners } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export type HttpServer = {
  /** Without a slash at the end. */
  url: string;
  /** Ends its connections, too. */
  close(): Promise<void>;
};

/**
 * Starts an HTTP server on a free port of 127.0.0.1. Idle connections stay open: a caller on a busy machine would send
 * its next request on one that is being closed, and fail.
 */
export function serve(answer: RequestListener): Promise<HttpServer> {
  return listen(createServer({ keepAliveTimeout: 0 }, answer));
}

/** Lets a server listen on a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<HttpServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as it came; JSON is left to the reader, so that signatures can be checked over it. */
  rawBody: string;
  at: Date;
};

export type ReceiverAnswer = { status: number; delayMs?: number; headers?: Record<string, string>; body?: string };

export type Receiver = {
  url: string;
  /** In the order of arrival, those that are still waiting for their answer included. */
  requests: ReceivedRequest[];
  close(): Promise<void>;
};

/** A webhook receiver on a free port of 127.0.0.1 that records what it gets and answers 200, or what `respond` says. */
export async function startReceiver(
  options: { respond?: (request: ReceivedRequest) => ReceiverAnswer | Promise<ReceiverAnswer> } = {},
): Promise<Receiver> {
  const { respond = () => ({ status: 200 }) } = options;
  const requests: ReceivedRequest[] = [];
  const closing = new AbortController();
  // Each slow answer listens.
  setMaxListeners(0, closing.signal);
  const server = await serve(async (incoming, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        rawBody: Buffer.concat(chunks).toString('utf8'),
        at: new Date(),
      };
      requests.push(request);
      await answer(response, await respond(request), closing.signal);
    } catch {
      response.destroy(); // the sender has closed the connection, or the test is over
    }
  });
  return {
    url: `${server.url}/hook`,
    requests,
    close: () => {
      closing.abort();
      return server.close();
    },
  };
}

async function answer(
  response: ServerResponse,
  { status, delayMs = 0, headers, body }: ReceiverAnswer,
  closing: AbortSignal,
) {
  if (delayMs > 0) await delay(delayMs, undefined, { signal: closing });
  response.writeHead(status, headers).end(body);
}
