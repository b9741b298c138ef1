import { setImmediate as nextRound } from 'node:timers/promises';
import { createTimeSlices } from './bulkhead.ts';

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
  /** Leaves the thread to others for one round of the event loop. A timer could be due before the round is over. */
  const wait = async (ms: number) => {
    await nextRound();
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

  test('do not count the time in which work waited for something else', async () => {
    const { rests, slices } = rested();
    await wait(20);
    await slices.next();
    work(1);
    await slices.next();
    expect(rests).toEqual([]);
  });

  test('count pieces of work between waits for input', async () => {
    const { rests, slices } = rested();
    for (let chunk = 0; chunk < 6; chunk++) {
      await wait(20);
      slices.resume();
      work(0.75);
      await slices.next();
    }
    expect(rests).toEqual([2.25, 2.25]);
  });
});
