import { createTurns } from './turns.ts';

test('after its turn, work lets everything else run before it continues', async () => {
  const order: string[] = [];
  const turns = createTurns({ turnMs: 0 });
  setImmediate(() => order.push('another request'));
  await turns.next();
  order.push('the next turn');
  expect(order).toEqual(['another request', 'the next turn']);
});

test('work within its turn continues at once', async () => {
  const order: string[] = [];
  const turns = createTurns({ turnMs: 60_000 });
  setImmediate(() => order.push('another request'));
  await turns.next();
  order.push('the same turn');
  expect(order).toEqual(['the same turn']);
});

test('in each round of the event loop exactly one waiter gets a turn, however many there are', async () => {
  const rounds: number[] = [];
  let round = 0;
  const count = () => {
    round += 1;
    observer = setImmediate(count);
  };
  let observer = setImmediate(count);
  const work = async () => {
    const turns = createTurns({ turnMs: 0 });
    for (let n = 0; n < 5; n++) {
      await turns.next();
      rounds.push(round);
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  clearImmediate(observer);
  expect(rounds).toHaveLength(20);
  expect(new Set(rounds).size).toBe(20);
});

test('while others are active, work rests for three times as long as its turn, and at most 30 ms', async () => {
  const rests: number[] = [];
  let isShared = true;
  const turns = createTurns({
    hasOthers: () => isShared,
    pause: async (ms) => void rests.push(ms),
  });
  const work = (ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until; );
  };
  work(4);
  await turns.next();
  work(40);
  await turns.next();
  isShared = false;
  work(4);
  await turns.next();
  expect(rests).toEqual([expect.any(Number), 30]);
  expect(rests[0]).toBeGreaterThanOrEqual(12);
});
