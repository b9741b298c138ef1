import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { DeadlineError } from '@pts/db/pool';
import { createBulkhead } from './bulkhead.ts';

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

  test('works run in the order of their arrival, also after one that fails, and each has its own result', async () => {
    const { bulkhead } = opened();
    bulkhead.seen('other');
    bulkhead.seen('one');
    const { order, results } = await runThree(bulkhead);
    expect(order).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(results).toEqual(['a', 'Error: b failed', 'c']);
  });

  test('works run at once while no other account is active, and not too many', async () => {
    const { order, results } = await runThree(createBulkhead());
    expect(order.slice(0, 3)).toEqual(['a begins', 'b begins', 'c begins']);
    expect(results).toEqual(['a', 'Error: b failed', 'c']);
    const bulkhead = createBulkhead();
    const { work, seen } = countingWork();
    await Promise.all(Array.from({ length: 50 }, () => bulkhead.run('one', work)));
    expect(seen.max).toBe(20);
  });

  test('another account that becomes active ends that with the next work', async () => {
    const { bulkhead } = opened();
    const { work, seen } = countingWork();
    await Promise.all([bulkhead.run('one', work), bulkhead.run('one', work)]);
    expect(seen.max).toBe(2);
    bulkhead.seen('other');
    bulkhead.seen('one');
    seen.max = 0;
    await Promise.all([1, 2, 3].map(() => bulkhead.run('one', work)));
    expect(seen.max).toBe(1);
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

describe('when the database does not answer', () => {
  const away = new DeadlineError(650);
  const failing = (bulkhead: ReturnType<typeof createBulkhead>, error: Error, ...limit: number[]) =>
    bulkhead.run('busy', () => Promise.reject(error), ...limit).catch((reason: unknown) => reason);

  test('the calls that wait fail with the one that found out, without a pause, and streams go on', async () => {
    const { bulkhead, pauses } = opened();
    bulkhead.seen('other');
    bulkhead.seen('busy');
    let begun = 0;
    const call = () => bulkhead.run('busy', async () => void begun++, 20).catch((reason: unknown) => reason);
    const outcomes = [
      failing(bulkhead, away, 20),
      call(),
      call(),
      bulkhead.run('busy', async () => 'streamed'),
      call(),
    ];
    expect(await Promise.all(outcomes)).toEqual([away, away, away, 'streamed', away]);
    expect([begun, pauses]).toEqual([0, [0]]);
    expect(await call()).toBeUndefined();
  });

  test('the calls that wait for one with an error of its own go on', async () => {
    const { bulkhead } = opened();
    bulkhead.seen('other');
    bulkhead.seen('busy');
    const fault = new Error('a bug');
    expect(await Promise.all([failing(bulkhead, fault, 20), bulkhead.run('busy', async () => 'done', 20)])).toEqual([
      fault,
      'done',
    ]);
  });
});

test('work that another call starts keeps its own context', async () => {
  const { bulkhead } = opened();
  bulkhead.seen('other');
  bulkhead.seen('busy');
  const context = new AsyncLocalStorage<string>();
  const seen = (name: string) => context.run(name, () => bulkhead.run('busy', async () => context.getStore()));
  expect(await Promise.all(['one', 'other', 'third'].map(seen))).toEqual(['one', 'other', 'third']);
});
