import { openTestDatabase } from '@pts/testing/database';
import { takeTurns } from './pace.ts';

const { db, close } = await openTestDatabase(8);
afterAll(close);

const SPACING_MS = 100_000;
const wanted = { count: 1, spacingMs: SPACING_MS, mostWaitMs: 10 * SPACING_MS };

test('turns that are taken at the same moment are spaced evenly, over all processes', async () => {
  const turns = await Promise.all(Array.from({ length: 8 }, () => takeTurns(db, { ...wanted, provider: 'even' })));
  const waits = turns.map(({ waitMs }) => waitMs).sort((a, b) => a - b);
  expect(turns.every(({ taken }) => taken)).toBe(true);
  // Whole spacings, except for the time that this test itself took.
  waits.forEach((ms, n) => {
    expect(ms).toBeLessThanOrEqual(n * SPACING_MS);
    expect(ms).toBeGreaterThan((n - 1) * SPACING_MS);
  });
});

test('several turns are taken together', async () => {
  await takeTurns(db, { ...wanted, provider: 'many', count: 5 });
  const { waitMs } = await takeTurns(db, { ...wanted, provider: 'many' });
  expect(waitMs).toBeGreaterThan(4 * SPACING_MS);
  expect(waitMs).toBeLessThanOrEqual(5 * SPACING_MS);
});

test('a turn beyond the wait is not taken: the caller gets its time', async () => {
  await takeTurns(db, { ...wanted, provider: 'far' });
  const far = { ...wanted, provider: 'far', mostWaitMs: 1000 };
  const [first, again] = [await takeTurns(db, far), await takeTurns(db, far)];
  expect(first.taken || again.taken).toBe(false);
  expect(again.waitMs).toBeLessThanOrEqual(SPACING_MS);
  expect(again.waitMs).toBeGreaterThan(1000);
});

test('unused turns are lost, not made up for', async () => {
  await takeTurns(db, { ...wanted, provider: 'idle' });
  await db.providerPace.update({ where: { provider: 'idle' }, data: { nextTurnAt: new Date(0) } });
  expect(await takeTurns(db, { ...wanted, provider: 'idle' })).toEqual({ taken: true, waitMs: 0 });
  expect((await takeTurns(db, { ...wanted, provider: 'idle' })).waitMs).toBeGreaterThan(0);
});

test('providers do not wait for one another', async () => {
  await takeTurns(db, { ...wanted, provider: 'busy' });
  expect(await takeTurns(db, { ...wanted, provider: 'other' })).toEqual({ taken: true, waitMs: 0 });
});
