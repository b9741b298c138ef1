import { setMaxListeners } from 'node:events';
import { createPace } from './pace.ts';

const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);
/** The clock of a process that is never paused. */
const STOPPED = () => 0;
/** Resolves once the permit is taken, before any timer can have ended. */
const isTaken = () => new Promise(process.nextTick);

/** Permits of a database without other users: the first is free at once. */
function permitsFromNow() {
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
  const slow = permitsFromNow();
  const pace = createPace(2, slow.take, STOPPED);
  await pace.permit(NEVER);
  expect(slow.requested).toEqual([expect.objectContaining({ count: 1, spacingMs: 550 })]);
  const fast = permitsFromNow();
  const many = createPace(1000, fast.take, STOPPED);
  await Promise.all(Array.from({ length: 50 }, () => many.permit(NEVER)));
  expect(fast.requested).toEqual([expect.objectContaining({ count: 90 })]);
});

test('concurrent callers take one permit each, never the same', async () => {
  const { requested, take } = permitsFromNow();
  const pace = createPace(5, take, STOPPED);
  await Promise.all([pace.permit(NEVER), pace.permit(NEVER), pace.permit(NEVER)]);
  expect(requested).toHaveLength(3);
});

test('permits that a stalled process missed are not used: they would be a burst', async () => {
  const { requested, take } = permitsFromNow();
  const pace = createPace(10, async (wanted) => ({ ...(await take(wanted)), waitMs: 20 }));
  const permit = pace.permit(NEVER);
  await isTaken();
  // It begins and ends within this time.
  const until = performance.now() + 300;
  while (performance.now() < until);
  await permit;
  expect(requested.length).toBeGreaterThan(1);
});

/** A database that takes as long to tell of permits as `tookMs` says, and the clock on which it does. */
function slowPermits(tookMs: (nth: number) => number) {
  const { requested, take } = permitsFromNow();
  let at = 0;
  const slow = async (wanted: Parameters<typeof take>[0]) => {
    const permits = await take(wanted);
    at += tookMs(requested.length);
    return permits;
  };
  return { requested, pace: createPace(5, slow, () => at) };
}

test('a permit of which the database tells too late is not used: the next one has that much time to spare', async () => {
  const { requested, pace } = slowPermits((nth) => (nth === 1 ? 200 : 0));
  await pace.permit(NEVER);
  expect(requested.map(({ spareMs }) => spareMs)).toEqual([0, expect.closeTo(150)]);
});

test('the wait for a permit ends when the process stops', async () => {
  const stop = new AbortController();
  const pace = createPace(1, async () => ({ taken: true, waitMs: 9_000_000 }));
  const waiting = pace.permit(stop.signal);
  stop.abort();
  expect(await waiting).toBe(0);
  expect(await pace.permit(stop.signal)).toBe(0);
});
