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
