import { createBatcher, createKeyedBatcher } from './batcher.ts';

/** Doubles each number, and records its batches. */
function doubling() {
  const batches: number[][] = [];
  const run = async (items: number[]) => {
    batches.push(items);
    return items.map((item) => item * 2);
  };
  return { batches, run };
}

test('concurrent calls share one run, and each gets its own result', async () => {
  const { batches, run } = doubling();
  const call = createBatcher({ max: 100, concurrency: 1 }, run);
  expect(await Promise.all([call(1), call(2), call(3)])).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('a single call is run, too', async () => {
  const { batches, run } = doubling();
  expect(await createBatcher({ max: 100, concurrency: 1 }, run)(7)).toBe(14);
  expect(batches).toEqual([[7]]);
});

test('more calls than fit into a batch go into several, in order', async () => {
  const { batches, run } = doubling();
  const call = createBatcher({ max: 2, concurrency: 1 }, run);
  expect(await Promise.all([1, 2, 3, 4, 5].map(call))).toEqual([2, 4, 6, 8, 10]);
  expect(batches).toEqual([[1, 2], [3, 4], [5]]);
});

test('calls that arrive while a batch is running share the next', async () => {
  const batches: number[][] = [];
  let finish = () => {};
  const call = createBatcher({ max: 10, concurrency: 1 }, async (items: number[]) => {
    batches.push(items);
    if (batches.length === 1)
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    return items;
  });
  const first = call(1);
  await new Promise(setImmediate);
  const later = [call(2), call(3)];
  await new Promise(setImmediate);
  expect(batches).toEqual([[1]]);
  finish();
  expect(await Promise.all([first, ...later])).toEqual([1, 2, 3]);
  expect(batches).toEqual([[1], [2, 3]]);
});

test.each([
  ['rejects', () => Promise.reject(new Error('Postgres is away'))],
  [
    'throws at once',
    () => {
      throw new Error('Postgres is away');
    },
  ],
])('a run that %s fails all of its callers, but not those of the next', async (_how, fail) => {
  let runs = 0;
  const call = createBatcher({ max: 2, concurrency: 1 }, (items: number[]) => {
    runs += 1;
    return runs === 1 ? fail() : Promise.resolve(items);
  });
  const results = await Promise.allSettled([call(1), call(2)]);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([call(3), call(4)])).toEqual([3, 4]);
});

test('no more batches run at once than allowed', async () => {
  const finishes: (() => void)[] = [];
  const call = createBatcher({ max: 1, concurrency: 2 }, async (items: number[]) => {
    await new Promise<void>((resolve) => finishes.push(resolve));
    return items;
  });
  const calls: Promise<number>[] = [];
  for (let n = 0; n < 3; n++) {
    calls.push(call(n));
    await new Promise(setImmediate);
  }
  expect(finishes).toHaveLength(2);
  finishes[0]?.();
  await calls[0];
  await new Promise(setImmediate);
  expect(finishes).toHaveLength(3);
  for (const finish of finishes) finish();
  expect(await Promise.all(calls)).toEqual([0, 1, 2]);
});

describe('with a time between batches', () => {
  const HOUR_MS = 3_600_000;

  test('calls that arrive while a batch is running gather until the time has passed', async () => {
    let lastStart = 0;
    const { batches, run } = doubling();
    const everyMs = 60;
    let more: Promise<number[]> | undefined;
    const call = createBatcher({ max: 100, concurrency: 1, everyMs: () => everyMs }, (items: number[]) => {
      lastStart = performance.now();
      more ??= Promise.all([call(2), call(3)]);
      return run(items);
    });
    const calledAt = performance.now();
    await call(1);
    expect(await more).toEqual([4, 6]);
    expect(batches).toEqual([[1], [2, 3]]);
    // Timers may be a little early.
    expect(lastStart - calledAt).toBeGreaterThanOrEqual(everyMs - 5);
  });

  test('a single call and full batches do not wait', async () => {
    const { batches, run } = doubling();
    const call = createBatcher({ max: 3, concurrency: 1, everyMs: () => HOUR_MS }, run);
    expect(await call(1)).toBe(2);
    expect(await Promise.all([2, 3, 4, 5, 6, 7].map(call))).toEqual([4, 6, 8, 10, 12, 14]);
    expect(batches).toEqual([[1], [2, 3, 4], [5, 6, 7]]);
  });

  test('calls soon after a batch wait until they are enough', async () => {
    const { batches, run } = doubling();
    const everyMs = (waiting: number) => (waiting < 3 ? HOUR_MS : 0);
    const call = createBatcher({ max: 10, concurrency: 1, everyMs }, run);
    await call(1);
    const second = call(2);
    await new Promise(setImmediate);
    const third = call(3);
    await new Promise(setImmediate);
    expect(batches).toEqual([[1]]);
    expect(await Promise.all([second, third, call(4)])).toEqual([4, 6, 8]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });
});

test('calls with one key share a run, and other keys do not wait for it', async () => {
  const runs: [string, number[]][] = [];
  let finish = () => {};
  const call = createKeyedBatcher({ max: 10, concurrency: 1 }, async (key, items: number[]) => {
    runs.push([key, items]);
    if (key === 'slow')
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    return items;
  });
  const slow = [call('slow', 1), call('slow', 2)];
  expect(await call('quick', 3)).toBe(3);
  finish();
  expect(await Promise.all(slow)).toEqual([1, 2]);
  expect(runs).toEqual([
    ['slow', [1, 2]],
    ['quick', [3]],
  ]);
});
