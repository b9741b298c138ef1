import { batchesOf } from './batches.ts';

async function* counting(to: number) {
  for (let n = 1; n <= to; n++) yield n;
}

test('simultaneous input is gathered, up to a batch', async () => {
  const batches: number[][] = [];
  for await (const batch of batchesOf(counting(7), 3, 1000)) batches.push(batch);
  expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});

test('a batch does not wait for a sender that pauses', async () => {
  let goOn = () => {};
  const paused = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const source = (async function* () {
    yield 1;
    yield 2;
    await paused;
    yield 3;
  })();
  const batches = batchesOf(source, 10, 5);
  expect((await batches.next()).value).toEqual([1, 2]);
  goOn();
  expect((await batches.next()).value).toEqual([3]);
  expect((await batches.next()).done).toBe(true);
});

test('a failing source fails the reader', async () => {
  const source = (async function* () {
    yield 1;
    throw new Error('hung up');
  })();
  const read = async () => {
    for await (const _ of batchesOf(source, 10, 5));
  };
  await expect(read()).rejects.toThrow('hung up');
});

test('leaving the loop ends the source', async () => {
  let ended = false;
  const source = (async function* () {
    try {
      yield* counting(100);
    } finally {
      ended = true;
    }
  })();
  for await (const batch of batchesOf(source, 2, 5)) if (batch.length > 0) break;
  await new Promise(setImmediate);
  expect(ended).toBe(true);
});
