import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { makeAuthority } from '@pts/testing/servers/postgres';
import { textMatching } from '@pts/testing/text-matching';
import { push, resolvingTo, stoppedClock, testServers } from './testing/servers.ts';

const servers = testServers();
afterEach(() => servers.close());

const authority = makeAuthority();
afterAll(() => authority.remove());
const ca = readFileSync(authority.ca, 'utf8');

/** The contents of a new certificate and its key. */
function issue(...args: Parameters<typeof authority.issue>) {
  const { key, cert } = authority.issue(...args);
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

const GOOD = issue('good', 'DNS:hooks.example', '-days', '1');
const OTHER = issue('other', 'DNS:other.example', '-days', '1');
const BY_ADDRESS = issue('address', 'IP:127.0.0.1', '-days', '1');
const EXPIRED = issue('expired', 'DNS:hooks.example', '-days', '-1');

async function httpsServer(pair: { key: string; cert: string }, maxVersion: SecureVersion = 'TLSv1.3') {
  const seen: { host: string | undefined; servername: unknown; isResumed: boolean }[] = [];
  const server = createServer({ ...pair, maxVersion }, (request, response) => {
    const socket = request.socket as TLSSocket & { servername?: unknown };
    seen.push({ host: request.headers.host, servername: socket.servername, isResumed: socket.isSessionReused() });
    request.resume().on('end', () => response.writeHead(200, { Connection: 'close' }).end());
  });
  return { seen, port: await servers.listen(server) };
}

const noAnswer = (reason: RegExp) => ({ kind: 'no_answer', reason: textMatching(reason) });

test.each(['hooks.example', 'hooks.example.', 'HOOKS.example'])(
  '%s is requested by its name at the checked address',
  async (host) => {
    const { port, seen } = await httpsServer(GOOD);
    const { resolver } = resolvingTo('127.0.0.1');
    const sent = await servers.sender({ ca, resolver }).send(push(`https://${host}:${port}/`));
    expect(sent).toMatchObject({ status: 200, trace: { address: '127.0.0.1', tlsMs: expect.any(Number) } });
    expect(seen).toEqual([{ host: `${host.toLowerCase()}:${port}`, servername: 'hooks.example', isResumed: false }]);
  },
);

test('an address needs a certificate for the address', async () => {
  const { port, seen } = await httpsServer(BY_ADDRESS);
  expect(await servers.sender({ ca }).send(push(`https://127.0.0.1:${port}/`))).toMatchObject({ status: 200 });
  expect(seen).toEqual([{ host: `127.0.0.1:${port}`, servername: false, isResumed: false }]);
});

describe.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])('over %s', (version) => {
  test.each([
    ['of an unknown authority', GOOD, '', /^tls: unable to verify|^tls: self-signed|^tls: unable to get/],
    ['of another name', OTHER, ca, /^tls: the certificate is not for this host name$/],
    ['of an address, for a name', BY_ADDRESS, ca, /^tls: the certificate is not for this host name$/],
    ['that has expired', EXPIRED, ca, /^tls: the certificate has expired$/],
  ])('a certificate %s is refused, at every attempt', async (_what, pair, trusted, reason) => {
    const { port, seen } = await httpsServer(pair, version);
    const { resolver } = resolvingTo('127.0.0.1');
    const { send } = servers.sender({ ...(trusted && { ca: trusted }), resolver });
    for (let attempt = 1; attempt <= 3; attempt++)
      expect(await send(push(`https://hooks.example:${port}/`))).toMatchObject(noAnswer(reason));
    expect(seen).toEqual([]);
  });

  test('a session is resumed with a server that proved its name', async () => {
    const { port, seen } = await httpsServer(GOOD, version);
    const { resolver } = resolvingTo('127.0.0.1');
    const { send } = servers.sender({ ca, resolver });
    for (let attempt = 1; attempt <= 2; attempt++)
      expect(await send(push(`https://hooks.example:${port}/`))).toMatchObject({ status: 200 });
    expect(seen.map(({ isResumed }) => isResumed)).toEqual([false, true]);
  });
});

test('TLS 1.1 is refused', async () => {
  const server = createServer({ ...GOOD, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
  const port = await servers.listen(server);
  const { resolver } = resolvingTo('127.0.0.1');
  const sent = await servers.sender({ ca, resolver }).send(push(`https://hooks.example:${port}/`));
  expect(sent).toMatchObject(noAnswer(/^tls: the server does not support TLS 1.2 or newer/));
});

test('a port without TLS has a clear reason', async () => {
  const http = await servers.http((_request, response) => response.end());
  expect(await servers.sender({ ca }).send(push(`https://127.0.0.1:${http.port}/`))).toMatchObject(
    noAnswer(/^tls: the server does not speak TLS on this port$/),
  );
});

test('a port that never answers ends in a timeout', async () => {
  let connected = () => {};
  const requested = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const port = await servers.listen(createTcpServer(() => connected()));
  const clock = stoppedClock();
  const sending = servers.sender({ ca, timeoutMs: 150, ...clock }).send(push(`https://127.0.0.1:${port}/`));
  await requested;
  clock.ring();
  expect(await sending).toMatchObject(noAnswer(/^timeout: /));
});
