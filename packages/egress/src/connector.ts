import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Address, Connection, Line } from './connection.ts';
import { RefusedAddress, TooMuch } from './faults.ts';
import { type LookUpOptions, lookUp } from './look-up.ts';
import { type EgressProxy, tunnel } from './proxy.ts';

export type ConnectorOptions = LookUpOptions & {
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
export function createConnector(options: ConnectorOptions): (line: Line) => buildConnector.connector {
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
