import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { gathered } from './gathered-counts.ts';

const WINDOW = { points: 5, duration: 3600 };

/** A store that records the number of requests in each count. */
function counted() {
  const memory = new RateLimiterMemory(WINDOW);
  const counts: [string, number][] = [];
  const consume = (key: string, points: number) => {
    counts.push([key, points]);
    return memory.consume(key, points);
  };
  return { counts, consume };
}

const outcome = (state: Promise<RateLimiterRes>) =>
  state.then(
    ({ remainingPoints }) => ['allowed', remainingPoints],
    (refused) => [refused instanceof RateLimiterRes ? 'refused' : refused, refused.remainingPoints],
  );

test('concurrent requests of one key are counted together, and each has the state it would have had alone', async () => {
  const store = counted();
  const { consume } = gathered(store, WINDOW.points);
  const together = await Promise.all(Array.from({ length: 7 }, () => outcome(consume('a'))));
  const alone = new RateLimiterMemory(WINDOW);
  const inTurn: unknown[] = [];
  for (let i = 0; i < 7; i++) inTurn.push(await outcome(alone.consume('a')));
  expect(together).toEqual(inTurn);
  expect(store.counts).toEqual([['a', 7]]);
});

test('a single request, and requests with other keys, are counted separately', async () => {
  const store = counted();
  const { consume } = gathered(store, WINDOW.points);
  expect(await outcome(consume('a'))).toEqual(['allowed', 4]);
  expect(await Promise.all([outcome(consume('a')), outcome(consume('b'))])).toEqual([
    ['allowed', 3],
    ['allowed', 4],
  ]);
  expect(store.counts).toEqual([
    ['a', 1],
    ['a', 1],
    ['b', 1],
  ]);
});

test('a failing store fails the requests of its count, but not those of the next', async () => {
  const memory = new RateLimiterMemory(WINDOW);
  let isAway = true;
  const consume = async (key: string, points: number) => {
    if (isAway) throw new Error('the store is away');
    return memory.consume(key, points);
  };
  const counter = gathered({ consume }, WINDOW.points);
  const failed = await Promise.allSettled([counter.consume('a'), counter.consume('a')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  expect(await outcome(counter.consume('a'))).toEqual(['allowed', 4]);
});

test('requests that are counted together share one call of the store, and its deadline', async () => {
  const guarded: number[] = [];
  const store = counted();
  const { consume } = gathered(store, WINDOW.points, (call) => {
    guarded.push(store.counts.length);
    return call();
  });
  await Promise.all(Array.from({ length: 7 }, () => outcome(consume('a'))));
  expect(guarded).toEqual(store.counts.map((_, place) => place));
  const late = gathered(store, WINDOW.points, async () => {
    throw new Error('late');
  });
  const failed = await Promise.allSettled([late.consume('a'), late.consume('a')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
