import { ownTimeOf } from '@pts/testing/clock';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import { openQueue, type Store } from '../connection.ts';
import { createProducer, type Producer, receiveWakeUps } from '../wake.ts';

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

/** A process that receives wake-ups, whose clock can be wrong. */
async function startProcess(deliver: (id: string) => unknown) {
  const state = { isRight: true };
  const connection = await openQueue({ ...queue.options, onError: () => {}, takesWork: () => state.isRight });
  const receiver = receiveWakeUps<'deliver'>(
    connection,
    'deliver',
    { deliver: ({ webhookId }) => void deliver(webhookId) },
    () => {},
  );
  ends.push(
    () => connection.close(),
    () => receiver.close(),
  );
  return { state };
}
const wakeUp = (webhookId: string) => producer.deliver([{ webhookId, accountId: 'a', isFailing: false }]);

describe.each(stores())('on %s, a process whose clock is wrong', (store) => {
  beforeEach(() => open(store));

  test('takes no jobs, and does not delay those that others take', async () => {
    const [taken, done]: [string[], string[]] = [[], []];
    const wrong = await startProcess((id) => taken.push(id));
    wrong.state.isRight = false;
    // A wake-up that it had begun to wait for is its own.
    await wakeUp('before');
    await eventually(async () => expect(await queue.waiting('deliver')).toBeLessThanOrEqual(1));
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
    expect(taken.filter((id) => id !== 'before')).toEqual([]);
  });

  test('receives again when the clock is right', async () => {
    const taken: string[] = [];
    const { state } = await startProcess((id) => taken.push(id));
    state.isRight = false;
    await wakeUp('a');
    state.isRight = true;
    await eventually(() => expect(taken).toEqual(['a']));
  });
});
