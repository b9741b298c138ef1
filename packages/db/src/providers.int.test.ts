import { testDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { type Db, openDatabase } from './client.ts';
import { clearPause, countFailure, listPauses, pauseProvider, spendCall, takeProbe } from './providers.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const times = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolSize: 8 });
});
afterAll(async () => {
  await db.$disconnect();
  await database.close();
});

const pauseOf = async (provider: string) => (await listPauses(db)).find((pause) => pause.provider === provider);

test('failures at the same moment are all counted', async () => {
  const counts = await times(20, () => countFailure(db, 'counted', 'transient: gone', NOW));
  expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  expect(await pauseOf('counted')).toMatchObject({ failures: 20, pausedUntil: null, reason: 'transient: gone' });
});

test('a pause can be prolonged, not shortened', async () => {
  await countFailure(db, 'prolonged', 'x', NOW);
  for (const seconds of [60, 30]) await pauseProvider(db, 'prolonged', later(seconds), NOW);
  expect((await pauseOf('prolonged'))?.pausedUntil).toEqual(later(60));
  await pauseProvider(db, 'prolonged', later(90), NOW);
  expect((await pauseOf('prolonged'))?.pausedUntil).toEqual(later(90));
});

test('a success clears the count and a pause that is over, not one that is on', async () => {
  await countFailure(db, 'cleared', 'x', NOW);
  expect(await clearPause(db, 'cleared', NOW)).toBe(true);
  expect(await clearPause(db, 'cleared', NOW)).toBe(false);
  await countFailure(db, 'cleared', 'x', NOW);
  await pauseProvider(db, 'cleared', later(60), NOW);
  expect(await clearPause(db, 'cleared', later(59))).toBe(false);
  expect(await clearPause(db, 'cleared', later(60))).toBe(true);
  expect(await pauseOf('cleared')).toBeUndefined();
});

test('of many callers one may probe: after the pause, with something due, and again when nothing came of it', async () => {
  await countFailure(db, 'probed', 'x', NOW);
  await pauseProvider(db, 'probed', later(30), NOW);
  const taken = async (now: Date) => (await times(8, () => takeProbe(db, 'probed', now))).filter(Boolean).length;
  expect(await taken(later(31))).toBe(0);
  await newTrackings(db, await newAccount(db, NOW), [freshNumber()], NOW, { provider: 'probed' });
  expect(await taken(later(29))).toBe(0);
  expect(await taken(later(31))).toBe(1);
  expect(await taken(later(90))).toBe(0);
  expect(await taken(later(91))).toBe(1);
});

test('a daily budget is never overspent, and begins anew with the UTC day', async () => {
  const spent = await times(30, () => spendCall(db, 'budget', 7, NOW));
  expect(spent.filter(Boolean)).toHaveLength(7);
  expect(await spendCall(db, 'budget', 7, new Date('2031-04-05T23:59:59.999Z'))).toBe(false);
  expect(await spendCall(db, 'budget', 7, new Date('2031-04-06T00:00:00Z'))).toBe(true);
});
