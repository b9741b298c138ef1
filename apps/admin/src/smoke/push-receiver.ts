import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Refused, type Verified, verify } from '@pts/webhook-verifier/verify';
import { Problem } from '../command-line/problem.ts';

/** A verified push and the parts of its body that identify it. */
export type Push = {
  verdict: Verified | Refused;
  body: { event?: string; data?: { id?: string; webhook_id?: string } };
};

export type ReceiverOptions = {
  /** Address to listen on. */
  host: string;
  /** Use any free port if this one is in use. */
  port: number;
  /** The URL under which the service reaches us, if it differs. */
  url: string | null;
};

export type Receiver = {
  url: string;
  /** In the order of arrival. */
  pushes: readonly Push[];
  /** Sets the secret. Until then, pushes are refused so that they are retried. */
  trust(secret: string): void;
  close(): Promise<void>;
};

/** A merchant's receiver: verifies each push, and answers 200, 400 or 401 accordingly (spec section 6.3). */
export async function startReceiver({ host, port, url }: ReceiverOptions): Promise<Receiver> {
  const pushes: Push[] = [];
  let secret: string | null = null;
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy()); // the sender hung up
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rawBody = await buffer(request);
    if (secret === null) return void response.writeHead(503).end();
    const verdict = verify(request.headers, rawBody, secret);
    pushes.push({ verdict, body: parse(rawBody) });
    response.writeHead(verdict.ok ? 200 : verdict.status).end(verdict.ok ? 'received' : verdict.message);
  }

  const bound = await listen(server, host, port);
  return {
    url: url ?? `http://${host.includes(':') ? `[${host}]` : host}:${bound}/smoke`,
    pushes,
    trust: (value) => {
      secret = value;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parse(rawBody: Buffer): Push['body'] {
  try {
    return JSON.parse(rawBody.toString('utf8')) ?? {};
  } catch {
    return {};
  }
}

/** @returns the port. @throws Problem if it cannot listen on the address */
async function listen(server: Server, host: string, port: number): Promise<number> {
  const error = await tryListen(server, host, port);
  if (error?.code === 'EADDRINUSE' && port !== 0) return listen(server, host, 0);
  if (error) throw new Problem(`The receiver cannot listen on ${host} (--receiver-host): ${error.message}`);
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

function tryListen(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => {
      server.off('error', resolve);
      resolve(null);
    });
  });
}
