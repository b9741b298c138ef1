import { ownTimeOf } from '@pts/testing/clock';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import { openQueue, type QueueConnection, type Store } from '../connection.ts';
import { createProducer, type Producer } from '../producer.ts';
import { startWorker } from '../worker.ts';

/** How long a request may wait for a lost wake-up: the producer's two seconds and a margin. */
const BOUND_MS = 3500;

describe.each(stores())('while %s is away', (store: Store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let near: TestQueue;
  let gate: Gate;
  let queue: QueueConnection;
  let producer: Producer;
  let lost: unknown[] = [];
  beforeEach(async () => {
    lost = [];
    database = await testDatabase();
    near = await testQueue(store, database.url);
    const { redisUrl, databaseUrl, prefix } = near.options;
    gate = redisUrl === undefined ? await startGate(databaseUrl, 5432) : await startGate(redisUrl, 6379);
    const behind = redisUrl === undefined ? { databaseUrl: gate.url } : { databaseUrl, redisUrl: gate.url };
    queue = await openQueue({ ...behind, prefix, onError: () => {} });
    producer = createProducer(queue, (error) => lost.push(error));
  });
  afterEach(async () => {
    gate.set('open');
    await producer.close();
    await queue.close();
    await gate.close();
    await near.close();
    await database.close();
  });

  const wakeUp = (webhookId: string) => producer.deliver([{ webhookId, accountId: 'a', isFailing: false }]);
  /** A store that is paused for as long as a caller waits looks like one that is away. */
  const accepted = (webhookId: string) => eventually(async () => expect(await wakeUp(webhookId)).toBe(true));
  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    expect(await ownTimeOf(() => running)).toBeLessThan(BOUND_MS);
    return running;
  }

  test.each(['shut', 'mute'] as const)(
    '(%s) a wake-up returns false in time, and is accepted again afterwards',
    async (state) => {
      await accepted('1');
      lost = [];
      gate.set(state);
      expect(await bounded(() => wakeUp('2'))).toBe(false);
      expect(await bounded(() => producer.query('x', [{ ids: ['1'], accounts: ['a'] }]))).toBe(false);
      expect(await bounded(() => producer.waiting('deliver'))).toBeNull();
      expect(lost).toHaveLength(3);
      gate.set('open');
      await accepted('3');
    },
    30_000,
  );

  test('a worker resumes on its own once it is back', async () => {
    const seen: string[] = [];
    const worker = startWorker<'deliver'>(
      queue,
      'deliver',
      { deliver: async ({ webhookId }) => void seen.push(webhookId) },
      { concurrency: 2 },
      () => {},
    );
    const direct = createProducer(near, (error) => lost.push(error));
    await direct.deliver([{ webhookId: '1', accountId: 'a', isFailing: false }]);
    await eventually(() => expect(seen).toEqual(['1']));
    gate.set('shut');
    await direct.deliver([{ webhookId: '2', accountId: 'a', isFailing: false }]);
    gate.set('open');
    await eventually(() => expect(seen).toContain('2'));
    await worker.close();
    await direct.close();
  }, 30_000);

  test.each([
    ['shut', 'young'],
    ['mute', 'idle'],
    ['half-open', 'idle'],
  ] as const)('(%s) a worker that is %s closes in time, and so does the queue', async (state, age) => {
    let runs = 0;
    const deliver = async () => {
      runs += 1;
    };
    const worker = startWorker<'deliver'>(queue, 'deliver', { deliver }, { concurrency: 2 }, () => {});
    if (age === 'idle') {
      await accepted('1');
      await eventually(() => expect(runs).toBeGreaterThan(0));
    }
    gate.set(state);
    const closing = async () => {
      await worker.close();
      await queue.close();
    };
    expect(await ownTimeOf(closing)).toBeLessThan(10_000);
  });

  test.each(['mute', 'half-open'] as const)(
    '(%s) a worker that cannot report its last job still ends',
    async (state) => {
      let runs = 0;
      const deliver = async () => {
        gate.set(state);
        runs += 1;
      };
      const worker = startWorker<'deliver'>(queue, 'deliver', { deliver }, { concurrency: 2 }, () => {});
      await eventually(async () => {
        if (runs === 0) await wakeUp('1');
        expect(runs).toBeGreaterThan(0);
      });
      await worker.close();
      await eventually(() => expect(worker.isRunning()).toBe(false));
    },
  );
});

test('a process starts although nothing listens where Redis should be', async () => {
  const lost: unknown[] = [];
  const databaseUrl = 'postgres://nobody@127.0.0.1:1/none';
  const queue = await openQueue({ redisUrl: 'redis://127.0.0.1:1', databaseUrl, prefix: '{x}', onError: () => {} });
  const producer = createProducer(queue, (error) => lost.push(error));
  expect(await producer.deliver([{ webhookId: '1', accountId: 'a', isFailing: false }])).toBe(false);
  await expect(queue.ping()).rejects.toThrow();
  expect(lost).toHaveLength(1);
  await producer.close();
  await queue.close();
});
