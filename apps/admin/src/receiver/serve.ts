import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type Refused, type Verified, verify } from '@pts/webhook-verifier/verify';
import { Problem } from '../command-line/problem.ts';
import { type Content, readBody } from './body.ts';
import { answerTo, type Faults, type ReceiverAnswer } from './faults.ts';
import { createMemory, type Memory } from './memory.ts';

/** A received push and its result. */
export type Arrival = Content & {
  at: Date;
  /** Null without a secret. */
  verdict: Verified | Refused | null;
  attempt: string | null;
  messageId: string | null;
  isDuplicate: boolean;
  /** The `seq` of a newer event of this parcel that arrived before; null if there is none. */
  newerSeq: number | null;
  answer: ReceiverAnswer;
  delaySeconds: number;
};

export type Listener = {
  arrived(arrival: Arrival): void;
  /** The sender disconnected before the response. */
  gaveUp(arrival: Arrival, afterMs: number): void;
  /** A request that is not a push. */
  stray(request: { method: string; path: string }): void;
};

export type ServeOptions = { host: string; port: number; faults: Faults; now(): Date; listener: Listener };

export type LocalReceiver = {
  port: number;
  /** Sets the secrets; with none, nothing is verified. Until then, pushes are refused so that they are retried. */
  trust(secrets: readonly string[]): void;
  close(): Promise<void>;
};

/** A receiver that answers as in spec section 6.3, or with simulated faults, and reports each push. */
export async function serve(options: ServeOptions): Promise<LocalReceiver> {
  const memory = createMemory();
  const closing = new AbortController();
  let secrets: readonly string[] | null = null;
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy()); // the sender hung up, or we are closing
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = request;
    const rawBody = await buffer(request);
    if (method !== 'POST') {
      options.listener.stray({ method, path });
      return void response.writeHead(405, { Allow: 'POST' }).end('Pushes are sent with POST.\n');
    }
    if (secrets === null) return void response.writeHead(503).end();
    const arrival = look(request, rawBody, secrets, memory, options);
    options.listener.arrived(arrival);
    await respond(response, arrival, options.listener, closing.signal);
  }

  const port = await listen(server, options.host, options.port);
  return {
    port,
    trust: (given) => {
      secrets = given;
    },
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function look(
  { headers }: IncomingMessage,
  rawBody: Buffer,
  secrets: readonly string[],
  memory: Memory,
  { now, faults }: ServeOptions,
): Arrival {
  const at = now();
  const verdict = secrets.length === 0 ? null : verify(headers, rawBody, secrets, { now: at });
  const content = readBody(rawBody);
  const messageId = headers['x-webhook-id']?.toString() ?? null;
  const { nth, isDuplicate } = memory.attemptOf(messageId);
  const newest = memory.newestSeq(content.parcel.id);
  const isStale = !isDuplicate && newest !== null && content.seq !== null && content.seq < newest;
  const { answer, delaySeconds } = answerTo(verdict?.ok === false ? verdict.status : 200, nth, faults);
  // Only verified pushes are remembered.
  const isAccepted = verdict?.ok !== false && typeof answer === 'number' && answer < 300;
  if (isAccepted) memory.accept(messageId, content.parcel.id, content.seq);
  return {
    ...content,
    event: content.event ?? headers['x-webhook-event']?.toString() ?? null,
    at,
    verdict,
    messageId,
    isDuplicate,
    answer,
    delaySeconds,
    attempt: headers['x-webhook-attempt']?.toString() ?? null,
    newerSeq: isStale ? newest : null,
  };
}

async function respond(response: ServerResponse, arrival: Arrival, { gaveUp }: Listener, closing: AbortSignal) {
  const startedAt = performance.now();
  const left = new AbortController();
  response.once('close', () => {
    if (response.writableFinished || closing.aborted || arrival.answer === 'reset') return;
    left.abort();
    gaveUp(arrival, Math.round(performance.now() - startedAt));
  });
  const signal = AbortSignal.any([left.signal, closing]);
  if (arrival.delaySeconds > 0) await delay(arrival.delaySeconds * 1000, undefined, { signal });
  if (arrival.answer === 'hang') return;
  if (arrival.answer === 'reset') return void response.socket?.resetAndDestroy();
  const { verdict, answer } = arrival;
  response.writeHead(answer).end(answer < 300 ? undefined : verdict?.ok === false ? verdict.message : 'playing broken');
}

/** @returns the port. @throws Problem if it cannot listen on the address */
function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Problem(explain(error, host, port))));
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

function explain({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use. Stop the program that uses it, or set --port (0 for a free one).`;
  if (code === 'EACCES') return `Port ${port} needs privileges. Set --port to 1024 or higher.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine. Set --host to 127.0.0.1, or 0.0.0.0 for all.`;
  return `Cannot listen on port ${port} of ${host}: ${message}`;
}
