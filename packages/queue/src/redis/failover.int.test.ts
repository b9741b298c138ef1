import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type RedundantRedis, startRedisCluster, startRedisSentinel } from '@pts/testing/servers/redis-failover';
import { openQueue, type QueueConnection, type Receiver } from '../connection.ts';
import { openSignals, type Signals } from '../signals.ts';
import { createProducer, type Producer, receiveWakeUps } from '../wake.ts';
import { openClient } from './client.ts';
import { inspectRedis } from './inspect.ts';

const PREFIX = '{pts}';
const PROVIDERS = ['one', 'two', 'three', 'four'];

const KINDS: [string, () => Promise<RedundantRedis>, (provider: string) => string][] = [
  ['Sentinels', startRedisSentinel, (name) => `{pts}:query-${name}:id`],
  ['a Cluster', startRedisCluster, (name) => `{pts-query-${name}}:query-${name}:id`],
];

describe.each(KINDS)('with %s', (_kind, start, keyOf) => {
  let redis: RedundantRedis;
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let queue: QueueConnection;
  let producer: Producer;
  let signals: Signals;
  let receivers: Receiver[];
  const seen = new Set<string>();
  const heard = new Set<string>();
  beforeAll(async () => {
    redis = await start();
    database = await testDatabase();
    const place = { redisUrl: redis.url, databaseUrl: database.url, prefix: PREFIX, onError: () => {} };
    queue = await openQueue(place);
    producer = createProducer(queue, () => {});
    receivers = PROVIDERS.map((name) =>
      receiveWakeUps<'query'>(
        queue,
        `query-${name}`,
        { query: ({ ids }) => ids.forEach((id) => void seen.add(`${name} ${id}`)) },
        () => {},
      ),
    );
    signals = openSignals({ ...place, breaker: queue.breaker });
    signals.subscribe('answered', (ids) => ids.forEach((id) => void heard.add(id)));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await producer.close();
    await signals.close();
    await queue.close();
    await database.close();
    await redis.stop();
  }, 60_000);

  /** Jobs of every queue reach their workers, and a signal its listener. */
  async function expectWork(id: string): Promise<void> {
    for (const name of PROVIDERS)
      await eventually(async () => {
        expect(await producer.query(name, [{ ids: [id], accounts: ['a'] }])).toBe(true);
      });
    await eventually(() => expect(PROVIDERS.filter((name) => !seen.has(`${name} ${id}`))).toEqual([]));
    await eventually(async () => {
      await signals.publish('answered', [id]);
      expect([...heard]).toContain(id);
    });
  }

  test('work flows, and goes on when the server of a queue is lost', async () => {
    await expectWork('before');
    const lost = await redis.masterOf(keyOf('one'));
    await lost.kill();
    await expectWork('after');
    await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
    await redis.restart(lost);
    await redis.untilWhole();
  });

  test('work goes on when the server of a queue hands over to its replica, which it then follows', async () => {
    await redis.handOver(await redis.masterOf(keyOf('one')));
    await expectWork('handed over');
    await eventually(() => expect(queue.breaker.isOpen()).toBe(false));
  });

  test('the keys of a queue are together, on a Cluster apart from those of others', async () => {
    const client = openClient(redis.url, {});
    try {
      for (const name of PROVIDERS) expect([name, await client.exists(keyOf(name))]).toEqual([name, 1]);
    } finally {
      client.disconnect();
    }
  });

  test('an operator can look at it', async () => {
    expect(await inspectRedis(redis.url)).toMatchObject({ policy: 'noeviction', isPersistent: false });
  });
});
