import { lookup as systemLookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls, rootCertificates } from 'node:tls';
import { isProxyUrl, PROXY_URL_FORM } from '@pts/core/settings';
import { type AllowList, refuseAddress } from '@pts/core/url-policy';
import type { buildConnector } from 'undici';

type ConnectorOptions = LookUpOptions & {
  proxy?: EgressProxy | undefined;
  /** PEM certificates that are trusted in addition to the well-known ones. */
  ca?: string | undefined;
};

/** The maximum number of bytes of one response on the wire: headers, excerpt, and chunk overhead. */
const ANSWER_BYTES = 262_144;
/** How long to try one of several addresses before the next; Node's 250 ms is too short for a distant receiver. */
const ADDRESS_MS = 1000;

/**
 * Makes the connections of one receiver: resolves the name once, checks every address, connects to a checked one,
 * then starts TLS with the name. Each step is timed. The exchange limits the total time.
 */
export function createConnector(options: ConnectorOptions): (line: ConnectionLine) => buildConnector.connector {
  const sessions: { latest?: Buffer } = {};
  return (line) => (request, callback) => {
    const giveUp = new AbortController();
    const connection: Connection = {
      stage: 'dns',
      address: null,
      dnsMs: null,
      connectMs: null,
      tlsMs: null,
      socket: null,
      bytesBefore: 0,
      isUsed: false,
      giveUp: (why) => giveUp.abort(why),
    };
    line.connection = connection;
    open(options, connection, request, sessions, giveUp.signal).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

type Request = Pick<buildConnector.Options, 'hostname' | 'port' | 'protocol'>;

async function open(
  options: ConnectorOptions,
  connection: Connection,
  { hostname, port, protocol }: Request,
  sessions: { latest?: Buffer },
  signal: AbortSignal,
): Promise<Socket> {
  const isTls = protocol === 'https:';
  const lookUpFrom = performance.now();
  const addresses = await lookUp(hostname, options, signal);
  // Unknown for a name that cannot be used: like the time of the whole attempt, it would say why.
  connection.dnsMs = since(lookUpFrom);
  const connectFrom = performance.now();
  const portNumber = Number(port) || (isTls ? 443 : 80);
  const socket = options.proxy
    ? await tunnel(options.proxy, addresses, portNumber, connection, signal)
    : await dial(addresses, hostname, portNumber, connection, signal);
  connection.connectMs = since(connectFrom);
  const tlsFrom = performance.now();
  const secured = isTls ? await secure(socket, hostname, options.ca, connection, sessions, signal) : socket;
  if (isTls) connection.tlsMs = since(tlsFrom);
  connection.stage = 'open';
  return guarded(secured, connection);
}

const since = (from: number) => Math.round(performance.now() - from);

/** Connects to one of the checked addresses; Node gets the addresses and resolves nothing itself. */
async function dial(addresses: Address[], hostname: string, port: number, connection: Connection, signal: AbortSignal) {
  connection.stage = 'connect';
  connection.address = addresses[0]?.address ?? null;
  const lookup = ((_hostname, { all }: { all?: boolean }, done: (...answer: unknown[]) => void) =>
    all ? done(null, addresses) : done(null, addresses[0]?.address, addresses[0]?.family)) as LookupFunction;
  const socket = connectTcp({
    host: hostname,
    port,
    lookup,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    autoSelectFamily: addresses.length > 1,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
  });
  await settled(socket, 'connect', signal);
  const { remoteAddress } = socket;
  if (!isIP(hostname) && !addresses.some(({ address }) => address === remoteAddress))
    throw destroyed(socket, new RefusedAddress(`${hostname} resolved to an address that was not checked`));
  connection.address = remoteAddress ?? connection.address;
  return socket;
}

/** Starts TLS with the requested name, over a connection to a checked address. */
async function secure(
  socket: Socket,
  hostname: string,
  ca: string | undefined,
  connection: Connection,
  sessions: { latest?: Buffer },
  signal: AbortSignal,
): Promise<Socket> {
  connection.stage = 'tls';
  const name = hostname.replace(/\.$/, '');
  const secured = connectTls({
    socket,
    host: name,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    ...(isIP(name) === 0 && { servername: name }),
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    ...(sessions.latest && { session: sessions.latest }),
  });
  // Only sessions of a server with a verified name are resumed: Node does not check the name of a resumed session.
  const remember = (session: Buffer) => {
    sessions.latest = session;
  };
  try {
    await settled(secured, 'secureConnect', signal);
  } catch (error) {
    delete sessions.latest;
    throw error;
  }
  const session = secured.getProtocol() === 'TLSv1.2' ? secured.getSession() : undefined;
  if (session) remember(session);
  secured.on('session', remember);
  return secured;
}

function settled(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const stop = () => fail(destroyed(socket, signal.reason));
    socket.once(event, () => {
      signal.removeEventListener('abort', stop);
      done();
    });
    // Not removed: nothing else listens for an error between this step and the next.
    socket.on('error', (error) => fail(destroyed(socket, error)));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function destroyed<E extends Error>(socket: Socket, error: E): E {
  socket.destroy();
  return error;
}

/** Closes the connection if chunk extensions or trailers alone exceed the response limit. */
function guarded(socket: Socket, connection: Connection): Socket {
  connection.socket = socket;
  socket.on('readable', () => {
    if (socket.bytesRead - connection.bytesBefore > ANSWER_BYTES)
      socket.destroy(new TooMuch('the answer does not end'));
  });
  return socket;
}

/** The stage of a connection. `proxy` is the connection to our own proxy, `tunnel` its CONNECT request. */
export type Stage = 'dns' | 'connect' | 'proxy' | 'tunnel' | 'tls' | 'open';

export type Connection = {
  stage: Stage;
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  socket: Socket | null;
  /** The bytes that had been read when the latest exchange began. */
  bytesBefore: number;
  isUsed: boolean;
  /** Aborts connecting; does nothing once connected. */
  giveUp(why: Error): void;
};

/** A slot for a connection to a receiver, and its current connection. */
export type ConnectionLine = { connection: Connection | null };

type Address = { address: string; family: number };

export type Resolver = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: Address[]) => void,
) => void;

type LookUpOptions = {
  allowed: AllowList;
  resolver?: Resolver | undefined;
  /** A name that cannot be used fails at a multiple of this time. */
  refusalMs?: number | undefined;
};

/** Longer than a lookup takes in one network. */
const REFUSAL_MS = 500;

/**
 * The addresses of a name, all checked: one refused address refuses them all. A name that does not resolve and a name
 * inside our network fail at the same times: otherwise the time would tell them apart.
 * @throws RefusedAddress, or the resolver's error.
 */
async function lookUp(hostname: string, options: LookUpOptions, signal: AbortSignal): Promise<Address[]> {
  const { refusalMs = REFUSAL_MS } = options;
  const from = performance.now();
  try {
    return await judged(hostname, options, signal);
  } catch (fault) {
    await delay(refusalMs - ((performance.now() - from) % refusalMs), null, { signal });
    throw fault;
  }
}

async function judged(hostname: string, options: LookUpOptions, signal: AbortSignal): Promise<Address[]> {
  const literal = isIP(hostname);
  const addresses = literal
    ? [{ address: hostname, family: literal }]
    : await resolve(hostname, options.resolver ?? systemLookup, signal);
  const isNamed = options.allowed.names.includes(hostname.replace(/\.{1,255}$/, '').toLowerCase());
  for (const { address } of addresses) {
    const refused = refuseAddress(address, options.allowed, isNamed);
    if (refused !== null) throw new RefusedAddress(`${hostname} resolves to a refused address: ${refused}`);
  }
  if (addresses.length === 0) throw new RefusedAddress(`${hostname} resolves to no address`);
  return addresses.map(({ address }) => ({ address, family: isIP(address) }));
}

function resolve(hostname: string, resolver: Resolver, signal: AbortSignal): Promise<Address[]> {
  return new Promise((done, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
    resolver(hostname, { all: true }, (error, addresses) => (error ? fail(error) : done(addresses)));
  });
}

/** A proxy that all pushes leave through. */
type EgressProxy = { isTls: boolean; host: string; port: number; authorization: string | null; ca?: string };

/**
 * @param url http(s)://[user:password@]host[:port].
 * @throws an Error that does not repeat it: it may hold a password.
 */
export function parseProxy(url: string): EgressProxy {
  if (!isProxyUrl(url)) throw new Error(`The egress proxy URL must have the form ${PROXY_URL_FORM}`);
  const parsed = new URL(url);
  const isTls = parsed.protocol === 'https:';
  const credentials = [parsed.username, parsed.password].map(decodeURIComponent).join(':');
  return {
    isTls,
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port) || (isTls ? 443 : 80),
    authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/**
 * Lets the proxy connect to a checked address, never to a name, so that it resolves nothing. A failure of the proxy
 * (4xx, no answer, an invalid answer) is an internal error; a 5xx means that it could not reach the receiver.
 */
function tunnel(
  proxy: EgressProxy,
  addresses: Address[],
  port: number,
  connection: Connection,
  signal: AbortSignal,
): Promise<Socket> {
  // One address is tried, preferably IPv4: the proxy's network may have nothing else.
  const address = (addresses.find(({ family }) => family === 4) ?? addresses[0])?.address ?? '';
  const authority = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  connection.stage = 'proxy';
  connection.address = address;
  return new Promise((resolve, reject) => {
    const fault = (words: string) => reject(new ProxyFault(`the egress proxy ${words}`));
    const tls = { ALPNProtocols: ['http/1.1'], ...(proxy.ca !== undefined && { ca: proxy.ca }) };
    const request = (proxy.isTls ? requestHttps : requestHttp)({
      host: proxy.host,
      port: proxy.port,
      method: 'CONNECT',
      path: authority,
      agent: false,
      signal,
      maxHeaderSize: 16_384,
      ...tls,
      headers: { Host: authority, ...(proxy.authorization && { 'Proxy-Authorization': proxy.authorization }) },
    });
    request.on('socket', (socket) => {
      socket.once(proxy.isTls ? 'secureConnect' : 'connect', () => {
        connection.stage = 'tunnel';
      });
    });
    request.on('connect', ({ statusCode = 0 }, stream, head) => {
      const socket = stream as Socket;
      socket.on('error', () => {});
      if (statusCode >= 200 && statusCode <= 299) {
        if (head.length > 0) socket.unshift(head);
        socket.setNoDelay(true);
        return resolve(socket);
      }
      socket.destroy();
      if (statusCode >= 500)
        return reject(new BehindProxy(`the receiver could not be reached (the egress proxy says ${statusCode})`));
      fault(`answered ${statusCode}`);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted && connection.stage === 'tunnel') return reject(new TimeIsOver());
      fault(signal.aborted ? 'does not answer' : `failed: ${error.code ?? error.message}`);
    });
    request.end();
  });
}

/** A resolved address that the policy refuses. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/** The total timeout has expired. */
export class TimeIsOver extends Error {
  override readonly name = 'TimeIsOver';
}

/** A response that exceeds the limit. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/** The egress proxy could not reach the receiver. */
export class BehindProxy extends Error {
  override readonly name = 'BehindProxy';
}

/** The egress proxy is broken or refuses us: an internal error, which `send` throws. */
export class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
}
