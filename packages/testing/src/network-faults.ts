import { once } from 'node:events';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { serve } from './http-server.ts';

export type Gate = {
  /** The server's address, through the gate. */
  url: string;
  set(state: GateState): void;
  /** Breaks every connection, now; new ones get through as before. */
  cut(): void;
  /** Breaks every connection, now; new ones reach this server instead. */
  redirect(serverUrl: string): void;
  /** Connections refused so far. */
  refused(): number;
  close(): Promise<void>;
};
/**
 * `open` lets everything through; `shut` cuts every connection and refuses new ones; `mute` takes them and never
 * answers. `half-open` never answers on the connections there are, for good, and lets new ones through.
 */
export type GateState = 'open' | 'shut' | 'mute' | 'half-open';

/** Stands between a test and one of its servers, so that the server can be away for this test alone. */
export async function startGate(serverUrl: string, defaultPort: number): Promise<Gate> {
  const targetOf = (url: string) => {
    const { hostname, port } = new URL(url);
    return { host: hostname, port: Number(port || defaultPort) };
  };
  let target = targetOf(serverUrl);
  const sockets = new Set<Socket>();
  const deaf = new WeakSet<Socket>();
  let state: GateState = 'open';
  let refused = 0;

  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    return socket;
  };
  const listener = createServer((incoming) => {
    track(incoming);
    if (state === 'shut') {
      refused += 1;
      return void incoming.destroy();
    }
    const upstream = track(connect(target));
    const passes = () => state !== 'mute' && !deaf.has(incoming);
    incoming.once('close', () => upstream.destroy());
    upstream.once('close', () => passes() && incoming.destroy());
    incoming.on('data', (bytes) => passes() && upstream.write(bytes));
    upstream.on('data', (bytes) => passes() && incoming.write(bytes));
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new Error('the gate has no port');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    set: (next) => {
      // Unanswered data is lost with its connection, which would otherwise continue in the middle of a message.
      if (next === 'shut' || (next === 'open' && state !== 'half-open')) cut();
      if (next === 'half-open') for (const socket of sockets) deaf.add(socket);
      state = next;
    },
    cut,
    redirect: (to) => {
      target = targetOf(to);
      cut();
    },
    refused: () => refused,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        cut();
      }),
  };
}

/** A network link to a server that can lose every packet. */
export type Link = {
  /** The server's address, over this link. */
  url: string;
  /** Drops all data, in both directions, without closing anything; connections that are made now get no answer. */
  mute(): void;
  /** Lets new connections through. Those that were mute stay so: what was lost does not come again. */
  unmute(): void;
  /** Whether any bytes were lost since it was last muted. */
  hasLost(): boolean;
  close(): Promise<void>;
};

/** Makes a link to the server of a URL, on a port of its own. */
export async function startLink(url: string, defaultPort = 5432): Promise<Link> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isMute = false;
  let hasLost = false;
  let muteCount = 0;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    return socket;
  };
  const listener = createServer((near) => {
    track(near);
    const far = track(connect(Number(target.port || defaultPort), target.hostname));
    const bornIn = muteCount;
    const isLost = () => isMute || bornIn !== muteCount;
    const forward = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        if (isLost()) hasLost = true;
        else to.write(bytes);
      });
      from.once('close', () => void (isLost() || to.destroy()));
    };
    forward(near, far);
    forward(far, near);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const here = new URL(url);
  here.host = `127.0.0.1:${(listener.address() as { port: number }).port}`;
  return {
    url: here.href,
    mute: () => {
      isMute = true;
      hasLost = false;
      muteCount += 1;
    },
    unmute: () => {
      isMute = false;
      muteCount += 1;
    },
    hasLost: () => hasLost,
    close: async () => {
      const closed = once(listener.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A TCP relay to a server, which can be cut. */
export type Relay = {
  /** The server's address, through the relay. */
  url: string;
  /** Breaks every connection, and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
};

/** Starts a relay to the server of a URL, on a fixed port. */
export async function startRelay(url: string): Promise<Relay> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.pipe(to);
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      join(near, far);
      join(far, near);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  };
  let server = await listen(0);
  const { port } = server.address() as { port: number };
  const here = new URL(url);
  here.host = `127.0.0.1:${port}`;
  const cut = async () => {
    const closed = server.listening ? once(server.close(), 'close') : null;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: here.href,
    cut,
    restore: async () => {
      server = await listen(port);
    },
    close: cut,
  };
}

/**
 * The kinds of outages of a provider: too many calls, a broken server, no answer at all, something unreadable, or 200
 * MiB.
 */
export type OutageKind = '429' | '500' | 'hang' | 'garbage' | 'huge';

export type OutageSwitch = {
  url: string;
  /** Puts a provider, by the first part of the path, into outage; null ends it. */
  set(provider: string, outage: OutageKind | null): void;
  /** Calls of a provider that were passed on, and those that met its outage. */
  calls(provider: string): { passed: number; failed: number };
  close(): Promise<void>;
};

const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;
const HUGE_BYTES = 200 * MIB;

/**
 * Stands in front of a server that plays providers, and answers for those with an outage.
 * @param onPassed is called with each provider whose call got the whole answer of that server.
 */
export async function startOutageSwitch(
  target: () => string,
  onPassed: (provider: string) => void = () => {},
): Promise<OutageSwitch> {
  const outages = new Map<string, OutageKind>();
  const counts = new Map<string, { passed: number; failed: number }>();
  const callsOf = (provider: string) => {
    const count = counts.get(provider) ?? { passed: 0, failed: 0 };
    counts.set(provider, count);
    return count;
  };
  const { url, close } = await serve((request, response) => {
    const [, provider = ''] = (request.url ?? '').split('/');
    const outage = outages.get(provider);
    callsOf(provider)[outage === undefined ? 'passed' : 'failed'] += 1;
    if (outage !== undefined) return fail(outage, request, response);
    response.once('finish', () => onPassed(provider));
    pass(target(), request, response);
  });
  return {
    url,
    set: (provider, outage) => void (outage === null ? outages.delete(provider) : outages.set(provider, outage)),
    calls: (provider) => ({ ...callsOf(provider) }),
    close,
  };
}

function pass(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = request;
  const onward = forward(`${target}${url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => {}); // if one side closes, so does the other
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function fail(outage: OutageKind, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (outage === 'hang') return;
  if (outage === 'garbage') response.writeHead(200, JSON_TYPE).end('{"results":[{"num\u0000 <html>');
  else if (outage === 'huge') sendHuge(response).catch(() => response.destroy());
  else response.writeHead(Number(outage), { 'content-type': 'text/plain' }).end('outage');
}

/** Valid JSON, as far as anybody reads. */
async function sendHuge(response: ServerResponse): Promise<void> {
  response.writeHead(200, JSON_TYPE).write('{"results":["');
  const part = Buffer.alloc(MIB, 'x');
  const left = once(response, 'close');
  left.catch(() => {}); // it is asked for only while the caller reads slowly
  for (let sent = 0; sent < HUGE_BYTES && !response.destroyed; sent += MIB)
    if (!response.write(part)) await Promise.race([once(response, 'drain'), left]);
  response.end('"]}');
}
