import { openQueue } from '@pts/queue/connection';
import { skewDate } from '@pts/testing/clock';
import { queryOnce, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import { type Count, type LimitStore, openLimitStore } from './limit-store.ts';

const DAY_MS = 86_400_000;
const SECONDS = 2;
/** Nothing listens there. */
const NOWHERE = 'redis://127.0.0.1:1';

const logger = { warn() {}, info() {} } as never;

describe.each(stores())('in %s', (store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let queue: TestQueue;
  let limits: LimitStore;
  let count: Count;
  beforeEach(async () => {
    database = await testDatabase();
    queue = await testQueue(store, database.url);
    limits = openLimitStore({ ...queue.options, breaker: queue.breaker, logger, patienceMs: 30_000 });
    await limits.connected;
    count = limits.counter('k', SECONDS);
  });
  afterEach(async () => {
    await limits.close();
    await queue.close();
    await database.close();
  });

  const countWith = (skewMs: number, key: string, requests: number) => {
    const restore = skewDate(skewMs);
    return count(key, requests).finally(restore);
  };

  // A replica whose clock is wrong is not ready, but answers what still arrives.
  test.each([
    ['every clock is right', 0, 0],
    ['the one that began it is a day ahead', DAY_MS, 0],
    ['the one that began it is a day behind', -DAY_MS, 0],
    ['the other one is a day ahead', 0, DAY_MS],
    ['the other one is a day behind', 0, -DAY_MS],
  ])('a window is that of all replicas, and ends in time for each, although %s', async (_, first, second) => {
    let tries = 0;
    const key = await eventually(async () => {
      // On a busy machine, a window may be over before the second request: then with another account.
      const account = `account ${++tries}`;
      const [begun, counted] = [await countWith(first, account, 2), await countWith(second, account, 1)];
      expect([begun.requests, counted.requests]).toEqual([2, 3]);
      for (const { msLeft } of [begun, counted]) {
        expect(msLeft).toBeGreaterThan(0);
        expect(msLeft).toBeLessThanOrEqual(SECONDS * 1000);
      }
      return account;
    });
    await eventually(async () => expect(await countWith(second, key, 1)).toMatchObject({ requests: 1 }));
  });

  test('keys and limits are counted separately', async () => {
    const [one, other] = ['k', 'l'].map((name) => limits.counter(name, 3600)) as [Count, Count];
    await Promise.all([one('a', 5), one('b', 1), other('a', 2)]);
    const next = await Promise.all([one('a', 1), one('b', 1), other('a', 1)]);
    expect(next.map(({ requests }) => requests)).toEqual([6, 2, 3]);
  });
});

test('a count that came just before the one that began its window has the whole window left, and not more', async () => {
  const database = await testDatabase();
  const queue = await testQueue('postgres', database.url);
  const limits = openLimitStore({ ...queue.options, breaker: queue.breaker, logger, patienceMs: 30_000 });
  try {
    const count = limits.counter('k', 3600);
    await count('account', 1);
    await queryOnce(database.url, 'UPDATE rate_limits SET expire = expire + 60000');
    expect(await count('account', 1)).toEqual({ requests: 2, msLeft: 3_600_000 });
  } finally {
    await limits.close();
    await queue.close();
    await database.close();
  }
});

test('an outage of the Redis for the limits alone names it', async () => {
  const warned: unknown[] = [];
  const warn = (fields: unknown, message: string) => void warned.push([fields, message]);
  const redisLimitsUrl = NOWHERE.replace('//', '//:s3cret@');
  const own = { databaseUrl: '', prefix: 'x', redisLimitsUrl, breaker: {} as never, logger: { warn } as never };
  const limits = openLimitStore(own);
  try {
    const err = expect.stringMatching(/^Redis 127\.0\.0\.1:1: connect ECONNREFUSED/);
    await eventually(() => expect(warned).toEqual([[{ err }, 'rate limit outage']]));
  } finally {
    await limits.close();
  }
});

test('a Redis for the limits alone counts while that of the queue is unreachable', async () => {
  const database = await testDatabase();
  const nowhere = await openQueue({ redisUrl: NOWHERE, databaseUrl: database.url, prefix: 'x', onError: () => {} });
  const queue = await testQueue('redis', database.url);
  const redisLimitsUrl = queue.options.redisUrl;
  const options = { ...queue.options, redisUrl: NOWHERE, redisLimitsUrl, breaker: nowhere.breaker, logger };
  const limits = openLimitStore({ ...options, patienceMs: 30_000 });
  try {
    await expect(nowhere.breaker.run(() => nowhere.ping())).rejects.toThrow();
    await limits.connected;
    expect(await limits.breaker.run(() => limits.counter('k', SECONDS)('account', 2))).toMatchObject({ requests: 2 });
  } finally {
    await limits.close();
    await nowhere.close();
    await queue.close();
    await database.close();
  }
});
