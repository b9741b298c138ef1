import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually } from '@pts/testing/eventually';
import { textMatching } from '@pts/testing/text-matching';
import { EXCERPT_BYTES, type Resolver } from './send.ts';
import { PATIENT_MS, push, stoppedClock, testServers } from './testing/servers.ts';

const servers = testServers();
afterEach(() => servers.close());

let pieces = 0;
beforeEach(() => {
  pieces = 0;
});

/** Sends `piece` until the connection is closed. */
function drip(socket: Socket, first: string, piece: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(piece, () => (pieces += 1)), 10);
  socket.once('close', () => clearInterval(timer));
}

/** Sends as fast as it is read. */
function flood(socket: Socket, first: string, piece: string): void {
  socket.write(first);
  const fill = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', fill);
  fill();
}

describe('an answer that does not end is abandoned at the timeout', () => {
  test.each<[string, (socket: Socket) => unknown]>([
    ['no byte at all', (socket) => drip(socket, '', '')],
    ['one byte of the status line at a time', (socket) => drip(socket, 'H', '')],
    ['one header byte at a time', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ', 'x')],
    ['one header at a time', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'X: y\r\n')],
    ['one body byte at a time', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n', 'x')],
    [
      'one chunk at a time',
      (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
    ],
    ['one body byte at a time until it hangs up', (socket) => drip(socket, 'HTTP/1.0 200 OK\r\n\r\n', 'x')],
    [
      'a trailer without an end',
      (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X: y\r\n'),
    ],
    ['an interim answer now and then', (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', '')],
  ])('%s', async (_what, answer) => {
    const { url } = await servers.raw(answer);
    const clock = stoppedClock();
    let isOver = false;
    const sending = servers.sender({ timeoutMs: 150, ...clock }).send(push(url));
    void sending.then(() => {
      isOver = true;
    });
    await eventually(() => expect(pieces).toBeGreaterThan(5));
    expect(isOver).toBe(false);
    // The limit is the total time, not the pause between two bytes: the timer was started once.
    clock.ring();
    expect(await sending).toMatchObject({ kind: 'no_answer', reason: 'timeout: no response within 0.15 s' });
  });
});

describe('a malformed response counts as no response, and its connection is closed', () => {
  test.each<[string, string | ((socket: Socket) => unknown)]>([
    ['headers beyond 16 KiB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['headers beyond number', `HTTP/1.1 200 OK\r\n${'a:b\r\n'.repeat(10_000)}\r\n`],
    ['a flood of headers', (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'.repeat(1000))],
    ['a flood of interim answers', (socket) => flood(socket, '', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100))],
    ['an unrequested upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n'],
    ['a chunk of the greatest size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n'],
    [
      'a flood of chunk extensions',
      (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'x'.repeat(65_536)),
    ],
    [
      'a flood of trailers',
      (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X: y\r\n'.repeat(1000)),
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['a length without end', `HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(40)}\r\n\r\n`],
    ['a huge status', 'HTTP/1.1 99999 Huge\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 Ok\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['a header with a NUL', 'HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTTP/2', Buffer.from('000006040000000000000400010000', 'hex').toString('latin1')],
    ['noise', Buffer.alloc(65_536, 0xa7).toString('latin1')],
    ['nothing, then the end', (socket) => socket.end()],
    ['half a head, then the end', (socket) => socket.end('HTTP/1.1 200 OK\r\nX-')],
    ['half a body, then the end', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')],
    [
      'half a chunk, then the end',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf'),
    ],
  ])('%s', async (_what, answer) => {
    const { url, requests } = await servers.raw(answer);
    const sent = await servers.sender().send(push(url));
    expect(sent).toMatchObject({ kind: 'no_answer', reason: textMatching(/^connection: /) });
    expect(sent.durationMs).toBeLessThan(PATIENT_MS);
    expect(requests).toHaveLength(1);
  });
});

describe('an unusual but complete answer is accepted', () => {
  test.each<[string, string | Buffer | ((socket: Socket) => unknown), object]>([
    ['without a reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok', { status: 200, excerpt: 'ok' }],
    ['with an unknown status', 'HTTP/1.1 799 Odd\r\nContent-Length: 0\r\n\r\n', { status: 799 }],
    ['of HTTP/1.0', (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold'), { status: 200, excerpt: 'old' }],
    [
      'after an interim answer',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
      { status: 204 },
    ],
    [
      'in chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nX: y\r\n\r\n',
      { status: 200, excerpt: 'ok' },
    ],
    [
      'with more behind it',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n',
      { status: 200, excerpt: 'ok' },
    ],
    [
      'with a hundred headers',
      `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(100)}Content-Length: 0\r\n\r\n`,
      { status: 200 },
    ],
    [
      'with Retry-After twice',
      'HTTP/1.1 429 No\r\nRetry-After: 1\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n',
      { status: 429, retryAfter: null },
    ],
  ])('%s', async (_what, answer, expected) => {
    const { url } = await servers.raw(answer);
    expect(await servers.sender().send(push(url))).toMatchObject({ kind: 'answered', ...expected });
  });

  test('before the request has been read', async () => {
    const port = await servers.listen(
      (await import('node:net')).createServer((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\n')),
      ),
    );
    const sent = await servers.sender().send({ ...push(`http://127.0.0.1:${port}/`), body: 'x'.repeat(10_000_000) });
    expect(sent.durationMs).toBeLessThan(PATIENT_MS);
  });

  test('a compressed one is stored as it arrived, and not decompressed', async () => {
    const packed = gzipSync(Buffer.alloc(10_000_000));
    expect(packed.length).toBeGreaterThan(EXCERPT_BYTES);
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`;
    const { url } = await servers.raw(Buffer.concat([Buffer.from(head), packed]));
    const sent = await servers.sender().send(push(url));
    expect(sent).toMatchObject({ kind: 'answered', status: 200 });
    expect('excerpt' in sent && sent.excerpt.length).toBeLessThanOrEqual(EXCERPT_BYTES);
  });
});

test('a leftover answer on a connection is not taken for that of the next push', async () => {
  const { url, requests } = await servers.raw((socket) =>
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n${requests.length === 1 ? 'HTTP/1.1 299 Smuggled\r\nContent-Length: 0\r\n\r\n' : ''}`,
    ),
  );
  const { send } = servers.sender({ connectionsPerReceiver: 1 });
  expect(await send(push(url))).toMatchObject({ status: 200 });
  expect(await send(push(url))).not.toMatchObject({ status: 299 });
});

test('a push waits for a connection no longer than its timeout, and is not sent afterwards', async () => {
  const { url, requests } = await servers.raw((socket) => {
    if (requests.length > 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  });
  const clock = stoppedClock();
  const { send } = servers.sender({ timeoutMs: 500, connectionsPerReceiver: 1, ...clock });
  const sending = ['1', '2', '3'].map((n) => send({ ...push(url), body: `{"n":${n}}` }));
  await eventually(() => expect(requests).toHaveLength(1));
  clock.ring();
  const all = await Promise.all(sending);
  expect(all).toEqual(all.map(() => expect.objectContaining({ reason: 'timeout: no response within 0.5 s' })));
  expect(await send({ ...push(url), body: '{"n":4}' })).toMatchObject({ status: 200 });
  expect(requests.map((text) => text.split('\r\n').at(-1))).toEqual(['{"n":1}', '{"n":4}']);
});

describe('a connection', () => {
  const names = (...addresses: string[]) => {
    const requested: string[] = [];
    const resolver: Resolver = (hostname, _options, callback) => {
      callback(null, [{ address: addresses[requested.push(hostname) - 1] ?? '', family: 4 }]);
    };
    return { resolver, requested };
  };

  test('is used again while it is young', async () => {
    const { port } = await servers.http((_request, response) => response.end());
    const { resolver, requested } = names('127.0.0.1');
    const { send } = servers.sender({ resolver, connectionsPerReceiver: 1 });
    const url = `http://receiver.example:${port}/hook`;
    for (let n = 0; n < 3; n++) expect(await send(push(url))).toMatchObject({ status: 200, trace: { reused: n > 0 } });
    expect(requested).toHaveLength(1);
  });

  test('that is old is replaced: the name is resolved and checked again', async () => {
    const { port, requests } = await servers.http((_request, response) => response.end());
    const { resolver, requested } = names('127.0.0.1', '127.0.0.1', '10.0.0.7');
    const { send } = servers.sender({ resolver, connectionsPerReceiver: 1, connectionTtlMs: 0 });
    const url = `http://receiver.example:${port}/hook`;
    for (let n = 0; n < 2; n++) expect(await send(push(url))).toMatchObject({ status: 200, trace: { reused: false } });
    expect(await send(push(url))).toMatchObject({
      kind: 'no_answer',
      detail: expect.stringContaining('refused address'),
    });
    expect(requested).toHaveLength(3);
    expect(requests).toHaveLength(2);
  });

  test('to a receiver that has not been used for long is closed once another one is opened', async () => {
    const closed: string[] = [];
    const { url } = await servers.raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      socket.on('close', () => closed.push('of long ago'));
    });
    const other = await servers.http((_request, response) => response.end());
    const { send } = servers.sender({ connectionTtlMs: 0 });
    expect(await send(push(url))).toMatchObject({ status: 200 });
    expect(closed).toEqual([]);
    expect(await send(push(other.url))).toMatchObject({ status: 200 });
    await eventually(() => expect(closed).toEqual(['of long ago']));
  });

  test('with a push in flight stays open for it, however old', async () => {
    const answers: (() => void)[] = [];
    const { url } = await servers.http((_request, response) => answers.push(() => response.end()));
    const { send } = servers.sender({ connectionsPerReceiver: 1, connectionTtlMs: 0 });
    const sent = [send(push(url)), send(push(url))];
    await eventually(() => expect(answers).toHaveLength(2));
    for (const answer of answers) answer();
    expect(await Promise.all(sent)).toMatchObject([{ status: 200 }, { status: 200 }]);
  });
});
