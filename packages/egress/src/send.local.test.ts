import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { eventually } from '@pts/testing/eventually';
import { textMatching } from '@pts/testing/text-matching';
import { type Cause, NO_TRACE } from './exchange.ts';
import { EXCERPT_BYTES, type Resolver } from './send.ts';
import { push, resolving, resolvingTo, stoppedClock, testServers } from './testing/servers.ts';

/** One text, whether a name does not resolve or resolves to a refused address. */
const NOT_PUBLIC = 'the host name does not resolve to a public address';

const servers = testServers();
const { listen, sender } = servers;
afterEach(servers.close);

/** A receiver; `requests` holds the requests that it received. */
async function receiver(answer: RequestListener) {
  const requests: { request: IncomingMessage; body: string }[] = [];
  const port = await listen(
    createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      requests.push({ request, body });
      answer(request, response);
    }),
  );
  return { port, requests, url: `http://127.0.0.1:${port}/hook?a=1#x` };
}

const ok: RequestListener = (_request, response) => response.end('thanks');

describe('a receiver that answers', () => {
  test.each([200, 201, 204, 299, 300, 400, 404, 410, 429, 500, 503, 599])('%i is returned as is', async (status) => {
    const { url } = await receiver((_request, response) => response.writeHead(status).end());
    expect(await sender().send(push(url))).toEqual({
      kind: 'answered',
      status,
      durationMs: expect.any(Number),
      excerpt: '',
      retryAfter: null,
      trace: expect.objectContaining({ address: '127.0.0.1' }),
    });
  });

  test.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    const { url, requests } = await receiver((_request, response) =>
      response.writeHead(status, { Location: '/elsewhere' }).end(),
    );
    expect(await sender().send(push(url))).toMatchObject({ kind: 'answered', status });
    expect(requests).toHaveLength(1);
  });

  test('gets one POST with the path, the query and the body as they are', async () => {
    const { url, requests } = await receiver(ok);
    const body = '{"event":"tracking_update","data":{"status":"已签收"}}';
    await sender().send({ ...push(url), body });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ request: { method: 'POST', url: '/hook?a=1' }, body });
    expect(requests[0]?.request.headers['content-length']).toBe(String(Buffer.byteLength(body)));
  });

  test('gets exactly the headers that were given, and those of the connection', async () => {
    const { url, requests, port } = await receiver(ok);
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhook/1.0',
      'X-Webhook-Attempt': '3',
    };
    await sender().send({ url, headers, body: '{}' });
    const { rawHeaders = [] } = requests[0]?.request ?? {};
    const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1]]] : []));
    expect(Object.fromEntries(pairs)).toEqual({
      ...headers,
      host: `127.0.0.1:${port}`,
      connection: 'keep-alive',
      'content-length': '2',
    });
    expect(pairs).toHaveLength(6);
  });

  test('may say when to retry', async () => {
    const { url } = await receiver((_request, response) => response.writeHead(429, { 'Retry-After': '120' }).end());
    expect(await sender().send(push(url))).toMatchObject({ status: 429, retryAfter: '120' });
  });

  test('has its text stored for the log, without characters that Postgres does not accept', async () => {
    const { url } = await receiver((_request, response) => response.writeHead(500).end('out of\0 order: 故障'));
    expect(await sender().send(push(url))).toMatchObject({ excerpt: 'out of order: 故障' });
  });

  test('has at most 1 KiB of its answer read, and its connection closed', async () => {
    const hungUp: Promise<unknown>[] = [];
    const { url } = await receiver((request, response) => {
      hungUp.push(new Promise((resolve) => request.socket.once('close', resolve)));
      const fill = () => {
        while (response.write('x'.repeat(16_384)));
        response.once('drain', fill);
      };
      fill();
    });
    const sent = await sender().send(push(url));
    expect(sent).toMatchObject({ kind: 'answered', status: 200, excerpt: 'x'.repeat(EXCERPT_BYTES) });
    await Promise.all(hungUp);
    expect(hungUp).toHaveLength(1);
  });

  test('with exactly 1 KiB is read to its end', async () => {
    const { url } = await receiver((_request, response) => response.end('x'.repeat(EXCERPT_BYTES)));
    expect(await sender().send(push(url))).toMatchObject({ excerpt: 'x'.repeat(EXCERPT_BYTES) });
  });
});

