import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import type { QueryJob } from './catalog.ts';
import type { Store, WorkerHandle } from './connection.ts';
import { createProducer, type Producer } from './producer.ts';
import { type Handlers, startWorker } from './worker.ts';

const CLAIMED = {
  trackingId: 'a',
  accountId: 'a',
  trackingNumber: 'YT1',
  carrier: 'yto',
  fingerprint: null,
  finalLook: false,
  hints: null,
};

describe.each(stores())('on %s', (store: Store) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let queue: TestQueue;
  let producer: Producer;
  const lost: unknown[] = [];
  const workers: WorkerHandle[] = [];
  beforeEach(async () => {
    database = await testDatabase();
    queue = await testQueue(store, database.url);
    producer = createProducer(queue, (error) => lost.push(error));
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    await producer.close();
    await queue.close();
    await database.close();
    expect(lost).toEqual([]);
  });

  const failures: { job: string | undefined; message: string }[] = [];
  beforeEach(() => void failures.splice(0));
  function work<N extends 'query' | 'retrack' | 'deliver'>(name: string, handlers: Handlers<N>, concurrency = 5) {
    const worker = startWorker(queue, name, handlers, { concurrency }, (error, job) => {
      if (job) failures.push({ job, message: error.message });
    });
    workers.push(worker);
    return worker;
  }
  const wakeUp = (webhookId: string) => producer.deliver([{ webhookId, accountId: 'a', isFailing: false }]);

  test('a job reaches its handler with its payload', async () => {
    const seen: unknown[] = [];
    const keep = (name: string) => async (payload: unknown) => void seen.push([name, payload]);
    work<'query' | 'retrack'>('query-x', { query: keep('query'), retrack: keep('retrack') });
    expect(await producer.query('x', [{ ids: ['1'], accounts: ['a'] }, { claimed: [CLAIMED] }])).toBe(true);
    expect(await producer.retrack('x', { ids: ['2'], accounts: ['a'] })).toBe(true);
    await eventually(() => expect(seen).toHaveLength(3));
    expect(seen).toEqual(
      expect.arrayContaining([
        ['query', { ids: ['1'], accounts: ['a'] }],
        ['query', { claimed: [CLAIMED] }],
        ['retrack', { ids: ['2'], accounts: ['a'] }],
      ]),
    );
  });

  test('what somebody waits for goes first, then first answers to many numbers, and regular checks last', async () => {
    const seen: string[] = [];
    const nameOf = (job: QueryJob) => ('claimed' in job ? (job.claimed[0]?.trackingId ?? '') : (job.ids[0] ?? ''));
    const check = (trackingId: string, fingerprint: string | null) => ({
      claimed: [{ ...CLAIMED, trackingId, fingerprint }],
    });
    await producer.query('x', [check('regular', 'seen'), check('regular too', 'seen'), check('found', null)]);
    await producer.query('x', [{ ids: ['one of many'], accounts: ['a'] }], true);
    await producer.query('x', [{ ids: ['woken'], accounts: ['a'] }], false);
    await producer.retrack('x', { ids: ['retracked'], accounts: ['a'] });
    expect(await producer.load('query-x')).toEqual({ regular: 2, others: 4 });
    expect(await producer.waiting('query-x')).toBe(6);
    const keep = async (job: QueryJob) => void seen.push(nameOf(job));
    work<'query' | 'retrack'>('query-x', { query: keep, retrack: keep }, 1);
    await eventually(() => expect(seen).toHaveLength(6));
    expect(seen.slice(0, 4)).toEqual(['woken', 'retracked', 'found', 'one of many']);
    // Jobs of one call are added at once.
    expect(seen.slice(4).sort()).toEqual(['regular', 'regular too']);
  });

  test('a payload that does not match its schema fails permanently, at once and without side effects', async () => {
    const handled: unknown[] = [];
    const broken = [
      ...[{}, { ids: [] }, { ids: [1] }, { claimed: [] }, { claimed: [{ trackingId: 'a' }] }],
      ...[{ claimed: [{ ...CLAIMED, fingerprint: 7 }] }, { claimed: [{ ...CLAIMED, hints: 'x' }] }],
    ] as unknown as QueryJob[];
    work<'query' | 'retrack'>('query-x', { query: async (job) => void handled.push(job), retrack: async () => {} });
    await producer.query('x', [...broken, { ids: ['good'], accounts: ['a'] }]);
    await eventually(() => expect([failures.length, handled.length]).toEqual([broken.length, 1]));
    for (const { job, message } of failures)
      expect([job, message]).toEqual(['query', expect.stringContaining('invalid payload')]);
    expect(handled).toEqual([{ ids: ['good'], accounts: ['a'] }]);
    expect(await producer.waiting('query-x')).toBe(0);
  });

  test('a job without a handler fails with an error that names it', async () => {
    work<'query'>('query-x', { query: async () => {} });
    await producer.retrack('x', { ids: ['1'], accounts: ['a'] });
    await eventually(() =>
      expect(failures).toEqual([{ job: 'retrack', message: expect.stringContaining('no handler') }]),
    );
  });

  describe('the wake-ups of one endpoint', () => {
    const finishes: (() => void)[] = [];
    const started: string[] = [];
    beforeEach(() => {
      finishes.splice(0);
      started.splice(0);
    });
    /** Works for each endpoint until it is finished. */
    const deliver = async ({ webhookId }: { webhookId: string }) => {
      started.push(webhookId);
      await new Promise<void>((resolve) => finishes.push(resolve));
    };

    test('are merged into one while they wait', async () => {
      for (let n = 0; n < 3; n++) await wakeUp('7');
      await producer.deliver(['7', '8', '7'].map((webhookId) => ({ webhookId, accountId: 'a', isFailing: true })));
      expect(await producer.waiting('deliver')).toBe(2);
    });

    test('never run at the same time; one that is added during a run waits until that has ended', async () => {
      work<'deliver'>('deliver', { deliver });
      await wakeUp('7');
      await eventually(() => expect(started).toEqual(['7']));
      for (let n = 0; n < 3; n++) await wakeUp('7');
      await wakeUp('8');
      await eventually(() => expect(started).toEqual(['7', '8']));
      finishes[0]?.();
      await eventually(() => expect(started).toEqual(['7', '8', '7']));
      for (const finish of finishes) finish();
      await eventually(async () => {
        const counts = await queue.queue('deliver').getJobCounts();
        expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(0);
      });
      await wakeUp('7');
      await eventually(() => expect(started).toEqual(['7', '8', '7', '7']));
      finishes.at(-1)?.();
    });

    test('continue after an internal error', async () => {
      let tries = 0;
      work<'deliver'>('deliver', {
        deliver: async () => {
          tries += 1;
          if (tries === 1) throw new Error('Postgres is away');
        },
      });
      await wakeUp('7');
      await eventually(() => expect(tries).toBe(2));
      await wakeUp('7');
      await eventually(() => expect(tries).toBe(3));
    });
  });

  test('an internal error is retried; a job that keeps failing is dropped and leaves nothing behind', async () => {
    let tries = 0;
    work<'query' | 'retrack'>('query-x', {
      query: async () => {
        tries += 1;
        throw new Error('a bug');
      },
      retrack: async () => {},
    });
    await producer.query('x', [{ ids: ['1'], accounts: ['a'] }]);
    await eventually(() => expect(failures).toHaveLength(3));
    expect(tries).toBe(3);
    const counts = await queue.queue('query-x').getJobCounts();
    expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(0);
  });

  test('closing waits for the running job, takes no other, and is quick', async () => {
    const [started, ended]: string[][] = [[], []];
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const worker = work<'deliver'>(
      'deliver',
      {
        deliver: async ({ webhookId }) => {
          started?.push(webhookId);
          await finished;
          ended?.push(webhookId);
        },
      },
      1,
    );
    await wakeUp('1');
    await eventually(() => expect(started).toEqual(['1']));
    await wakeUp('2');
    const closing = worker.close();
    finish();
    await closing;
    expect([started, ended]).toEqual([['1'], ['1']]);
    expect(worker.isRunning()).toBe(false);
    expect(await producer.waiting('deliver')).toBe(1);
  });

  test('an idle worker closes too', async () => {
    const worker = work<'deliver'>('deliver', { deliver: async () => {} });
    await eventually(() => expect(worker.isRunning()).toBe(true));
    await worker.close();
    expect(worker.isRunning()).toBe(false);
  });

  test('the store answers a ping', async () => {
    expect(queue.store).toBe(store);
    await expect(queue.ping()).resolves.toBeUndefined();
  });
});
