import { updateAccount } from '@pts/db/accounts/accounts';
import { resetKeys } from '@pts/service/accounts';
import { type TestDatabase, testDatabase } from '@pts/testing/database';
import { stores } from '@pts/testing/stores';
import { type ApiAnswer, startTestApi, type TestApi } from './testing/test-api.ts';

describe.each(stores())('two replicas on %s', (store) => {
  let database: TestDatabase;
  let time = Date.now();
  let replicas: [TestApi, TestApi];
  beforeAll(async () => {
    database = await testDatabase();
    const shared = {
      store,
      limits: ['trackings.create=0', 'trackings.batch=0', 'account=0', 'detect=15'],
      // All requests of a test fall into one window, however slow they are.
      limitWindowSeconds: 3600,
      authWindowSeconds: 3600,
      databaseUrl: database.url,
      prefix: `{replicas-${store}-${process.pid}}`,
      trustProxy: '1',
      keyClock: () => time,
    };
    replicas = [await startTestApi(shared), await startTestApi(shared)];
  }, 60_000);
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await database.close();
  });

  /** Concurrent requests, distributed round robin to the replicas. */
  const spread = (count: number, ask: (replica: TestApi, i: number) => Promise<ApiAnswer>) =>
    Promise.all(Array.from({ length: count }, (_, i) => ask(replicas[i % 2 === 0 ? 0 : 1], i)));
  const numbersOf = (answers: ApiAnswer[], code: number) => answers.filter(({ body }) => body.code === code).length;

  test('accept exactly as many requests in a window as the limit says', async () => {
    const body = { tracking_number: 'YT8962646785999' };
    const { key } = await replicas[0].account();
    const answers = await spread(40, (replica) => replica.call('POST', '/carrier/detect', { key, body }));
    expect([numbersOf(answers, 200), numbersOf(answers, 429)]).toEqual([15, 25]);
  });

  test('charge each unit of quota once: of 100 registrations with 10 units exactly 10 succeed', async () => {
    const { id, key } = await replicas[0].account({ quota: 10 });
    const answers = await spread(100, (replica, i) =>
      replica.call('POST', '/trackings/create', { key, body: { tracking_number: `PTS${i}TRANSIT` } }),
    );
    expect([numbersOf(answers, 200), numbersOf(answers, 4190)]).toEqual([10, 90]);
    const where = { where: { accountId: id } };
    const { db } = replicas[1];
    expect(await Promise.all([db.tracking.count(where), db.check.count(where)])).toEqual([10, 10]);
    const { body } = await replicas[1].call('GET', '/account', { key });
    expect(body.data).toMatchObject({ quota_used: 10, quota_remaining: 0 });
  });

  test('charge the last units to whole batches only', async () => {
    const { id, key } = await replicas[0].account({ quota: 10 });
    const answers = await spread(10, (replica, i) => {
      const trackings = Array.from({ length: 4 }, (_, j) => ({ tracking_number: `PTS${i}X${j}TRANSIT` }));
      return replica.call('POST', '/trackings/batch', { key, body: { trackings } });
    });
    expect([numbersOf(answers, 200), numbersOf(answers, 4190)]).toEqual([2, 8]);
    expect(await replicas[0].db.tracking.count({ where: { accountId: id } })).toBe(8);
  });

  test('register a number once, whichever request is first, and charge it once', async () => {
    const { id, key } = await replicas[0].account();
    const answers = await spread(40, (replica) =>
      replica.call('POST', '/trackings/create', { key, body: { tracking_number: 'PTS1TRANSIT' } }),
    );
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await replicas[0].db.tracking.count({ where: { accountId: id } })).toBe(1);
    const { body } = await replicas[0].call('GET', '/account', { key });
    expect(body.data.quota_used).toBe(1);
  });

  test.each([
    ['a key that was reset', (id: string) => resetKeys({ db: replicas[0].db, now: () => new Date() }, { id })],
    ['a disabled account', (id: string) => updateAccount(replicas[0].db, id, { disabledAt: new Date() })],
  ])('refuse %s within 900 ms, both', async (_what, end) => {
    const { id, key } = await replicas[0].account();
    const ask = async () =>
      (await spread(2, (replica) => replica.call('GET', '/auth/me', { key }))).map((a) => a.status);
    expect(await ask()).toEqual([200, 200]);
    await end(id);
    time += 900;
    expect(await ask()).toEqual([401, 401]);
  });

  test('count refused keys together: a whole /64 has 30 tries a minute, and its neighbour its own', async () => {
    const ask = (address: (i: number) => string) =>
      spread(50, (replica, i) => replica.call('GET', '/auth/me', { headers: { 'X-Forwarded-For': address(i) } }));
    const first = await ask((i) => `2001:db8:0:1::${(i + 1).toString(16)}`);
    expect([numbersOf(first, 401), numbersOf(first, 429)]).toEqual([30, 20]);
    expect(first.find(({ status }) => status === 429)?.headers.get('Retry-After')).toBe('120');
    const second = await ask((i) => `2001:db8:0:2:${(i + 1).toString(16)}::1`);
    expect(numbersOf(second, 401)).toBe(30);
  });
});
