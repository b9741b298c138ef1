import type { Plan } from '@pts/core/account';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { Redis } from 'ioredis';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

/** The window of a test, in seconds: all its requests fall into one. */
const HOUR = 3600;

describe.each(stores())('limits kept in %s', (store) => {
  test('are exact over two replicas and shown in headers; refusals ask for 120 seconds', async () => {
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
    const reset = refused?.headers.get('RateLimit-Reset');
    expect(refused?.body.message).toMatch(/120 seconds \(Retry-After\)/);
    expect(refused?.body.message).toContain(`resets in ${reset} second`);
    expect(refused?.headers.get('RateLimit-Limit')).toBe('7');
    expect(refused?.headers.get('RateLimit-Remaining')).toBe('0');
    await Promise.all(replicas.map((replica) => replica.close()));
    await database.close();
  });
});

test('an account has the limits of its plan, where those of all are changed, too', async () => {
  const api = await startTestApi({
    limits: ['enterprise:account=0', 'pro:account=2', 'account=1'],
    limitWindowSeconds: HOUR,
  });
  const answered = async (plan: Plan) => {
    const { key } = await api.account({ plan });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await api.call('GET', '/account', { key })).status);
    return statuses.filter((status) => status === 200).length;
  };
  expect([await answered('free'), await answered('pro'), await answered('enterprise')]).toEqual([1, 2, 4]);
  await api.close();
}, 30_000);

describe.each(stores())('a limit that is used up, in %s', (store) => {
  let database: TestDatabase;
  let api: TestApi;
  const prefix = `{blocked-${store}-${process.pid}}`;
  beforeAll(async () => {
    database = await testDatabase();
    api = await startTestApi({
      store,
      limits: ['account=3'],
      authWindowSeconds: HOUR,
      databaseUrl: database.url,
      prefix,
    });
  }, 30_000);
  afterAll(async () => {
    await api.close();
    await database.close();
  });

  /** What the store has counted for an address. */
  async function failuresOf(address: string): Promise<number> {
    if (store === 'postgres') {
      const rows = await api.db.$queryRaw<{ points: number }[]>`
        SELECT points FROM rate_limits WHERE key = ${`auth:${address}`}`;
      return rows[0]?.points ?? 0;
    }
    const redis = new Redis(redisUrlOn(store) ?? '');
    const points = await redis.get(`${prefix}:limit:auth:${address}`);
    redis.disconnect();
    return Number(points);
  }

  test('is refused from memory: further requests do not reach the store', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 45; n++) statuses.push((await api.call('GET', '/account', { key: 'no key' })).status);
    expect(statuses.slice(-10)).toEqual(Array(10).fill(429));
    expect(await failuresOf('127.0.0.1')).toBe(30);
  }, 30_000);

  test('has the same headers, and is free again when they say so', async () => {
    const { key } = await api.account();
    const ask = () => api.call('GET', '/account', { key });
    // More at once than fit into the windows of half a minute.
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    const refused = answers.findLast(({ status }) => status === 429);
    const headers = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After'];
    expect(headers.map((name) => refused?.headers.get(name))).toEqual(['3', '0', '1', '120']);
    await eventually(async () => expect((await ask()).status).toBe(200));
  }, 30_000);
});

test('while the store is unavailable, each replica still applies the limits in its own memory', async () => {
  const api = await startTestApi({
    limits: ['account=3'],
    limitWindowSeconds: HOUR,
    redisUrl: 'redis://127.0.0.1:1',
    limitPatienceMs: 100,
  });
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
