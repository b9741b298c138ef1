import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '@pts/client/cli/kit';
import type { TrackingEvent } from '@pts/core/tracking/scan';
import { type Refused, type Verified, verify } from '@pts/webhook-verifier/verify';
import { LRUCache } from 'lru-cache';

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

type ServeOptions = {
  host: string;
  port: number;
  /** Use a free port if this one is in use. */
  orAnyPort: boolean;
  /** The beginning of the options that set host and port, for messages. */
  flags: '--' | '--receiver-';
  faults: Faults;
  now(): Date;
  listener: Listener;
};

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

  const port = await listen(server, options);
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
  memory: ReturnType<typeof createMemory>,
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

/** @returns the port. @throws CommandError if it cannot listen on the address */
function listen(server: Server, options: ServeOptions): Promise<number> {
  const { host, port, orAnyPort } = options;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (orAnyPort && error.code === 'EADDRINUSE') resolve(listen(server, { ...options, port: 0, orAnyPort: false }));
      else reject(new CommandError(explain(error, options)));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

function explain({ code, message }: NodeJS.ErrnoException, { host, port, flags }: ServeOptions): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use. Stop the program that uses it, or set ${flags}port (0 for a free one).`;
  if (code === 'EACCES') return `Port ${port} needs privileges. Set ${flags}port to 1024 or higher.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine. Set ${flags}host to 127.0.0.1, or 0.0.0.0 for all.`;
  return `Cannot listen on port ${port} of ${host}: ${message}`;
}

/** The contents of a push as far as they can be parsed: the receiver shows anything. */
type Content = {
  event: string | null;
  parcel: { id: string | null; number: string | null; status: string | null; subStatus: string | null };
  /** The sequence number of the event within its parcel. */
  seq: number | null;
  latest: TrackingEvent | null;
  /** The parsed body, or its text if it is not JSON. */
  body: unknown;
};

type Fields = Record<string, unknown>;

function readBody(rawBody: Uint8Array): Content {
  const body = parse(Buffer.from(rawBody).toString('utf8'));
  const fields = fieldsOf(body);
  const data = fieldsOf(fields.data);
  return {
    event: text(fields.event),
    parcel: {
      id: text(data.id),
      number: text(data.tracking_number),
      status: text(data.status),
      subStatus: text(data.sub_status),
    },
    seq: typeof data.seq === 'number' ? data.seq : null,
    latest: latestOf(data.events),
    body,
  };
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The newest event by time; of several with the same time, the last in the list. */
function latestOf(events: unknown): TrackingEvent | null {
  if (!Array.isArray(events)) return null;
  const read = events.map(fieldsOf).map(({ time, location, description, status }) => ({
    time: text(time) ?? '',
    location: text(location) ?? '',
    description: text(description) ?? '',
    status: text(status) ?? '',
  }));
  return read.reduce<TrackingEvent | null>((last, event) => (last && last.time > event.time ? last : event), null);
}

/** The response: an HTTP status, none, or a reset connection. */
type ReceiverAnswer = number | 'hang' | 'reset';

/** The faults that the receiver simulates. */
export type Faults = {
  /** Instead of the right response; null for the right one. */
  answer: ReceiverAnswer | null;
  /** The delay before each response. */
  delaySeconds: number;
  /** Only for this many first attempts of each message; null for all. */
  first: number | null;
};

/** The response to the n-th attempt of a message, from 1. */
function answerTo(right: number, nth: number, faults: Faults): { answer: ReceiverAnswer; delaySeconds: number } {
  if (faults.first !== null && nth > faults.first) return { answer: right, delaySeconds: 0 };
  return { answer: faults.answer ?? right, delaySeconds: faults.delaySeconds };
}

/** Enough for hours of testing. */
const BOUND = { max: 100_000 };

/** Records earlier pushes, to detect duplicates and outdated states. */
function createMemory() {
  const attempts = new LRUCache<string, number>(BOUND);
  const accepted = new LRUCache<string, true>(BOUND);
  const newest = new LRUCache<string, number>(BOUND);
  return {
    /** Records an attempt. @returns its number within its message, from 1, and whether an earlier one was accepted. */
    attemptOf(messageId: string | null) {
      if (messageId === null) return { nth: 1, isDuplicate: false };
      const nth = (attempts.get(messageId) ?? 0) + 1;
      attempts.set(messageId, nth);
      return { nth, isDuplicate: accepted.has(messageId) };
    },
    /** Records an accepted message and the parcel's state in it. */
    accept(messageId: string | null, parcelId: string | null, seq: number | null) {
      if (messageId !== null) accepted.set(messageId, true);
      if (parcelId !== null && seq !== null) newest.set(parcelId, Math.max(seq, newest.get(parcelId) ?? seq));
    },
    /** The highest `seq` among the accepted events of a parcel; null if there is none. */
    newestSeq: (parcelId: string | null) => (parcelId === null ? null : (newest.get(parcelId) ?? null)),
  };
}
