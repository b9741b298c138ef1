import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { skewDate } from '@pts/testing/skewed-date';
import { stores } from '@pts/testing/stores';
import pg from 'pg';
import { openQueue, type Store, type WorkerHandle } from './connection.ts';
import { createProducer, type Producer } from './producer.ts';
import { startWorker } from './worker.ts';

const HOUR_MS = 3_600_000;

describe.each(stores())(
  'on %s, what a process with a wrong clock leaves behind is no later than anything else',
  (store: Store) => {
    let database: Awaited<ReturnType<typeof testDatabase>>;
    let queue: TestQueue;
    let producer: Producer;
    const ends: (() => unknown)[] = [];
    beforeEach(async () => {
      database = await testDatabase();
      queue = await testQueue(store, database.url);
      producer = createProducer(queue, () => {});
    });
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
      await producer.close();
      await queue.close();
      await database.close();
    });

    function work(
      connection: Pick<TestQueue, 'worker' | 'store' | 'breaker'>,
      handle: () => Promise<void>,
    ): WorkerHandle {
      const worker = startWorker<'deliver'>(
        connection as TestQueue,
        'deliver',
        { deliver: handle },
        { concurrency: 5, lockMs: 1000 },
        () => {},
      );
      ends.push(() => worker.close());
      return worker;
    }

    test.each([26, -26])('the job of one that was killed, %i hours off', async (hours) => {
      const other = await openQueue({ ...queue.options, onError: () => {} });
      let release = () => {};
      const hangs = new Promise<void>((resolve) => {
        release = resolve;
      });
      const restore = skewDate(hours * HOUR_MS);
      let taken = 0;
      try {
        work(other, async () => {
          taken += 1;
          await hangs;
        });
        await producer.deliver([{ webhookId: 'a', isFailing: false }]);
        await eventually(() => expect(taken).toBe(1));
        // As of a killed process: its lock is not renewed.
        await other.close();
      } finally {
        restore();
      }
      ends.push(release);
      let again = 0;
      work(queue, async () => {
        again += 1;
      });
      await eventually(() => expect(again).toBe(1));
    });

    test.each([26, -26])('a job that failed, %i hours off', async (hours) => {
      const restore = skewDate(hours * HOUR_MS);
      let failed = 0;
      try {
        const worker = work(queue, async () => {
          failed += 1;
          throw new Error('Postgres is away');
        });
        await producer.deliver([{ webhookId: 'a', isFailing: false }]);
        await eventually(() => expect(failed).toBeGreaterThan(0));
        await worker.close();
      } finally {
        restore();
      }
      let done = 0;
      work(queue, async () => {
        done += 1;
      });
      await eventually(() => expect(done).toBe(1));
    });
  },
);

test('on postgres, times far in the future that an earlier release has left behind end when a worker starts', async () => {
  const database = await testDatabase();
  const queue = await testQueue('postgres', database.url);
  const producer = createProducer(queue, () => {});
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const done: string[] = [];
  let worker: WorkerHandle | undefined;
  try {
    await producer.deliver(['killed', 'failed'].map((webhookId) => ({ webhookId, isFailing: false })));
    const far = Date.now() + 26 * HOUR_MS;
    await client.query(
      `UPDATE bullmq.job SET state = 'active', lock_token = 'gone', locked_until_ms = $1
      WHERE data->>'webhookId' = 'killed'`,
      [far],
    );
    await client.query(
      `UPDATE bullmq.job SET state = 'delayed', process_at_ms = $1 WHERE data->>'webhookId' = 'failed'`,
      [far],
    );
    await client.query(`INSERT INTO bullmq.meta (queue, field, value) VALUES ('deliver', 'stalled-check', $1)`, [
      `${far}`,
    ]);
    const deliver = async ({ webhookId }: { webhookId: string }) => void done.push(webhookId);
    worker = startWorker<'deliver'>(queue, 'deliver', { deliver }, { concurrency: 5, lockMs: 1000 }, () => {});
    await eventually(() => expect([...done].sort()).toEqual(['failed', 'killed']));
  } finally {
    await worker?.close();
    await client.end();
    await producer.close();
    await queue.close();
    await database.close();
  }
});
