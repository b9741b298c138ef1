import { createSweepRounds, type Swept } from './sweep-rounds.ts';

/** The pauses after rounds with these results, by an interval of 1000 ms. */
async function pausesAfter(...results: Swept[]): Promise<(number | undefined)[]> {
  const left = results.values();
  const round = createSweepRounds(1000, async () => left.next().value ?? { more: false });
  const pauses: (number | undefined)[] = [];
  for (const _ of results) pauses.push((await round()).pauseMs);
  return pauses;
}
const calls = (count: number): Swept => ({ more: false, calls: count });

test('few calls in an interval are made together', async () => {
  expect(await pausesAfter({ more: false }, calls(0), calls(7))).toEqual([1000, 1000, 1000]);
});

test('many are claimed in quarters of it, for as long as there are as many', async () => {
  expect(await pausesAfter(calls(8), calls(2), calls(2), calls(1), calls(7))).toEqual([250, 250, 250, 1000, 1000]);
});

test('rounds that follow each other at once count together', async () => {
  expect(await pausesAfter({ more: true, calls: 7 }, calls(1), { more: true, calls: 1 }, calls(0))).toEqual([
    undefined,
    250,
    undefined,
    1000,
  ]);
});
