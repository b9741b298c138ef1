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

test('work runs one after the other in its order, also after one that fails; each gets its own result', async () => {
  const { bulkhead } = opened();
  const order: string[] = [];
  const step = (name: string) => async () => {
    order.push(`${name} begins`);
    await null;
    order.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => bulkhead.run('one', step(name))));
  expect(order).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