describe('a receiver that does not answer in time', () => {
  const timeout = {
    kind: 'no_answer',
    durationMs: expect.any(Number),
    cause: 'timeout',
    reason: 'timeout: no response within 0.1 s',
    detail: null,
    trace: expect.objectContaining({ address: '127.0.0.1' }),
  };

  /** A receiver that sends `first`, then a piece every few milliseconds until the connection is closed. */
  async function dripping(first: string, piece: string) {
    let pieces = 0;
    const port = await listen(
      createTcpServer((socket) => {
        socket.write(first);
        const timer = setInterval(() => socket.write(piece, () => (pieces += 1)), 5);
        socket.once('close', () => clearInterval(timer));
      }),
    );
    return { url: `http://127.0.0.1:${port}/`, hasDripped: () => expect(pieces).toBeGreaterThan(5) };
  }

  /** Ends the timeout once everything is in place. */
  async function runOut(url: string, isReady: () => void) {
    const clock = stoppedClock();
    const sending = sender({ timeoutMs: 100, ...clock }).send(push(url));
    await eventually(isReady);
    clock.ring();
    expect(await sending).toEqual(timeout);
  }

  test('because it sends nothing', async () => {
    const { url, requests } = await receiver(() => {});
    await runOut(url, () => expect(requests).toHaveLength(1));
  });

  test('because its headers never end', async () => {
    const { url, hasDripped } = await dripping('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n');
    await runOut(url, hasDripped);
  });

  test('because its body arrives slowly, each piece in time', async () => {
    const { url, hasDripped } = await dripping('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n', 'x');
    await runOut(url, hasDripped);
  });

  test('because its body never begins', async () => {
    const { url, hasDripped } = await dripping('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', '');
    await runOut(url, hasDripped);
  });
});

describe('a receiver that cannot be reached', () => {
  const noAnswer = (cause: Cause, text?: string, detail?: string | null) => ({
    kind: 'no_answer',
    durationMs: expect.any(Number),
    cause,
    reason: text ? `${cause}: ${text}` : textMatching(new RegExp(`^${cause}: .+`)),
    ...(detail === undefined ? {} : { detail }),
    trace: expect.objectContaining({ head: null, reused: false }),
  });

  test('because nothing listens there', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await sender().send(push(`http://127.0.0.1:${port}/`))).toMatchObject(
      noAnswer('refused', 'nothing is listening at this address', `connect ECONNREFUSED 127.0.0.1:${port}`),
    );
  });

  test.each(['ENOTFOUND', 'EAI_AGAIN'])('because its name does not resolve (%s)', async (code) => {
    const resolver: Resolver = (hostname, _options, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code }), []);
    expect(await sender({ resolver }).send(push('http://gone.example/'))).toMatchObject(
      noAnswer('dns', NOT_PUBLIC, `getaddrinfo ${code} gone.example`),
    );
  });

  test('because it hangs up gets the push only once', async () => {
    const { url, requests } = await receiver((request) => request.socket.destroy());
    expect(await sender().send(push(url))).toMatchObject(noAnswer('connection'));
    expect(requests).toHaveLength(1);
  });

  test('because it does not speak HTTP', async () => {
    const port = await listen(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')));
    expect(await sender().send(push(`http://127.0.0.1:${port}/`))).toMatchObject(noAnswer('connection'));
  });

  test('because its headers are too long', async () => {
    const { url } = await receiver((_request, response) =>
      response.writeHead(200, { 'X-Long': 'x'.repeat(20_000) }).end(),
    );
    expect(await sender().send(push(url))).toMatchObject(noAnswer('connection'));
  });

  test('because its certificate is its own', async () => {
    const requests: string[] = [];
    const port = await listen(
      createHttpsServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
        requests.push(request.url ?? '');
        response.end();
      }),
    );
    const sent = await sender().send(push(`https://127.0.0.1:${port}/`));
    // Newer versions of Node add advice to the detail.
    expect(sent).toMatchObject(noAnswer('tls', 'self-signed certificate'));
    expect(requests).toEqual([]);
  });

  test('because it has no TLS at all', async () => {
    const { port } = await receiver(ok);
    expect(await sender().send(push(`https://127.0.0.1:${port}/`))).toMatchObject(noAnswer('tls'));
  });

  test('because the process stops', async () => {
    const arrived: ((value: unknown) => void)[] = [];
    const arrival = new Promise((resolve) => arrived.push(resolve));
    const { url } = await receiver((request) => arrived[0]?.(request));
    const { send, close } = sender();
    const sent = send(push(url));
    await arrival;
    await close();
    expect(await sent).toMatchObject(noAnswer('connection'));
  });
});

