import { eventually } from './eventually.ts';
import { startReceiver } from './receiver.ts';

const post = (url: string, body: string) => fetch(url, { method: 'POST', headers: { 'x-event': 'first' }, body });

test('requests are recorded as they came, and answered 200', async () => {
  const receiver = await startReceiver();
  try {
    expect((await post(receiver.url, '{ "n": 1 }')).status).toBe(200);
    expect(receiver.requests).toMatchObject([
      { method: 'POST', path: '/hook', rawBody: '{ "n": 1 }', headers: { 'x-event': 'first' } },
    ]);
  } finally {
    await receiver.close();
  }
});

test('respond decides the answer from the request', async () => {
  const receiver = await startReceiver({
    respond: ({ rawBody }) => ({
      status: rawBody === 'bad' ? 503 : 201,
      headers: { 'retry-after': '7' },
      body: 'said',
    }),
  });
  try {
    const refused = await post(receiver.url, 'bad');
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([503, '7', 'said']);
    expect((await post(receiver.url, 'good')).status).toBe(201);
  } finally {
    await receiver.close();
  }
});

test('closing does not wait for answers that are still delayed', async () => {
  const receiver = await startReceiver({ respond: () => ({ status: 200, delayMs: 60_000 }) });
  const pending = expect(post(receiver.url, 'slow')).rejects.toThrow('fetch failed');
  await eventually(() => expect(receiver.requests).toHaveLength(1));
  await receiver.close();
  await pending;
});
