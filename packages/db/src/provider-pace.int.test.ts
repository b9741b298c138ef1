import { openTestDatabase } from '@pts/testing/database';
import { takePermits } from './providers.ts';

const { db, close } = await openTestDatabase(8);
afterAll(close);

const SPACING_MS = 100_000;
const wanted = { count: 1, spacingMs: SPACING_MS, maxWaitMs: 10 * SPACING_MS };

test('permits that are taken at the same moment are spaced evenly, over all processes', async () => {
  const permits = await Promise.all(Array.from({ length: 8 }, () => takePermits(db, { ...wanted, provider: 'even' })));
  const waits = permits.map(({ waitMs }) => waitMs).sort((a, b) => a - b);
  expect(permits.every(({ taken }) => taken)).toBe(true);
  // Whole spacings, except for the time that this test itself took.
  waits.forEach((ms, n) => {
    expect(ms).toBeLessThanOrEqual(n * SPACING_MS);
    expect(ms).toBeGreaterThan((n - 1) * SPACING_MS);
  });
});

test('several permits are taken together', async () => {
  await takePermits(db, { ...wanted, provider: 'many', count: 5 });
  const { waitMs } = await takePermits(db, { ...wanted, provider: 'many' });
  expect(waitMs).toBeGreaterThan(4 * SPACING_MS);
  expect(waitMs).toBeLessThanOrEqual(5 * SPACING_MS);
});

test('whoever comes next also waits for the time that a permit has to spare', async () => {
  await takePermits(db, { ...wanted, provider: 'spare', spareMs: 4 * SPACING_MS });
  const { waitMs } = await takePermits(db, { ...wanted, provider: 'spare' });
  expect(waitMs).toBeGreaterThan(4 * SPACING_MS);
  expect(waitMs).toBeLessThanOrEqual(5 * SPACING_MS);
});

test('a permit beyond the wait is not taken: the caller gets its time', async () => {
  await takePermits(db, { ...wanted, provider: 'far' });
  const far = { ...wanted, provider: 'far', maxWaitMs: 1000 };
  const [first, again] = [await takePermits(db, far), await takePermits(db, far)];
  expect(first.taken || again.taken).toBe(false);
  expect(again.waitMs).toBeLessThanOrEqual(SPACING_MS);
  expect(again.waitMs).toBeGreaterThan(1000);
});

test('unused permits are lost, not made up for', async () => {
  await takePermits(db, { ...wanted, provider: 'idle' });
  await db.providerPace.update({ where: { provider: 'idle' }, data: { nextTurnAt: new Date(0) } });
  expect(await takePermits(db, { ...wanted, provider: 'idle' })).toEqual({ taken: true, waitMs: 0 });
  expect((await takePermits(db, { ...wanted, provider: 'idle' })).waitMs).toBeGreaterThan(0);
});

test('permits from before the clock of the database was set back do not count', async () => {
  await takePermits(db, { ...wanted, provider: 'set back' });
  const nextTurnAt = new Date(Date.now() + 86_400_000);
  await db.providerPace.update({ where: { provider: 'set back' }, data: { nextTurnAt } });
  expect(await takePermits(db, { ...wanted, provider: 'set back' })).toEqual({ taken: true, waitMs: 0 });
  expect((await takePermits(db, { ...wanted, provider: 'set back' })).waitMs).toBeLessThanOrEqual(SPACING_MS);
});

test('providers do not wait for one another', async () => {
  await takePermits(db, { ...wanted, provider: 'busy' });
  expect(await takePermits(db, { ...wanted, provider: 'other' })).toEqual({ taken: true, waitMs: 0 });
});
