import { openQueue, type QueueConnection } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { type Gate, startGate } from '@pts/testing/gate';
import { startRedis, type TestRedis } from '@pts/testing/servers/redis';
import { Redis } from 'ioredis';
import { type Poller, startPoller } from '../poller.ts';
import { found, openPollerTest, type PollerTest, scriptedProvider } from '../testing/test-poller.ts';

let world: PollerTest;
const closers: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A poller whose queue is at the address that the test gives, and whose data is reachable. */
async function start(store: 'redis' | 'postgres', place: { redisUrl?: string; databaseUrl?: string }) {
  world = await openPollerTest(store);
  closers.push(() => world.close());
  const queue: QueueConnection = await openQueue({
    databaseUrl: world.databaseUrl,
    ...place,
    prefix: `{away-${process.pid}}`,
    patienceMs: 200,
    onError: () => {},
  });
  const producer = createProducer(queue, () => {});
  const provider = scriptedProvider(() => found(), { batchSize: 5 });
  const depsFor = () => world.depsFor(provider, { producer });
  const poller: Poller = startPoller({ queue, providers: [provider], depsFor, sweepIntervalMs: 50, callGraceMs: 5000 });
  closers.push(
    () => queue.close(),
    () => producer.close(),
    () => poller.stop(),
  );
  const accountId = await world.account();
  /** Registers parcels, and waits until each was checked. */
  const areRequested = async (count: number) => {
    const numbers = Array.from({ length: count }, () => freshNumber());
    for (const number of numbers) await world.watch(accountId, number, { provider: 'scripted' });
    await eventually(() => {
      // Checks that were claimed when the queue failed become due again some seconds later.
      world.clock.pass(1);
      expect(provider.calls.flat()).toEqual(expect.arrayContaining(numbers));
    });
  };
  return { queue, provider, areRequested };
}

async function gateTo(store: 'redis' | 'postgres', url: string): Promise<Gate> {
  const gate = await startGate(url, store === 'redis' ? 6379 : 5432);
  closers.push(() => gate.close());
  return gate;
}

describe.each(['shut', 'mute'] as const)('with a queue that is %s', (state) => {
  test('on Redis, checks continue, and the queue is used again', async () => {
    const gate = await gateTo('redis', process.env.TEST_REDIS_URL ?? '');
    const { queue, areRequested } = await start('redis', { redisUrl: gate.url });
    await areRequested(5);
    gate.set(state);
    await areRequested(23);
    gate.set('open');
    await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
    await areRequested(23);
  }, 60_000);

  test('on Postgres, checks continue while the data can be reached', async () => {
    const other = await openPollerTest('postgres');
    closers.push(() => other.close());
    const gate = await gateTo('postgres', other.databaseUrl);
    const { queue, areRequested } = await start('postgres', { databaseUrl: gate.url });
    await areRequested(5);
    gate.set(state);
    await areRequested(23);
    gate.set('open');
    await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
    await areRequested(23);
  }, 60_000);
});

describe('with a Redis that accepts no writes', () => {
  let redis: TestRedis;
  let client: Redis;
  beforeEach(async () => {
    redis = await startRedis();
    client = new Redis(redis.url);
    closers.push(() => redis.stop());
    closers.push(async () => client.disconnect());
  });

  test.each([
    ['full', () => client.config('SET', 'maxmemory', '1'), () => client.config('SET', 'maxmemory', '0')],
    ['read-only', () => client.replicaof('127.0.0.1', 1), () => client.replicaof('NO', 'ONE')],
  ])(
    'because it is %s, checks continue, and the queue is used again',
    async (_fault, spoil, repair) => {
      const { queue, areRequested } = await start('redis', { redisUrl: redis.url });
      await areRequested(5);
      await spoil();
      await areRequested(23);
      expect(queue.breaker.isOpen()).toBe(true);
      await repair();
      await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
      await areRequested(23);
    },
    60_000,
  );
});
