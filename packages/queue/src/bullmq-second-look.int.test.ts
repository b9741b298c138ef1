import { eventually } from '@pts/testing/eventually';
import { testQueue } from '@pts/testing/queue';
import { redisUrlOn } from '@pts/testing/stores';
import { Redis } from 'ioredis';
import { createProducer } from './producer.ts';
import { startWorker } from './worker.ts';

const RedisQueue = async () => {
  const queue = await testQueue('redis', 'postgresql://unused');
  const redis = new Redis(redisUrlOn('redis') ?? '');
  const monitor = await redis.monitor();
  const key = (type: string) => `${queue.options.prefix}:deliver:${type}`;
  /** Claims ('claim'), waits ('wait') and added jobs ('add') of the queue, in order. */
  const seen: string[] = [];
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    if (source === 'lua') return;
    const [command = '', , count, first] = args;
    if (command.toLowerCase() === 'bzpopmin' && args[1] === key('marker')) seen.push('wait');
    if (command.toLowerCase() !== 'evalsha' && command.toLowerCase() !== 'eval') return;
    if (first !== key('wait')) return;
    if (count === '11') seen.push('claim');
    if (count === '9') seen.push('add');
  });
  const producer = createProducer(queue, () => {});
  const close = async () => {
    monitor.disconnect();
    redis.disconnect();
    await producer.close();
    await queue.close();
  };
  return { queue, redis, producer, seen, key, close };
};

test('a worker that one job wakes claims once, and then waits for the next job', async () => {
  const { queue, redis, producer, seen, key, close } = await RedisQueue();
  const done: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const deliver = async ({ webhookId }: { webhookId: string }) => {
    done.push(webhookId);
    await ended;
  };
  const worker = startWorker<'deliver'>(queue, 'deliver', { deliver }, { concurrency: 5 }, () => {});
  await eventually(() => expect(seen.at(-1)).toBe('wait'));
  await producer.deliver([{ webhookId: 'a', isFailing: false }]);
  await eventually(() => {
    expect(done).toEqual(['a']);
    const since = seen.slice(seen.lastIndexOf('add') + 1);
    expect(since.slice(0, 2)).toEqual(['claim', 'wait']);
  });
  expect(await redis.exists(key('marker'))).toBe(0);
  // And it misses none: several at once, while it works.
  const more = Array.from({ length: 4 }, (_, n) => `b${n}`);
  await Promise.all(more.map((webhookId) => producer.deliver([{ webhookId, isFailing: false }])));
  await eventually(() => expect(done.toSorted()).toEqual(['a', ...more]));
  end();
  await worker.close();
  await close();
});
