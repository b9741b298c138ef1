import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import { CANARY_ID, DELIVER_QUEUE, PRIORITIES } from './catalog.ts';
import type { Store, WorkerHandle } from './connection.ts';
import { drainQueue, pauseQueue, readDepths, resumeQueue } from './operate.ts';
import { createProducer, type Producer } from './producer.ts';
import { startWorker } from './worker.ts';

describe.each(stores())('on %s', (store: Store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let queue: TestQueue;
  let producer: Producer;
  let worker: WorkerHandle | undefined;
  const worked: string[] = [];
  beforeEach(async () => {
    worked.splice(0);
    database = await testDatabase();
    queue = await testQueue(store, database.url);
    producer = createProducer(queue, () => {});
  });
  afterEach(async () => {
    await worker?.close();
    worker = undefined;
    await producer.close();
    await queue.close();
    await database.close();
  });

  const wake = (...ids: string[]) =>
    producer.deliver(ids.map((webhookId) => ({ webhookId, accountId: 'a', isFailing: false })));
  const depth = async () => (await readDepths(queue, [DELIVER_QUEUE]))[0];
  const start = () => {
    const deliver = async ({ webhookId }: { webhookId: string }) => void worked.push(webhookId);
    worker = startWorker(queue, DELIVER_QUEUE, { deliver }, { concurrency: 1 }, () => {});
  };

  test('workers take nothing from a paused queue, which fills, until it is resumed', async () => {
    await pauseQueue(queue, DELIVER_QUEUE);
    start();
    await wake('7', '8');
    await eventually(() => expect(worker?.answers()).toBeGreaterThan(0));
    const seen = { queue: DELIVER_QUEUE, waiting: 2, active: 0, isPaused: true, oldestAt: expect.any(Date) };
    expect([await depth(), worked]).toEqual([seen, []]);
    // Sweeps add nothing to a queue that is full.
    expect(await producer.waiting(DELIVER_QUEUE)).toBe(2);
    await resumeQueue(queue, DELIVER_QUEUE);
    await eventually(() => expect(worked.sort()).toEqual(['7', '8']));
    expect(await depth()).toMatchObject({ isPaused: false });
  });

  test('since when the oldest job has waited, whatever its priority; a canary is no such job', async () => {
    const handle = queue.queue(DELIVER_QUEUE);
    const at = (seconds: number) => ({ timestamp: 1_700_000_000_000 + seconds * 1000 });
    await handle.add('canary', {}, { ...at(0), jobId: CANARY_ID, lifo: true });
    expect(await depth()).toMatchObject({ waiting: 1, oldestAt: null });
    await handle.add('one of many', {}, { ...at(20), priority: PRIORITIES.bulk });
    await handle.add('first', {}, at(10));
    await handle.add('second', {}, at(15));
    expect(await depth()).toMatchObject({ waiting: 4, oldestAt: new Date(at(10).timestamp) });
    await handle.add('another of many', {}, { ...at(25), priority: PRIORITIES.bulk });
    await handle.add('waited longest', {}, { ...at(5), priority: PRIORITIES.regular });
    await handle.add('regular as well', {}, { ...at(30), priority: PRIORITIES.regular });
    await handle.close();
    expect(await depth()).toMatchObject({ waiting: 7, oldestAt: new Date(at(5).timestamp) });
  });

  test('a drained queue is empty, and takes the same wake-ups again', async () => {
    await wake('7', '8');
    expect(await drainQueue(queue, DELIVER_QUEUE)).toBe(2);
    expect([await depth(), await drainQueue(queue, DELIVER_QUEUE)]).toEqual([
      { queue: DELIVER_QUEUE, waiting: 0, active: 0, isPaused: false, oldestAt: null },
      0,
    ]);
    await wake('7');
    start();
    await eventually(() => expect(worked).toEqual(['7']));
  });
});
