import { openQueue, type QueueConnection } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { startGate } from '@pts/testing/network-faults';
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

test.each([
  ['redis', 'shut'],
  ['postgres', 'mute'],
] as const)(
  'with a queue on %s that is %s, checks continue while the data can be reached, and the queue is used again',
  async (store, state) => {
    const other = await openPollerTest(store);
    closers.push(() => other.close());
    const isRedis = store === 'redis';
    const gate = await startGate(
      isRedis ? (process.env.TEST_REDIS_URL ?? '') : other.databaseUrl,
      isRedis ? 6379 : 5432,
    );
    closers.push(() => gate.close());
    const { queue, areRequested } = await start(store, isRedis ? { redisUrl: gate.url } : { databaseUrl: gate.url });
    await areRequested(5);
    gate.set(state);
    await areRequested(23);
    gate.set('open');
    await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
    await areRequested(23);
  },
  60_000,
);
