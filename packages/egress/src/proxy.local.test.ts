import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@pts/testing/eventually';
import { textMatching } from '@pts/testing/text-matching';
import { parseProxy } from './connect.ts';
import { push, resolvingTo, stoppedClock, testServers } from './testing/servers.ts';

const servers = testServers();
afterEach(() => servers.close());

const folder = mkdtempSync(join(tmpdir(), 'egress-proxy-'));
afterAll(() => rmSync(folder, { recursive: true }));
const subject = ['-subj', '/CN=hooks.example', '-addext', 'subjectAltName=DNS:hooks.example,IP:127.0.0.1'];
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
execFileSync('openssl', ['req', '-x509', ...newKey, '-keyout', 'key.pem', '-out', 'cert.pem', ...subject], {
  cwd: folder,
  stdio: 'pipe',
});
const pair = { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'cert.pem'), 'utf8') };

/** A real proxy for CONNECT. With `answer`, it sends that instead of connecting. */
async function startProxy(answer?: (request: IncomingMessage) => string | null, isTls = false) {
  const requested: { target: string; authorization: string | undefined }[] = [];
  const server = isTls ? createHttpsServer(pair) : createServer();
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const target = request.url ?? '';
    requested.push({ target, authorization: request.headers['proxy-authorization'] });
    client.on('error', () => {});
    const instead = answer?.(request) ?? null;
    if (instead !== null) return void client.end(instead);
    const upstream = connect(Number(target.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  const port = await servers.listen(server);
  return { requested, port, url: `${isTls ? 'https' : 'http'}://127.0.0.1:${port}` };
}

test.each([false, true])(
  'a push goes to the checked address through the proxy (TLS to the proxy: %s)',
  async (isTls) => {
    const proxy = await startProxy(undefined, isTls);
    const { port, requests } = await servers.http((_request, response) => response.end('ok'));
    const { resolver, requested } = resolvingTo('127.0.0.1');
    const { send } = servers.sender({ proxyUrl: proxy.url, resolver, ca: pair.cert });
    const sent = await send(push(`http://hooks.example:${port}/a?b`));
    expect(sent).toMatchObject({ status: 200, excerpt: 'ok', trace: { address: '127.0.0.1', reused: false } });
    expect(await send(push(`http://hooks.example:${port}/a?b`))).toMatchObject({
      status: 200,
      trace: { reused: true },
    });
    expect(proxy.requested).toEqual([{ target: `127.0.0.1:${port}`, authorization: undefined }]);
    expect(requested).toEqual(['hooks.example']);
    expect(requests).toMatchObject([{ url: '/a?b', headers: { host: `hooks.example:${port}` } }, {}]);
    expect(requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  },
);

test.each([false, true])('https goes through it to the receiver itself (TLS to the proxy: %s)', async (isTls) => {
  const proxy = await startProxy(undefined, isTls);
  const seen: unknown[] = [];
  const port = await servers.listen(
    createHttpsServer(pair, (request, response) => {
      seen.push([(request.socket as unknown as { servername: string }).servername, request.headers.host]);
      response.end();
    }),
  );
  const { resolver } = resolvingTo('127.0.0.1');
  const url = push(`https://hooks.example:${port}/`);
  const sent = await servers.sender({ proxyUrl: proxy.url, resolver, ca: pair.cert }).send(url);
  expect(sent).toMatchObject({ status: 200, trace: { address: '127.0.0.1', tlsMs: expect.any(Number) } });
  expect(seen).toEqual([['hooks.example', `hooks.example:${port}`]]);
  if (isTls) return;
  expect(await servers.sender({ proxyUrl: proxy.url, resolver }).send(url)).toMatchObject({
    reason: textMatching(/^tls: self-signed certificate/),
  });
});

test('a proxy gets its user name and password', async () => {
  const proxy = await startProxy();
  const { url } = await servers.http((_request, response) => response.end());
  const proxyUrl = proxy.url.replace('//', '//ann:p%40ss@');
  expect(await servers.sender({ proxyUrl }).send(push(url))).toMatchObject({ status: 200 });
  expect(proxy.requested[0]?.authorization).toBe(`Basic ${Buffer.from('ann:p@ss').toString('base64')}`);
});

test.each([['10.0.0.1'], ['169.254.169.254'], ['::1'], ['8.8.8.8', '10.0.0.1']])(
  'a name that resolves to %s is refused before the proxy is contacted',
  async (...addresses) => {
    const proxy = await startProxy();
    const { resolver } = resolvingTo(...addresses);
    const { send } = servers.sender({ proxyUrl: proxy.url, resolver, allow: [] });
    expect(await send(push('http://hooks.example/'))).toMatchObject({ reason: textMatching(/^dns: /) });
    expect(await send(push('http://10.0.0.1/'))).toMatchObject({ reason: textMatching(/^blocked: /) });
    expect(proxy.requested).toEqual([]);
  },
);

test('the proxy gets an IPv4 address where there is one, and otherwise an IPv6 address in brackets', async () => {
  const proxy = await startProxy(() => 'HTTP/1.1 502 Bad Gateway\r\n\r\n');
  const both = resolvingTo('2606:4700::1111', '1.1.1.1');
  await servers.sender({ proxyUrl: proxy.url, resolver: both.resolver }).send(push('http://hooks.example/'));
  const six = resolvingTo('2606:4700::1111');
  await servers.sender({ proxyUrl: proxy.url, resolver: six.resolver }).send(push('https://hooks.example/'));
  expect(proxy.requested.map(({ target }) => target)).toEqual(['1.1.1.1:80', '[2606:4700::1111]:443']);
});

test.each([500, 502, 503, 504])('a receiver that the proxy cannot reach (%i) has not answered', async (status) => {
  const proxy = await startProxy(() => `HTTP/1.1 ${status} No\r\n\r\n`);
  expect(await servers.sender({ proxyUrl: proxy.url }).send(push('http://127.0.0.1:8443/'))).toMatchObject({
    kind: 'no_answer',
    reason: 'connection: the receiver could not be reached',
    detail: `the receiver could not be reached (the egress proxy says ${status})`,
    trace: { address: '127.0.0.1' },
  });
});

test('a receiver that never answers the proxy runs into the timeout', async () => {
  const requested: IncomingMessage[] = [];
  const server = createServer().on('connect', (request: IncomingMessage) => requested.push(request));
  const proxyUrl = `http://127.0.0.1:${await servers.listen(server)}`;
  const clock = stoppedClock();
  const sending = servers.sender({ proxyUrl, timeoutMs: 150, ...clock }).send(push('http://127.0.0.1:8443/'));
  await eventually(() => expect(requested).toHaveLength(1));
  clock.ring();
  expect(await sending).toMatchObject({ kind: 'no_answer', reason: 'timeout: no response within 0.15 s' });
});

describe('a fault of the proxy itself is thrown, so that no attempt is used up', () => {
  test.each([400, 401, 403, 405, 407, 429, 302])('it answers %i', async (status) => {
    const proxy = await startProxy(() => `HTTP/1.1 ${status} No\r\n\r\n`);
    const { send } = servers.sender({ proxyUrl: proxy.url });
    await expect(send(push('http://127.0.0.1:8443/'))).rejects.toThrow(`the egress proxy answered ${status}`);
  });

  test.each<[string, (socket: Socket) => unknown]>([
    ['hangs up', (socket) => socket.destroy()],
    ['ends', (socket) => socket.end()],
    ['does not speak HTTP', (socket) => socket.end('SSH-2.0-x\r\n')],
    ['answers without end', (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`)],
  ])('it %s', async (_what, answer) => {
    const server = createTcpServer((socket) => socket.once('data', () => answer(socket)));
    const proxyUrl = `http://127.0.0.1:${await servers.listen(server)}`;
    const sent = servers.sender({ proxyUrl }).send(push('http://127.0.0.1:8443/'));
    await expect(sent).rejects.toThrow(/^the egress proxy failed: /);
  });

  test('nothing listens there', async () => {
    const { send } = servers.sender({ proxyUrl: 'http://127.0.0.1:1' });
    await expect(send(push('http://127.0.0.1:8444/'))).rejects.toThrow('the egress proxy failed: ECONNREFUSED');
  });

  test('its certificate is not trusted', async () => {
    const proxy = await startProxy(undefined, true);
    const { send } = servers.sender({ proxyUrl: proxy.url });
    await expect(send(push('http://127.0.0.1:8443/'))).rejects.toThrow(/^the egress proxy failed: .*SELF_SIGNED/);
    expect(proxy.requested).toEqual([]);
  });

  test('it does not even accept the connection', async () => {
    const connections: Socket[] = [];
    const server = createTcpServer((socket) => connections.push(socket));
    const proxyUrl = `https://127.0.0.1:${await servers.listen(server)}`;
    const clock = stoppedClock();
    const failed = expect(
      servers.sender({ proxyUrl, timeoutMs: 150, ...clock }).send(push('http://127.0.0.1:8443/')),
    ).rejects.toThrow('the egress proxy does not answer');
    await eventually(() => expect(connections).toHaveLength(1));
    clock.ring();
    await failed;
  });
});

test.each([
  ['http://proxy', { isTls: false, host: 'proxy', port: 80, authorization: null }],
  ['https://proxy/', { isTls: true, host: 'proxy', port: 443, authorization: null }],
  ['http://[fd00::1]:3128', { isTls: false, host: 'fd00::1', port: 3128, authorization: null }],
])('%s is a proxy', (url, proxy) => {
  expect(parseProxy(url)).toEqual(proxy);
});

test.each([
  '',
  'http://user:100%@proxy',
  'proxy:3128',
  'socks5://proxy',
  'http://user:secret@proxy/path',
  'http://proxy?a',
  'http://proxy#a',
])('%j is not a proxy URL, and the fault does not repeat it', (url) => {
  expect(() => parseProxy(url)).toThrow(
    /^The egress proxy URL must have the form http\(s\):\/\/\[user:password@\]host\[:port\]$/,
  );
});
