import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { skewDate } from '@pts/testing/skewed-date';
import { stores } from '@pts/testing/stores';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { type LimitStore, openLimitStore, type SharedLimiter } from './limit-store.ts';

const DAY_MS = 86_400_000;
const SECONDS = 2;

describe.each(stores())('in %s, a window ends in time for every replica', (store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let queue: TestQueue;
  let limits: LimitStore;
  let limiter: SharedLimiter;
  beforeEach(async () => {
    database = await testDatabase();
    queue = await testQueue(store, database.url);
    const logger = { warn() {}, info() {} } as never;
    limits = openLimitStore({ ...queue.options, breaker: queue.breaker, logger, patienceMs: 30_000 });
    await limits.connected;
    limiter = limits.create({ keyPrefix: 'k', points: 2, duration: SECONDS });
  });
  afterEach(async () => {
    await limits.close();
    await queue.close();
    await database.close();
  });

  const consume = (points: number, skewMs: number): Promise<RateLimiterRes> => {
    const restore = skewDate(skewMs);
    return limiter.consume('account', points).finally(restore);
  };

  test.each([
    ['the one that began it is a day ahead', DAY_MS, 0],
    ['the one that began it is a day behind', -DAY_MS, 0],
    ['the other one is a day ahead', 0, DAY_MS],
    ['the other one is a day behind', 0, -DAY_MS],
  ])('although %s', async (_, first, second) => {
    expect((await consume(2, first)).msBeforeNext).toBeLessThanOrEqual(SECONDS * 1000);
    const refused = await consume(1, second).catch((state: RateLimiterRes) => state);
    expect(refused).toMatchObject({ consumedPoints: 3 });
    expect(refused.msBeforeNext).toBeGreaterThan(0);
    expect(refused.msBeforeNext).toBeLessThanOrEqual(SECONDS * 1000);
    await eventually(async () => expect(await consume(1, second)).toMatchObject({ consumedPoints: 1 }));
  });
});
