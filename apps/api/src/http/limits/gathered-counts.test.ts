import { type Counted, countInMemory } from './limit-store.ts';
import { gathered } from './limits.ts';

const HOUR = 3600;

/** A store that records the number of requests in each count. */
function counted() {
  const memory = countInMemory(HOUR, () => 0);
  const counts: [string, number][] = [];
  const count = (key: string, requests: number) => {
    counts.push([key, requests]);
    return memory(key, requests);
  };
  return { counts, count };
}

const requestsOf = async (states: Promise<Counted>[]) => (await Promise.all(states)).map(({ requests }) => requests);

test('concurrent requests of one key are counted together, and each has the state it would have had alone', async () => {
  const { counts, count } = counted();
  const countOne = gathered(count);
  expect(await requestsOf(Array.from({ length: 7 }, () => countOne('a')))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await requestsOf([countOne('a')])).toEqual([8]);
  expect(counts).toEqual([
    ['a', 7],
    ['a', 1],
  ]);
});

test('requests with other keys are counted separately', async () => {
  const { counts, count } = counted();
  const countOne = gathered(count);
  expect(await requestsOf([countOne('a'), countOne('b')])).toEqual([1, 1]);
  expect(counts).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
});

test('a failing store fails the requests of its count, but not those of the next', async () => {
  const { count } = counted();
  let isUnreachable = true;
  const countOne = gathered(async (key, requests) => {
    if (isUnreachable) throw new Error('the store is away');
    return count(key, requests);
  });
  const failed = await Promise.allSettled([countOne('a'), countOne('a')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isUnreachable = false;
  expect(await requestsOf([countOne('a')])).toEqual([1]);
});
