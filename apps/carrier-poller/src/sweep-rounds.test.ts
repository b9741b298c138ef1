import { createSweepRounds, type Swept } from './sweeps.ts';

/** The pauses after rounds with these results, by an interval of 1000 ms. */
async function pausesAfter(...results: Swept[]): Promise<(number | undefined)[]> {
  const left = results.values();
  const sweep = async () => left.next().value ?? { more: false };
  const round = createSweepRounds(1000, sweep, () => 0);
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

test('the calls of a quarter are spread over it, and its pause is what is left of it', async () => {
  let time = 0;
  const spreads: number[] = [];
  const round = createSweepRounds(
    1000,
    async (spreadMs) => {
      spreads.push(spreadMs);
      time += spreadMs * 0.75 + 10;
      return calls(8);
    },
    () => time,
  );
  const pauses: (number | undefined)[] = [];
  for (let n = 0; n < 3; n++) pauses.push((await round()).pauseMs);
  expect(spreads).toEqual([0, 250, 250]);
  expect(pauses).toEqual([250, 52.5, 52.5]);
});