describe('an address that must not be reached', () => {
  const blocked = (words: string) => ({
    kind: 'no_answer',
    durationMs: expect.any(Number),
    cause: 'blocked',
    reason: textMatching(new RegExp(`^blocked: .*${words}`)),
    detail: null,
    trace: expect.objectContaining({ address: null }),
  });

  const notPublic = (words: string) => ({
    ...blocked(''),
    cause: 'dns',
    reason: `dns: ${NOT_PUBLIC}`,
    detail: expect.stringContaining(words),
    trace: NO_TRACE,
  });

  test.each([
    ['http where it is not allowed', 'http://example.com/', 'https'],
    ['credentials', 'http://user:password@example.com/', 'user name'],
    ['a private address', 'http://10.0.0.1/', 'private'],
    ['another loopback address than the allowed one', 'http://127.0.0.2/', 'loopback'],
    ['metadata in decimal', 'http://2852039166/', 'metadata'],
    ['an internal name', 'http://metadata.google.internal/', 'internal'],
    ['no address at all', 'nonsense', 'absolute'],
  ])('is refused by its text: %s', async (_what, url, words) => {
    const { resolver, requested } = resolving(['127.0.0.1']);
    const { send } = sender({ resolver, allowHttp: words !== 'https' });
    expect(await send(push(url))).toEqual(blocked(words));
    expect(requested).toEqual([]);
  });

  test.each([
    ['loopback', ['127.0.0.1']],
    ['loopback of version 6', ['::1']],
    ['a private address', ['10.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a public and a private address', ['93.184.216.34', '10.0.0.1']],
    ['a public and a loopback address', ['2606:4700::1111', '127.0.0.1']],
    ['the unspecified address', ['0.0.0.0']],
  ])('is refused when a harmless name resolves to it: %s', async (_what, addresses) => {
    const { requests, port } = await receiver(ok);
    const { resolver, requested } = resolving(addresses);
    const { send } = sender({ resolver, allow: [] });
    expect(await send(push(`http://rebind.example:${port}/`))).toEqual(
      notPublic('rebind.example resolves to a refused address: '),
    );
    expect(requested).toEqual(['rebind.example']);
    expect(requests).toEqual([]);
  });

  test('is refused when its name resolves to none', async () => {
    const { resolver } = resolving([]);
    expect(await sender({ resolver }).send(push('http://empty.example/'))).toEqual(
      notPublic('empty.example resolves to no address'),
    );
  });

  test.each<[string, Resolver]>([
    ['resolves to a refused address', resolvingTo('10.43.7.9').resolver],
    ['does not resolve', (_name, _options, callback) => callback(new Error('getaddrinfo ENOTFOUND'), [])],
  ])('is not told apart by the time it takes: a name that %s fails at the end of a period', async (_what, resolver) => {
    const clock = stoppedClock();
    const { send } = sender({ resolver, allow: [], refusalMs: 600_000, timeoutMs: 100, ...clock });
    const sending = send(push('http://payments.example/'));
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    clock.ring();
    expect(await sending).toMatchObject({ reason: 'timeout: no response within 0.1 s', trace: NO_TRACE });
  });

  test('is refused at the next connection when its name now resolves to it', async () => {
    const { port, requests } = await receiver((_request, response) =>
      response.writeHead(200, { Connection: 'close' }).end(),
    );
    const { resolver } = resolving(['127.0.0.1'], ['10.0.0.1']);
    const { send } = sender({ resolver });
    const url = `http://rebind.example:${port}/`;
    expect(await send(push(url))).toMatchObject({ kind: 'answered', status: 200 });
    expect(await send(push(url))).toEqual(notPublic('10.0.0.1 is a private address'));
    expect(requests).toHaveLength(1);
  });
});

describe('a name that resolves to an allowed address', () => {
  test('is resolved once, and the connection goes to the address that was checked', async () => {
    const { port, requests } = await receiver(ok);
    const { resolver, requested } = resolving(['127.0.0.1'], ['10.0.0.1']);
    expect(await sender({ resolver }).send(push(`http://hooks.example:${port}/`))).toMatchObject({ kind: 'answered' });
    expect(requested).toEqual(['hooks.example']);
    expect(requests[0]?.request.headers.host).toBe(`hooks.example:${port}`);
  });

  test.each(['hooks.example', 'HOOKS.example.'])('that is private only needs its name allowed: %s', async (name) => {
    const { port } = await receiver(ok);
    // Both are checked; the first one answers.
    const { resolver } = resolving(['127.0.0.1', '10.0.0.1']);
    const url = push(`http://${name}:${port}/`);
    expect(await sender({ resolver, allow: ['127.0.0.1', 'hooks.example'] }).send(url)).toMatchObject({
      status: 200,
    });
    expect(await sender({ resolver, allow: ['127.0.0.1', 'example'] }).send(url)).toMatchObject({
      reason: `dns: ${NOT_PUBLIC}`,
      detail: expect.stringContaining('resolves to a refused address: 10.0.0.1 is a private address'),
    });
  });

  test('that is loopback needs its address allowed as well', async () => {
    const { port, requests } = await receiver(ok);
    const { resolver } = resolving(['127.0.0.1']);
    const url = push(`http://localhost:${port}/`);
    expect(await sender({ resolver, allow: ['localhost'] }).send(url)).toMatchObject({
      detail: expect.stringContaining('localhost resolves to a refused address'),
    });
    expect(await sender({ resolver, allow: ['localhost', '127.0.0.1'] }).send(url)).toMatchObject({ status: 200 });
    expect(requests).toHaveLength(1);
  });
});

/** Made for these tests (openssl req -x509); nothing trusts it, and its key protects nothing. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQ+c0Cgxh3bD/Apnj
i18WV7oOAqT9EzFc6K67b6cxwQihRANCAAQm4Wd/MeDhmz3hXSZQxsaCDQfiEhIW
jzH7Eu2ARfoNaMn6XLluy1NiiVONLwu/8+CgZUAI6n6ZhE2qee2eEWmC
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBsTCCAVagAwIBAgIUMqDV57koA3TP4y+977Brvdc4V/4wCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTAgFw0yNjExMjAyMjM4MTRaGA8y
MTI2MTAyNzIyMzgxNFowGzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABCbhZ38x4OGbPeFdJlDGxoINB+ISEhaPMfsS
7YBF+g1oyfpcuW7LU2KJU40vC7/z4KBlQAjqfpmETap57Z4RaYKjdjB0MB0GA1Ud
DgQWBBQ6QNT29/SZyQkTy6LKchYfU2CTXDAfBgNVHSMEGDAWgBQ6QNT29/SZyQkT
y6LKchYfU2CTXDAPBgNVHRMBAf8EBTADAQH/MCEGA1UdEQQaMBiCEHJlY2VpdmVy
LmV4YW1wbGWHBH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhAP/E113vZgIYwLhH5DBB
WHQNLh75iZHzSPo1N3Y8zcQiAiEAwyUQ+r1x0vAfz6aNEi0rIqXAtTHdnlPO+VZp
G/0+IFU=
-----END CERTIFICATE-----`;
