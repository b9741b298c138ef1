import { createCallShares } from './register.ts';

const provider = (callsPerSecond: number, batchSize: number) => ({
  name: 'p',
  limits: { callsPerSecond, batchSize, concurrency: 4, floorSeconds: 0 },
});
let nowMs = 0;
const shares = () => createCallShares(() => nowMs);

test('an account has a quarter of the calls of five seconds, whatever others have', () => {
  const take = shares();
  const fast = provider(8, 40);
  expect([take(fast, 'a', 1), take(fast, 'a', 1000), take(fast, 'a', 1)]).toEqual([1, 399, 0]);
  expect(take(fast, 'b', 40)).toBe(40);
  nowMs += 4999;
  expect(take(fast, 'a', 1)).toBe(0);
  nowMs += 1;
  expect(take(fast, 'a', 1000)).toBe(400);
});

test.each([0.25, 0.01, 1 / 3])('of a provider that allows %d calls a second, it has every fourth call', (rate) => {
  const take = shares();
  const slow = provider(rate, 1);
  expect(take(slow, 'a', 2)).toBe(1);
  nowMs += 4000 / rate - 1;
  expect(take(slow, 'a', 2)).toBe(0);
  nowMs += 1;
  expect(take(slow, 'a', 2)).toBe(1);
});

test('each provider has its own shares', () => {
  const take = shares();
  expect([take(provider(1, 1), 'a', 2), take({ ...provider(1, 1), name: 'q' }, 'a', 2)]).toEqual([1, 1]);
});
