import { countInMemory } from './limit-store.ts';

test('in memory, a window begins with its first request and ends in time', async () => {
  let at = 0;
  const count = countInMemory(10, () => at);
  expect(await count('a', 2)).toEqual({ requests: 2, msLeft: 10_000 });
  at = 4000;
  expect(await count('b', 1)).toEqual({ requests: 1, msLeft: 10_000 });
  expect(await count('a', 1)).toEqual({ requests: 3, msLeft: 6000 });
  at = 10_000;
  expect(await count('b', 1)).toEqual({ requests: 2, msLeft: 4000 });
  expect(await count('a', 1)).toEqual({ requests: 1, msLeft: 10_000 });
});
