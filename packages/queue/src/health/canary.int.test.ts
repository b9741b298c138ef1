import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import type { Queue } from 'bullmq';
import { openQueue, type QueueConnection } from '../connection.ts';
import { createProducer } from '../producer.ts';
import { type StartedWorker, startWorker } from '../worker.ts';
import { type Canary, createCanary } from './canary.ts';

const IDLE = { answers: () => 0, onCanary: () => {} };

describe.each(stores())('canaries on %s', (store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let near: TestQueue;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    database = await testDatabase();
    near = await testQueue(store, database.url);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await near.close();
    await database.close();
  });

  /** The parts of a process: a connection, a worker with one place, and its canary. */
  async function startProcess(
    query: () => Promise<void> = async () => {},
    more: { gate?: Gate } = {},
  ): Promise<{ connection: QueueConnection; worker: StartedWorker; canary: Canary; failures: string[] }> {
    const { redisUrl, databaseUrl, prefix } = near.options;
    const behind =
      more.gate === undefined
        ? {}
        : redisUrl === undefined
          ? { databaseUrl: more.gate.url }
          : { redisUrl: more.gate.url };
    const connection = await openQueue({
      redisUrl,
      databaseUrl,
      prefix,
      ...behind,
      patienceMs: 500,
      onError: () => {},
    });
    const failures: string[] = [];
    const worker = startWorker<'query' | 'deliver'>(
      connection,
      'query-x',
      { query, deliver: query },
      { concurrency: 1 },
      (error) => failures.push(error.message),
    );
    const canary = createCanary({ connection, queue: 'query-x', worker, now: () => new Date() });
    closing.push(
      () => connection.close(),
      () => canary.close(),
      () => worker.close(),
    );
    return { connection, worker, canary, failures };
  }
  const until = (state: string, ...canaries: Canary[]) =>
    eventually(
      async () =>
        expect(await Promise.all(canaries.map((canary) => canary.round()))).toEqual(canaries.map(() => state)),
      { everyMs: 300 },
    );
  const waitingJobs = async () => {
    const queue = near.queue('query-x');
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed', 'completed', 'failed');
    await queue.close();
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  };

  test('prove that work flows, and report how long they waited; no handler sees them', async () => {
    let handled = 0;
    const { canary, failures } = await startProcess(async () => {
      handled += 1;
    });
    await until('healthy', canary);
    await eventually(async () => {
      await canary.round();
      expect(canary.latencySeconds()).toBeGreaterThanOrEqual(0);
    });
    expect([handled, failures]).toEqual([0, []]);
  }, 60_000);

  test('of many processes are one job in the queue, none when they end, and rare while work flows', async () => {
    const canaries = Array.from({ length: 5 }, () =>
      createCanary({ connection: near, queue: 'query-x', worker: IDLE, now: () => new Date() }),
    );
    for (let n = 0; n < 3; n++) {
      await Promise.all(canaries.map((canary) => canary.round()));
      expect(await waitingJobs()).toBe(1);
    }
    await Promise.all(canaries.map((canary) => canary.close()));
    expect(await waitingJobs()).toBe(0);
    const startedAt = performance.now();
    let taken = 0;
    const { worker, canary } = await startProcess();
    worker.onCanary(() => {
      taken += 1;
    });
    for (let n = 0; n < 40; n++) await canary.round();
    expect(taken).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 10_000);
  }, 60_000);

  test('overtake a backlog, so a backlog raises no alarm', async () => {
    const producer = createProducer(near, () => {});
    await producer.query(
      'x',
      Array.from({ length: 50 }, (_, n) => ({ ids: [String(n)], accounts: ['a'] })),
    );
    await createCanary({ connection: near, queue: 'query-x', worker: IDLE, now: () => new Date() }).round();
    let handled = 0;
    const { worker } = await startProcess(async () => {
      handled += 1;
    });
    const before = new Promise<number>((resolve) => worker.onCanary(() => resolve(handled)));
    expect(await before).toBe(0);
    await producer.close();
  }, 60_000);

  test('show a worker whose jobs never end as stuck, and that the queue still flows for others', async () => {
    let hung = 0;
    let end = () => {};
    const stuck = await startProcess(() => {
      hung += 1;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    closing.push(async () => end());
    const producer = createProducer(near, () => {});
    await producer.query('x', [{ ids: ['1'], accounts: ['a'] }]);
    await eventually(() => expect(hung).toBe(1));
    const other = await startProcess();
    await until('healthy', other.canary);
    await until('stuck', stuck.canary);
    await eventually(async () => {
      await stuck.canary.round();
      expect(stuck.canary.needsRestart()).toBe(true);
    });
    expect(other.canary.needsRestart()).toBe(false);
    end();
    await until('healthy', stuck.canary);
    expect(stuck.canary.needsRestart()).toBe(false);
    await producer.close();
  }, 90_000);

  test('that no process takes raise an alarm, and cause no restart', async () => {
    const { canary } = await startProcess();
    const queue = near.queue('query-x') as Queue;
    await queue.pause();
    await eventually(async () => expect(await canary.round()).toBe('unconsumed'), { everyMs: 1200 });
    expect(canary.needsRestart()).toBe(false);
    await queue.resume();
    await until('healthy', canary);
    await queue.close();
  }, 90_000);

  test.each(['shut', 'mute'] as const)(
    'say that the queue is away (%s) instead of raising an alarm',
    async (state) => {
      const { redisUrl, databaseUrl } = near.options;
      const gate = redisUrl === undefined ? await startGate(databaseUrl, 5432) : await startGate(redisUrl, 6379);
      closing.push(() => gate.close());
      const { canary } = await startProcess(undefined, { gate });
      await until('healthy', canary);
      gate.set(state);
      for (let n = 0; n < 12; n++) expect(await canary.round()).toBe('unreachable');
      expect([canary.needsRestart(), canary.ageSeconds() < 5]).toEqual([false, true]);
      gate.set('open');
      await until('healthy', canary);
    },
    90_000,
  );
});
