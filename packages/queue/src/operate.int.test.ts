import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import { DELIVER_QUEUE } from './catalog.ts';
import type { Receiver, Store } from './connection.ts';
import { drainQueue, pauseQueue, readDepths, resumeQueue } from './operate.ts';
import { createProducer, type Producer, receiveWakeUps } from './wake.ts';

describe.each(stores())('on %s', (store: Store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let queue: TestQueue;
  let producer: Producer;
  let receiver: Receiver | undefined;
  const worked: string[] = [];
  beforeEach(async () => {
    worked.splice(0);
    database = await testDatabase();
    queue = await testQueue(store, database.url);
    producer = createProducer(queue, () => {});
  });
  afterEach(async () => {
    await receiver?.close();
    receiver = undefined;
    await producer.close();
    await queue.close();
    await database.close();
  });

  const wake = (...ids: string[]) =>
    producer.deliver(ids.map((webhookId) => ({ webhookId, accountId: 'a', isFailing: false })));
  const depth = async () => (await readDepths(queue, [DELIVER_QUEUE]))[0];
  const start = () => {
    const deliver = ({ webhookId }: { webhookId: string }) => void worked.push(webhookId);
    receiver = receiveWakeUps(queue, DELIVER_QUEUE, { deliver }, () => {});
  };

  test('nothing is received from a paused queue, which fills, until it is resumed', async () => {
    await pauseQueue(queue, DELIVER_QUEUE);
    start();
    await wake('7', '8');
    await eventually(() => expect(receiver?.isRunning()).toBe(true));
    const seen = { queue: DELIVER_QUEUE, waiting: 2, active: 0, isPaused: true, oldestAt: expect.any(Date) };
    expect([await depth(), worked]).toEqual([seen, []]);
    await resumeQueue(queue, DELIVER_QUEUE);
    await eventually(() => expect(worked.sort()).toEqual(['7', '8']));
    expect(await depth()).toMatchObject({ isPaused: false });
  });

  test('since when the oldest wake-up has waited', async () => {
    const handle = queue.queue(DELIVER_QUEUE);
    const at = (seconds: number) => ({ timestamp: 1_700_000_000_000 + seconds * 1000 });
    expect(await depth()).toMatchObject({ waiting: 0, oldestAt: null });
    await handle.add('first', {}, at(10));
    await handle.add('second', {}, at(15));
    await handle.close();
    expect(await depth()).toMatchObject({ waiting: 2, oldestAt: new Date(at(10).timestamp) });
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
