import { openQueue, type QueueConnection } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { eventually } from '@pts/testing/eventually';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { startRedis } from '@pts/testing/servers/redis';
import { stores } from '@pts/testing/stores';
import { Redis } from 'ioredis';
import {
  type DispatchOptions,
  type Merchant,
  startTestDispatch,
  type TestDispatch,
} from '../testing/test-dispatcher.ts';

const closers: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(store: 'redis' | 'postgres'): Promise<TestDispatch> {
  const given = await startTestDispatch(store);
  closers.push(() => given.close());
  return given;
}

/** A dispatcher whose queue is at the address that the test gives, and whose data is reachable. */
async function dispatchFrom(
  given: TestDispatch,
  place: { redisUrl?: string; databaseUrl?: string },
  more: DispatchOptions = {},
): Promise<QueueConnection> {
  const options = { databaseUrl: given.databaseUrl, prefix: `{away-${process.pid}}`, patienceMs: 200, ...place };
  const queue = await openQueue({ ...options, onError: () => {} });
  const producer = createProducer(queue, () => {});
  const dispatcher = given.dispatch({ ...more, queue, producer });
  closers.push(
    () => queue.close(),
    () => producer.close(),
    () => dispatcher.stop(),
  );
  return queue;
}

async function gateTo(
  given: TestDispatch,
  store: 'redis' | 'postgres',
): Promise<[Gate, Parameters<typeof dispatchFrom>[1]]> {
  const gate =
    store === 'redis'
      ? await startGate(given.queue.options.redisUrl ?? '', 6379)
      : await startGate(given.databaseUrl, 5432);
  closers.push(() => gate.close());
  return [gate, store === 'redis' ? { redisUrl: gate.url } : { databaseUrl: gate.url }];
}

/** Waits until all deliveries of a merchant have arrived. @returns how often its receiver was called. */
async function pushesTo(given: TestDispatch, merchant: Merchant, count: number): Promise<number> {
  await eventually(async () => expect(await given.states(merchant)).toEqual({ delivered: count }));
  return merchant.receiver.requests.length;
}

describe.each(stores())('with a queue on %s', (store) => {
  test('that is mute, pushes continue, and the queue is used again', async () => {
    const given = await start(store);
    const [gate, place] = await gateTo(given, store);
    const queue = await dispatchFrom(given, place);
    const merchants = [await given.merchant(), await given.merchant()];
    const owe = (count: number) => Promise.all(merchants.map((merchant) => given.owe(merchant, count)));
    const pushes = (count: number) => Promise.all(merchants.map((merchant) => pushesTo(given, merchant, count)));
    await owe(3);
    expect(await pushes(3)).toEqual([3, 3]);
    gate.set('mute');
    await owe(20);
    expect(await pushes(23)).toEqual([23, 23]);
    gate.set('open');
    await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
    await owe(1);
    expect(await pushes(24)).toEqual([24, 24]);
  }, 60_000);

  test('that only some processes reach, each message is pushed once', async () => {
    const given = await start(store);
    const [gate, place] = await gateTo(given, store);
    gate.set('shut');
    await dispatchFrom(given, place);
    given.dispatch();
    const merchants = await Promise.all(Array.from({ length: 5 }, () => given.merchant()));
    for (let n = 0; n < 10; n++)
      for (const merchant of merchants) await given.producer.deliver(await given.owe(merchant, 2));
    for (const merchant of merchants) expect(await pushesTo(given, merchant, 20)).toBe(20);
  }, 60_000);
});

test.each([
  [
    'full',
    (redis: Redis) => redis.config('SET', 'maxmemory', '1'),
    (redis: Redis) => redis.config('SET', 'maxmemory', '0'),
  ],
  ['read-only', (redis: Redis) => redis.replicaof('127.0.0.1', 1), (redis: Redis) => redis.replicaof('NO', 'ONE')],
])(
  'with a Redis that is %s, pushes continue, and the queue is used again',
  async (_fault, spoil, repair) => {
    const server = await startRedis();
    const redis = new Redis(server.url);
    closers.push(() => server.stop());
    closers.push(async () => redis.disconnect());
    const given = await start('redis');
    const queue = await dispatchFrom(given, { redisUrl: server.url });
    const merchant = await given.merchant();
    await spoil(redis);
    await given.owe(merchant, 20);
    expect(await pushesTo(given, merchant, 20)).toBe(20);
    expect(queue.breaker.isOpen()).toBe(true);
    await repair(redis);
    await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
    await given.owe(merchant, 5);
    expect(await pushesTo(given, merchant, 25)).toBe(25);
  },
  60_000,
);
