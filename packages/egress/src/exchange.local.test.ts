import { textMatching } from '@pts/testing/text-matching';
import { HEAD_BYTES, headOf } from './exchange.ts';
import { push, resolvingTo, testServers } from './testing/servers.ts';

const servers = testServers();
afterEach(() => servers.close());

test('the first attempt records how its connection was opened, the next one that it was reused', async () => {
  const { port } = await servers.raw('HTTP/1.1 200 Fine\r\nX-One: a\r\nContent-Length: 2\r\n\r\nok');
  const { resolver, requested } = resolvingTo('127.0.0.1');
  const { send } = servers.sender({ resolver });
  const url = `http://hooks.example:${port}/`;
  const head = 'HTTP/1.1 200 Fine\nX-One: a\nContent-Length: 2';
  const number = expect.any(Number);
  const first = { address: '127.0.0.1', dnsMs: number, connectMs: number, tlsMs: null, firstByteMs: number };
  expect(await send(push(url))).toMatchObject({ excerpt: 'ok', trace: { ...first, reused: false, head } });
  const next = { address: '127.0.0.1', dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: number };
  expect(await send(push(url))).toMatchObject({ excerpt: 'ok', trace: { ...next, reused: true, head } });
  expect(requested).toHaveLength(1);
});

test('an attempt without an answer records how far it got', async () => {
  const { url } = await servers.raw((socket) => socket.destroy());
  expect(await servers.sender().send(push(url))).toMatchObject({
    kind: 'no_answer',
    trace: { address: '127.0.0.1', connectMs: expect.any(Number), firstByteMs: null, reused: false, head: null },
  });
});

test('of an answer that breaks off after its head, the head is recorded', async () => {
  const { url } = await servers.raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf'));
  expect(await servers.sender().send(push(url))).toMatchObject({
    kind: 'no_answer',
    reason: textMatching(/^connection: /),
    trace: { firstByteMs: expect.any(Number), head: 'HTTP/1.1 200 OK\nContent-Length: 50' },
  });
});

test('the head has no control characters', () => {
  const headers = ['X-A', 'b\u001b[31m\0\u0085c\r\n'].map((text) => Buffer.from(text));
  expect(headOf(200, '', headers)).toBe('HTTP/1.1 200\nX-A: b[31mc');
});

test('the head has at most 2 KiB, and no half of a character', () => {
  const head = headOf(200, 'OK', [Buffer.from('X-Long'), Buffer.from('签'.repeat(2000))]);
  expect(Buffer.byteLength(head)).toBeLessThanOrEqual(HEAD_BYTES);
  expect(Buffer.byteLength(head)).toBeGreaterThan(HEAD_BYTES - 3);
  expect(head).toMatch(/签$/);
});
