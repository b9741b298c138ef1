import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { BODY_BYTES, sizeText } from '@pts/contract/limits';
import { eventually } from '@pts/testing/eventually';
import { compatV4 } from '../compat-v4.ts';
import { operations } from '../endpoints/index.ts';
import { type RawAnswer, sendRaw } from '../testing/raw-http.ts';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const withBody = [
  ...operations.map((entry) => ({ ...entry, at: '/api/v1' })),
  ...compatV4.map((entry) => ({ ...entry, at: '/v4' })),
].filter(({ input }) => input === 'body');
const TAKING_BODIES = withBody.map(({ method, at, path, bodyBytes = BODY_BYTES.single }) => ({
  request: `${method.toUpperCase()} ${at}${path.replace(':id', '0'.repeat(24))}`,
  bytes: bodyBytes,
}));
const A_KEY = `tk_${'0'.repeat(48)}`;

let api: TestApi;
/** None of its stores is available: a request that uses one of them gets 503. */
let alone: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const nowhere = { databaseUrl: 'postgres://nobody@127.0.0.1:1/none', redisUrl: 'redis://127.0.0.1:1' };
  alone = await startTestApi({ ...nowhere, store: 'redis' });
}, 60_000);
afterAll(async () => {
  await Promise.all([api.close(), alone.close()]);
});

function head(request: string, key: string, ...headers: string[]): string {
  const all = ['Host: a', `X-API-Key: ${key}`, 'Content-Type: application/json', ...headers];
  return `${request} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`;
}

function codeOf({ text }: RawAnswer): number {
  const { code, meta } = JSON.parse(text);
  return code ?? meta.code;
}

test('every operation that takes a body has a limit of its own size', () => {
  const sizes = new Map(TAKING_BODIES.map(({ request, bytes }) => [request, sizeText(bytes)]));
  expect(sizes.get('POST /api/v1/carrier/detect')).toBe('4 KiB');
  expect(sizes.get('POST /v4/couriers/detect')).toBe('4 KiB');
  expect(sizes.get('POST /api/v1/trackings/create')).toBe('16 KiB');
  expect(sizes.get('POST /api/v1/trackings/batch')).toBe('256 KiB');
  expect(sizes.get('POST /v4/trackings/batch')).toBe('256 KiB');
  expect(sizes.get('POST /api/v1/track/async')).toBe('256 KiB');
  for (const { bytes } of TAKING_BODIES) expect(bytes).toBeLessThanOrEqual(BODY_BYTES.stream);
});

test('one byte more than an operation accepts is refused before it is read, looked up or counted', async () => {
  const refuse = async ({ request, bytes }: (typeof TAKING_BODIES)[number]) => {
    // No byte of the body is sent: a server that waits for it would not answer.
    const answer = await sendRaw(alone.url, head(request, A_KEY, `Content-Length: ${bytes + 1}`));
    const namesLimit = answer.text.includes(`larger than ${sizeText(bytes)}`);
    return [
      request,
      answer.status,
      codeOf(answer),
      namesLimit,
      answer.headers.get('connection'),
      answer.headers.get('ratelimit-limit'),
    ];
  };
  const refused = await Promise.all(TAKING_BODIES.map(refuse));
  expect(refused).toEqual(TAKING_BODIES.map(({ request }) => [request, 413, 413, true, 'close', undefined]));
});

test.each(TAKING_BODIES.filter(({ bytes }) => bytes < BODY_BYTES.stream))(
  '$request accepts as many bytes as it states, and not one more in chunks or compressed',
  async ({ request, bytes }) => {
    const whole = Buffer.from(`{}${' '.repeat(bytes - 2)}`);
    const send = async (body: Buffer, ...headers: string[]) => {
      // An account can have only one bulk action at a time.
      const { key } = await api.account();
      const sent = Buffer.concat([Buffer.from(head(request, key, 'Connection: close', ...headers)), body]);
      return codeOf(await sendRaw(api.url, sent));
    };
    const inChunks = (body: Buffer) =>
      Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
    const sendPacked = (body: Buffer) =>
      send(gzipSync(body), 'Content-Encoding: gzip', `Content-Length: ${gzipSync(body).length}`);
    const more = Buffer.concat([whole, Buffer.from(' ')]);
    const taken = [
      await send(whole, `Content-Length: ${bytes}`),
      await send(inChunks(whole), 'Transfer-Encoding: chunked'),
      await sendPacked(whole),
    ];
    // Its response to `{}` does not matter.
    expect(taken).not.toContain(413);
    expect(new Set(taken).size).toBe(1);
    expect(await send(inChunks(more), 'Transfer-Encoding: chunked')).toBe(413);
    expect(await sendPacked(more)).toBe(413);
  },
);

test('a client that keeps sending after a refusal gets the whole response, and its connection is closed', async () => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.on('error', () => {});
  const { key } = await api.account();
  socket.write(head('POST /api/v1/trackings/create', key, 'Content-Length: 1000000000'));
  await eventually(() => expect(received).toContain('larger than 16 KiB'));
  const send = () => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
  };
  socket.on('drain', send);
  send();
  await closed;
  expect(received.split('HTTP/1.1').length).toBe(2);
  // Ended on purpose, long before all of it was read.
  expect(socket.bytesWritten).toBeLessThan(50_000_000);
});

test('a client with Expect: 100-continue gets 100 Continue before it sends its body, or the refusal instead', async () => {
  const { key } = await api.account();
  const body = '{"tracking_number":"YT8962646785999"}';
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const expecting = ['Expect: 100-continue', 'Connection: close'];
  socket.write(head('POST /api/v1/carrier/detect', key, ...expecting, `Content-Length: ${body.length}`));
  await eventually(() => expect(received).toBe('HTTP/1.1 100 Continue\r\n\r\n'));
  socket.write(body);
  await eventually(() => expect(received).toContain('"carrier":"yto"'));
  socket.destroy();
  const refused = await sendRaw(
    api.url,
    head('POST /api/v1/carrier/detect', key, 'Expect: 100-continue', 'Content-Length: 5000'),
  );
  expect([refused.status, codeOf(refused)]).toEqual([413, 413]);
});

test('the bodies in flight of an account are limited, and no other account is affected', async () => {
  const [greedy, other] = [await api.account(), await api.account()];
  const { hostname, port } = new URL(api.url);
  const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname));
  let received = '';
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write(head('POST /api/v1/trackings/batch', greedy.key, `Content-Length: ${BODY_BYTES.bulk}`));
    // All but the last byte: each would wait for it.
    socket.write(Buffer.alloc(BODY_BYTES.bulk - 1, ' '));
  }
  await eventually(() => expect(received).toContain('too many large request bodies at once'));
  const { status } = await api.call('POST', '/carrier/detect', {
    key: other.key,
    body: { tracking_number: 'YT8962646785999' },
  });
  expect(status).toBe(200);
  for (const socket of sockets) socket.destroy();
  // Aborted bodies no longer count.
  await eventually(async () => {
    const filler = ' '.repeat(200_000);
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => api.call('POST', '/trackings/batch', { key: greedy.key, raw: `[]${filler}` })),
    );
    expect(answers.map(({ body }) => body.code)).toEqual(Array(15).fill(4111));
  });
});
