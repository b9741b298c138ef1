import { createTurns } from './turns.ts';

test('work that has had the thread for its turn lets everything else run before it continues', async () => {
  const order: string[] = [];
  const turns = createTurns(0);
  setImmediate(() => order.push('another request'));
  await turns.next();
  order.push('the next turn');
  expect(order).toEqual(['another request', 'the next turn']);
});

test('work within its turn continues at once', async () => {
  const order: string[] = [];
  const turns = createTurns(60_000);
  setImmediate(() => order.push('another request'));
  await turns.next();
  order.push('the same turn');
  expect(order).toEqual(['the same turn']);
});

test('however many work in turns, one of them has a turn in each round of the event loop', async () => {
  const rounds: number[] = [];
  let round = 0;
  const count = () => {
    round += 1;
    observer = setImmediate(count);
  };
  let observer = setImmediate(count);
  const work = async () => {
    const turns = createTurns(0);
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
