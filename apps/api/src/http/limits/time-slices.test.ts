import { createTimeSlices } from './time-slices.ts';

test('after its time slice, work lets everything else run before it continues', async () => {
  const order: string[] = [];
  const slices = createTimeSlices({ sliceMs: 0 });
  setImmediate(() => order.push('another request'));
  await slices.next();
  order.push('the next slice');
  expect(order).toEqual(['another request', 'the next slice']);
});

test('work within its time slice continues at once', async () => {
  const order: string[] = [];
  const slices = createTimeSlices({ sliceMs: 60_000 });
  setImmediate(() => order.push('another request'));
  await slices.next();
  order.push('the same slice');
  expect(order).toEqual(['the same slice']);
});

test('in each round of the event loop exactly one waiter gets a slice, however many there are', async () => {
  const rounds: number[] = [];
  let round = 0;
  const count = () => {
    round += 1;
    observer = setImmediate(count);
  };
  let observer = setImmediate(count);
  const work = async () => {
    const slices = createTimeSlices({ sliceMs: 0 });
    for (let n = 0; n < 5; n++) {
      await slices.next();
      rounds.push(round);
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  clearImmediate(observer);
  expect(rounds).toHaveLength(20);
  expect(new Set(rounds).size).toBe(20);
});

describe('rests', () => {
  let time = 0;
  /** Keeps the thread busy. */
  const work = (ms: number) => {
    time += ms;
  };
  function rested() {
    const rests: number[] = [];
    const rest = async (tookMs: number) => void rests.push(tookMs);
    return { rests, slices: createTimeSlices({ sliceMs: 2, rest, now: () => time }) };
  }

  test('follow each slice, and know how long it was', async () => {
    const { rests, slices } = rested();
    for (const ms of [1, 4, 1, 1]) {
      work(ms);
      await slices.next();
    }
    expect(rests).toEqual([5, 2]);
  });
});
