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
