import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import type { ParcelsJob } from './catalog.ts';
import type { Receiver, Store } from './connection.ts';
import { pauseQueue, resumeQueue, watchQueues } from './operate.ts';
import { createProducer, type Handlers, type Producer, receiveWakeUps } from './wake.ts';

describe.each(stores())('on %s', (store: Store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let queue: TestQueue;
  let producer: Producer;
  const lost: unknown[] = [];
  const receivers: Receiver[] = [];
  beforeEach(async () => {
    database = await testDatabase();
    queue = await testQueue(store, database.url);
    producer = createProducer(queue, (error) => lost.push(error));
  });
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
    await producer.close();
    await queue.close();
    await database.close();
    expect(lost).toEqual([]);
  });

  const faults: string[] = [];
  beforeEach(() => void faults.splice(0));
  function receive<N extends 'query' | 'retrack' | 'deliver'>(name: string, handlers: Handlers<N>) {
    const receiver = receiveWakeUps(queue, name, handlers, ({ message }) => faults.push(message));
    receivers.push(receiver);
    return receiver;
  }
  const wakeUp = (webhookId: string) => producer.deliver([{ webhookId, accountId: 'a', isFailing: false }]);

  test('a wake-up reaches its handler with its payload, and leaves nothing behind', async () => {
    const seen: unknown[] = [];
    const keep = (name: string) => (payload: unknown) => void seen.push([name, payload]);
    receive<'query' | 'retrack'>('query-x', { query: keep('query'), retrack: keep('retrack') });
    expect(await producer.query('x', [{ ids: ['1'], accounts: ['a'] }])).toBe(true);
    expect(await producer.retrack('x', { ids: ['2'], accounts: ['a'] })).toBe(true);
    await eventually(() => expect(seen).toHaveLength(2));
    expect(seen).toEqual([
      ['query', { ids: ['1'], accounts: ['a'] }],
      ['retrack', { ids: ['2'], accounts: ['a'] }],
    ]);
    const counts = await queue.queue('query-x').getJobCounts();
    expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(0);
  });

  test('a payload that does not match its schema is reported and dropped', async () => {
    const handled: unknown[] = [];
    const broken = [{}, { ids: [] }, { ids: [1] }, { claimed: [] }] as unknown as ParcelsJob[];
    receive<'query' | 'retrack'>('query-x', { query: (job) => void handled.push(job), retrack: () => {} });
    await producer.query('x', [...broken, { ids: ['good'], accounts: ['a'] }]);
    await eventually(() => expect([faults.length, handled.length]).toEqual([broken.length, 1]));
    for (const fault of faults) expect(fault).toContain('job query has an invalid payload');
    expect(handled).toEqual([{ ids: ['good'], accounts: ['a'] }]);
    expect(await queue.waiting('query-x')).toBe(0);
  });

  test('a job without a handler is reported by its name', async () => {
    receive<'query'>('query-x', { query: () => {} });
    await producer.retrack('x', { ids: ['1'], accounts: ['a'] });
    await eventually(() => expect(faults).toEqual(['queue query-x has no handler for job retrack']));
  });

  test('the wake-ups of one endpoint are merged into one while they wait; one that is added from its start on is received', async () => {
    for (let n = 0; n < 3; n++) await wakeUp('7');
    await producer.deliver(['7', '8', '7'].map((webhookId) => ({ webhookId, accountId: 'a', isFailing: true })));
    expect(await queue.waiting('deliver')).toBe(2);
    const started: string[] = [];
    let added: Promise<unknown> | undefined;
    receive<'deliver'>('deliver', {
      deliver: ({ webhookId }) => {
        started.push(webhookId);
        added ??= wakeUp(webhookId);
      },
    });
    await eventually(() => expect(started).toHaveLength(3));
    expect(started.sort()).toEqual(['7', '7', '8']);
    await added;
  });

  test('closing is quick, and what is not received then stays in the queue', async () => {
    const started: string[] = [];
    const receiver = receive<'deliver'>('deliver', { deliver: ({ webhookId }) => void started.push(webhookId) });
    await wakeUp('1');
    await eventually(() => expect(started).toEqual(['1']));
    await receiver.close();
    await wakeUp('2');
    expect(receiver.isRunning()).toBe(false);
    expect(started).toEqual(['1']);
    expect(await queue.waiting('deliver')).toBe(1);
  });

  test('operators pause a queue: nothing is received, and processes say so, until it is resumed', async () => {
    const started: string[] = [];
    receive<'deliver'>('deliver', { deliver: ({ webhookId }) => void started.push(webhookId) });
    const set = () => {};
    const metrics = { set, remove: set };
    const watch = watchQueues({
      connection: queue,
      queues: ['deliver'],
      logger: { warn: set, info: set },
      metrics: { queueUnreachable: metrics, queueDepth: metrics, queueOldestSeconds: metrics },
      now: () => new Date(),
    });
    expect(await watch.isPaused('deliver')).toBe(false);
    expect(watch.details()).toEqual({ deliver: 'ok' });
    await pauseQueue(queue, 'deliver');
    await wakeUp('1');
    expect(await watch.isPaused('deliver')).toBe(true);
    expect(watch.details()).toEqual({ deliver: expect.stringContaining('queues resume deliver') });
    expect(started).toEqual([]);
    await resumeQueue(queue, 'deliver');
    await eventually(() => expect(started).toEqual(['1']));
    expect(await watch.isPaused('deliver')).toBe(false);
    await watch.close();
  });

  test('the store answers a ping', async () => {
    expect(queue.store).toBe(store);
    await expect(queue.ping()).resolves.toBeUndefined();
  });
});
