import { openQueue } from '@pts/queue/connection';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { testQueue } from '@pts/testing/queue';
import { openLimitStore } from './limit-store.ts';

const SECONDS = 2;
/** Nothing listens there. */
const NOWHERE = 'redis://127.0.0.1:1';

const logger = { warn() {}, info() {} } as never;

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
