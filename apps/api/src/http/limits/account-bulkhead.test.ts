import { setTimeout as delay } from 'node:timers/promises';
import { createBulkhead } from './account-bulkhead.ts';

/** A clock that advances only during work or pauses. */
function opened() {
  let time = 0;
  const pauses: number[] = [];
  const bulkhead = createBulkhead({
    now: () => time,
    pause: async (ms) => {
      pauses.push(ms);
      time += ms;
    },
  });
  const work = (ms: number) => async () => {
    time += ms;
  };
  const pass = (ms: number) => {
    time += ms;
  };
  return { bulkhead, pauses, work, pass };
}

test('while other accounts are served, the bulk work of one gets a quarter of the time', async () => {
  const { bulkhead, pauses, work } = opened();
  bulkhead.seen('other');
  bulkhead.seen('busy');
  for (const ms of [30, 50, 300]) await bulkhead.run('busy', work(ms));
  await bulkhead.run('busy', work(0));
  expect(pauses).toEqual([90, 150, 600]);
});

test('while other accounts are served, the long work of one on the thread gets a quarter of the time, however many do it', async () => {
  const { bulkhead, pauses, pass } = opened();
  bulkhead.seen('other');
  bulkhead.seen('busy');
  const works = [bulkhead.slices('busy'), bulkhead.slices('busy')];
  pass(4);
  await Promise.all(works.map((slices) => slices.next()));
  expect(pauses).toEqual([12, 12]);
  pass(2000);
  await bulkhead.slices('busy').next();
  expect(pauses).toHaveLength(2);
});

test('a single active account does not pause', async () => {
  const { bulkhead, pauses, work, pass } = opened();
  bulkhead.seen('other');
  pass(1000);
  bulkhead.seen('busy');
  bulkhead.seen('busy');
  await bulkhead.run('busy', work(30));
  await bulkhead.run('busy', work(30));
  expect(pauses).toEqual([]);
});

/** Works that end with the next round of the event loop, and the most of them that ran at once. */
function countingWork() {
  let running = 0;
  const seen = { max: 0 };
  const work = async () => {
    running += 1;
    seen.max = Math.max(seen.max, running);
    await delay(0);
    running -= 1;
  };
  return { work, seen };
}

describe('of an account', () => {
  /** Runs three works, the second of which fails. @returns the order of their steps, and how each ended. */
  async function runThree(bulkhead: ReturnType<typeof createBulkhead>) {
    const order: string[] = [];
    const step = (name: string) => async () => {
      order.push(`${name} begins`);
      await delay(0);
      order.push(`${name} ends`);
      if (name === 'b') throw new Error('b failed');
      return name;
    };
    const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => bulkhead.run('one', step(name))));
    return { order, results: results.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))) };
  }

  test('works run at once while no other account is active, and not too many', async () => {
    const { order, results } = await runThree(createBulkhead());
    expect(order.slice(0, 3)).toEqual(['a begins', 'b begins', 'c begins']);
    expect(results).toEqual(['a', 'Error: b failed', 'c']);
    const bulkhead = createBulkhead();
    const { work, seen } = countingWork();
    await Promise.all(Array.from({ length: 50 }, () => bulkhead.run('one', work)));
    expect(seen.max).toBe(20);
  });
});

test('a call is refused if more than its maximum are before it, running or waiting', async () => {
  const bulkhead = createBulkhead();
  const call = (item: string) => bulkhead.run('one', async () => delay(0, item), 2);
  const calls = ['a', 'b', 'c'].map(call);
  await expect(call('d')).rejects.toThrow('too many bulk calls');
  expect(await Promise.all(calls)).toEqual(['a', 'b', 'c']);
  expect(await call('d')).toBe('d');
});
