import { setMaxListeners } from 'node:events';
import { createPace } from './pace.ts';

const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

/** Permits of a database without other users: the first is free at once. */
function turnsFromNow() {
  type Wanted = { count: number; spacingMs: number; spareMs?: number };
  const requested: Wanted[] = [];
  return {
    requested,
    take: async (wanted: Wanted) => {
      requested.push(wanted);
      return { taken: true, waitMs: 0 };
    },
  };
}

test('at a low rate, each permit is taken separately; at a high one, those of a tenth of a second together', async () => {
  const slow = turnsFromNow();
  const pace = createPace(2, slow.take);
  await pace.permit(NEVER);
  expect(slow.requested).toEqual([expect.objectContaining({ count: 1, spacingMs: 550 })]);
  const fast = turnsFromNow();
  const many = createPace(1000, fast.take);
  await Promise.all(Array.from({ length: 50 }, () => many.permit(NEVER)));
  expect(fast.requested[0]).toMatchObject({ count: 90 });
  expect(fast.requested.length).toBeLessThan(10);
});

test('concurrent callers take one permit each, never the same', async () => {
  const { requested, take } = turnsFromNow();
  const pace = createPace(5, take);
  await Promise.all([pace.permit(NEVER), pace.permit(NEVER), pace.permit(NEVER)]);
  expect(requested).toHaveLength(3);
});

test('callers do not wait for a distant permit, and the next callers know it', async () => {
  const pace = createPace(0.01, async () => ({ taken: false, waitMs: 90_000 }));
  expect(pace.isFar()).toBe(false);
  expect(await pace.permit(NEVER)).toBe(90_000);
  expect(pace.isFar()).toBe(true);
});

test('permits that a stalled process missed are not used: they would be a burst', async () => {
  const { requested, take } = turnsFromNow();
  const pace = createPace(10, async (wanted) => ({ ...(await take(wanted)), waitMs: 20 }));
  const permit = pace.permit(NEVER);
  // Once the permit is taken, it begins and ends within this time.
  await new Promise(setImmediate);
  const until = performance.now() + 300;
  while (performance.now() < until);
  await permit;
  expect(requested.length).toBeGreaterThan(1);
});

test('a permit is not used so late that later calls would exceed the rate of a second', async () => {
  const { requested, take } = turnsFromNow();
  // Permits are 220 ms apart, and a call that is 150 ms late would be the sixth within a second.
  const pace = createPace(5, async (wanted) => ({ ...(await take(wanted)), waitMs: 20 }));
  const permit = pace.permit(NEVER);
  await new Promise(setImmediate);
  const until = performance.now() + 170;
  while (performance.now() < until);
  await permit;
  expect(requested.length).toBeGreaterThan(1);
});

test('a permit of which the database tells too late is not used: the next one has that much time to spare', async () => {
  const { requested, take } = turnsFromNow();
  const pace = createPace(5, async (wanted) => {
    const permits = await take(wanted);
    const until = performance.now() + (requested.length === 1 ? 200 : 0);
    while (performance.now() < until);
    return permits;
  });
  await pace.permit(NEVER);
  expect(requested.length).toBeGreaterThan(1);
  expect(requested[0]?.spareMs).toBe(0);
  expect(requested[1]?.spareMs).toBeGreaterThan(140);
});

test('permits are used, however long the database always takes to tell of them', async () => {
  const { requested, take } = turnsFromNow();
  const pace = createPace(5, async (wanted) => {
    const permits = await take(wanted);
    if (requested.length > 100) throw new Error('none of a hundred permits was used');
    const until = performance.now() + 120;
    while (performance.now() < until);
    return permits;
  });
  for (let n = 0; n < 3; n++) expect(await pace.permit(NEVER)).toBe(0);
});

test('the wait for a permit ends when the process stops', async () => {
  const stop = new AbortController();
  const pace = createPace(1, async () => ({ taken: true, waitMs: 9_000_000 }));
  const waiting = pace.permit(stop.signal);
  stop.abort();
  expect(await waiting).toBe(0);
  expect(await pace.permit(stop.signal)).toBe(0);
});
