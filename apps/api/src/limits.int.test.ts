import { testDatabase } from '@pts/testing/database';
import { stores } from '@pts/testing/stores';
import { startTestApi, type TestApi } from './test-api.ts';

/** The window of a test, in seconds: all its requests fall into one. */
const HOUR = 3600;

describe.each(stores())('limits kept in %s', (store) => {
  test('are exact over two replicas, told in headers, and refused with 120 seconds to wait', async () => {
    const database = await testDatabase();
    const shared = {
      store,
      limits: ['account=7'],
      limitWindowSeconds: HOUR,
      databaseUrl: database.url,
      prefix: `{limits-${store}-${process.pid}}`,
    };
    const replicas = [await startTestApi(shared), await startTestApi(shared)] as [TestApi, TestApi];
    const { key } = await replicas[0].account();
    const answers = await burst(replicas, key);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 429, meta: 429 });
    expect(refused?.headers.get('Retry-After')).toBe('120');
    expect(refused?.headers.get('RateLimit-Limit')).toBe('7');
    expect(refused?.headers.get('RateLimit-Remaining')).toBe('0');
    await Promise.all(replicas.map((replica) => replica.close()));
    await database.close();
  });
});

test('while the store is away each replica goes on limiting in its own memory', async () => {
  const api = await startTestApi({ limits: ['account=3'], limitWindowSeconds: HOUR, redisUrl: 'redis://127.0.0.1:1' });
  const { key } = await api.account();
  const answers = await burst([api, api], key);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  await api.close();
});

test('spec section 8: create takes 3 requests a second, get 2', async () => {
  const api = await startTestApi({ limits: [] });
  const { key } = await api.account();
  const created = await api.call('POST', '/trackings/create', { key, body: { tracking_number: 'LIMIT1' } });
  const read = await api.call('GET', '/trackings/get?tracking_numbers=LIMIT1', { key });
  expect([created.headers.get('RateLimit-Limit'), read.headers.get('RateLimit-Limit')]).toEqual(['3', '2']);
  // Of a window of one second.
  expect(Number(read.headers.get('RateLimit-Reset'))).toBeLessThanOrEqual(1);
  await api.close();
});

function burst(replicas: [TestApi, TestApi], key: string) {
  return Promise.all(
    Array.from({ length: 20 }, (_, i) => replicas[i % 2 === 0 ? 0 : 1].call('GET', '/account', { key })),
  );
}
