import { ownTimeOf, skewDate } from '@pts/testing/clock';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import pg from 'pg';
import { openQueue, type Store } from '../connection.ts';
import { createProducer, type Producer } from '../producer.ts';
import { type StartedWorker, startWorker } from '../worker.ts';

const HOUR_MS = 3_600_000;

let database: Awaited<ReturnType<typeof testDatabase>>;
let queue: TestQueue;
let producer: Producer;
const ends: (() => unknown)[] = [];
async function open(store: Store) {
  database = await testDatabase();
  queue = await testQueue(store, database.url);
  producer = createProducer(queue, () => {});
}
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await producer.close();
  await queue.close();
  await database.close();
});

/** A process with a worker, whose clock can be wrong. @param lockMs for how long a job is the worker's that does not renew it. */
async function startProcess(deliver: (id: string) => unknown, { concurrency = 5, lockMs = 60_000 } = {}) {
  const state = { isRight: true };
  const connection = await openQueue({ ...queue.options, onError: () => {}, takesWork: () => state.isRight });
  const handle = async ({ webhookId }: { webhookId: string }) => void (await deliver(webhookId));
  const worker: StartedWorker = startWorker<'deliver'>(
    connection,
    'deliver',
    { deliver: handle },
    { concurrency, lockMs },
    () => {},
  );
  ends.push(
    () => connection.close(),
    () => worker.close(),
  );
  await eventually(() => expect(worker.answers()).toBeGreaterThan(0));
  return { state, worker };
}
const wakeUp = (webhookId: string) => producer.deliver([{ webhookId, accountId: 'a', isFailing: false }]);

describe.each(stores())('on %s, a process whose clock is wrong', (store) => {
  beforeEach(() => open(store));

  test('takes no jobs, and does not delay those that others take', async () => {
    const [taken, done]: [string[], string[]] = [[], []];
    const wrong = await startProcess((id) => taken.push(id));
    wrong.state.isRight = false;
    const answers = wrong.worker.answers();
    await startProcess((id) => done.push(id));
    const ids = Array.from({ length: 20 }, (_, n) => String(n));
    const late: string[] = [];
    for (const id of ids) {
      const ms = await ownTimeOf(async () => {
        await wakeUp(id);
        await eventually(() => expect(done).toContain(id), { everyMs: 5 });
      });
      if (ms > 500) late.push(id);
    }
    // A worker that is woken for a job and does not take it would cost the others a second each time.
    expect(late.length).toBeLessThan(ids.length / 2);
    expect([taken, wrong.worker.answers() - answers <= 1]).toEqual([[], true]);
  });

  test('finishes what it has begun, and takes more only when the clock is right again', async () => {
    const done: string[] = [];
    let finish = () => {};
    const finishing = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const deliver = async (id: string) => {
      if (id === 'a') await finishing;
      done.push(id);
    };
    // With a single place, no request for another job is on its way when the clock becomes wrong.
    const { state } = await startProcess(deliver, { concurrency: 1 });
    await wakeUp('a');
    await eventually(async () => expect(await producer.waiting('deliver')).toBe(0));
    state.isRight = false;
    await wakeUp('b');
    finish();
    const counts = async () => {
      const handle = queue.queue('deliver');
      const { active, waiting } = await handle.getJobCounts('active', 'waiting');
      await handle.close();
      return { active, waiting };
    };
    await eventually(async () => expect(await counts()).toEqual({ active: 0, waiting: 1 }));
    expect(done).toEqual(['a']);
    state.isRight = true;
    await eventually(() => expect(done).toEqual(['a', 'b']));
  });
});

describe('on postgres', () => {
  let client: pg.Client;
  beforeEach(async () => {
    await open('postgres');
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    ends.push(() => client.end());
  });

  test.each([26, -26])(
    'a clock that becomes wrong while a job runs leaves no time behind, %i hours off',
    async (hours) => {
      let release = () => {};
      const hangs = new Promise<void>((resolve) => {
        release = resolve;
      });
      let taken = 0;
      const hang = async () => {
        taken += 1;
        await hangs;
      };
      const { state } = await startProcess(hang, { lockMs: 1000 });
      ends.push(() => release());
      await wakeUp('a');
      await eventually(() => expect(taken).toBeGreaterThan(0));
      state.isRight = false;
      const restore = skewDate(hours * HOUR_MS);
      try {
        // The lock is not renewed, and ends: another process may take the job over.
        await eventually(async () => {
          const { rowCount } = await client.query(
            'SELECT 1 FROM bullmq.job WHERE locked_until_ms < extract(epoch FROM clock_timestamp()) * 1000',
          );
          expect(rowCount).toBe(1);
        });
        const { rows } = await client.query(
          `SELECT value FROM bullmq.meta WHERE field = 'stalled-check'
          AND abs(value::bigint / 1000 - extract(epoch FROM clock_timestamp())) > 3600`,
        );
        expect(rows).toEqual([]);
      } finally {
        restore();
      }
    },
  );
});
