import { batchesOf } from './run-stream.ts';

async function* counting(to: number) {
  for (let n = 1; n <= to; n++) yield [n];
}

async function collect(pieces: AsyncIterable<number[]>): Promise<number[][]> {
  const batches: number[][] = [];
  for await (const batch of batchesOf(pieces, 3, 1000)) batches.push(batch);
  return batches;
}

test('simultaneous input is gathered, up to a batch', async () => {
  expect(await collect(counting(7))).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});

test('pieces may be longer than a batch, or empty', async () => {
  const source = (async function* () {
    yield* [[1], [], [2, 3, 4, 5, 6, 7, 8], [], [9, 10]];
  })();
  expect(await collect(source)).toEqual([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10]]);
});

test('a batch does not wait for a sender that pauses', async () => {
  let goOn = () => {};
  const paused = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const source = (async function* () {
    yield [1];
    yield [2];
    await paused;
    yield [3];
  })();
  const batches = batchesOf(source, 10, 5);
  expect((await batches.next()).value).toEqual([1, 2]);
  goOn();
  expect((await batches.next()).value).toEqual([3]);
  expect((await batches.next()).done).toBe(true);
});

test('a failing source fails the reader', async () => {
  const source = (async function* () {
    yield [1];
    throw new Error('hung up');
  })();
  const read = async () => {
    for await (const _ of batchesOf(source, 10, 5));
  };
  await expect(read()).rejects.toThrow('hung up');
});

test('a source that fails while a batch is in use fails the next read, and nothing before', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const source = (async function* () {
    yield* counting(2);
    throw new Error('hung up');
  })();
  try {
    const batches = batchesOf(source, 2, 5);
    expect((await batches.next()).value).toEqual([1, 2]);
    // Long enough for the process to find a rejection that nobody handles.
    for (let round = 0; round < 3; round++) await new Promise(setImmediate);
    expect(unhandled).toEqual([]);
    await expect(batches.next()).rejects.toThrow('hung up');
  } finally {
    process.off('unhandledRejection', note);
  }
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
