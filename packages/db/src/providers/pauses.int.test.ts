import { openTestDatabase, PATIENT } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { openDatabase } from '../connection/client.ts';
import { endPause, pauseByOperator } from './operator-pauses.ts';
import { callsOfDay, clearPause, countFailure, listPauses, pauseProvider, spendCall, takeProbe } from './pauses.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const times = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));

const { db, url, close } = await openTestDatabase(8);
afterAll(close);

const pauseOf = async (provider: string) => (await listPauses(db)).find((pause) => pause.provider === provider);

/** A call about parcel `id` that was made `seconds` after the first and failed. */
const fail = (provider: string, seconds = 0, trackingIds = ['a']) =>
  countFailure(db, {
    provider,
    failure: 'transient',
    reason: 'gone',
    trackingIds,
    requestedAt: later(seconds),
    now: later(seconds),
  });

test('of many failures within one moment, from two processes, one is counted; all of their parcels are known', async () => {
  const elsewhere = openDatabase({ url, poolSize: 8, ...PATIENT });
  try {
    for (const [moment, seconds] of [0, 6, 12].entries()) {
      const calls = Array.from({ length: 8 }, (_, n) => ({
        provider: 'moments',
        failure: 'transient' as const,
        reason: 'gone',
        trackingIds: [`parcel ${n}`],
        requestedAt: later(seconds + n * 0.02),
        now: later(seconds + 0.2),
      }));
      const counts = await Promise.all(calls.map((call, n) => countFailure(n % 2 ? db : elsewhere, call)));
      const counted = counts.filter(({ isCounted }) => isCounted);
      expect(counted.map((count) => count.failures)).toEqual([moment + 1]);
      expect(await pauseOf('moments')).toMatchObject({ failures: moment + 1, pausedUntil: null });
      const row = await db.providerPause.findUniqueOrThrow({ where: { provider: 'moments' } });
      expect(row.parcels).toHaveLength(3);
    }
  } finally {
    await elsewhere.$disconnect();
  }
});

test('a pause can be prolonged, not shortened', async () => {
  await fail('prolonged');
  for (const seconds of [60, 30]) await pauseProvider(db, 'prolonged', later(seconds), NOW);
  expect((await pauseOf('prolonged'))?.pausedUntil).toEqual(later(60));
  await pauseProvider(db, 'prolonged', later(90), NOW);
  expect((await pauseOf('prolonged'))?.pausedUntil).toEqual(later(90));
});

test('a success clears the count and an ended pause, but not a current one', async () => {
  await fail('cleared');
  expect(await clearPause(db, 'cleared', NOW)).toBe(true);
  expect(await clearPause(db, 'cleared', NOW)).toBe(false);
  await fail('cleared');
  await pauseProvider(db, 'cleared', later(60), NOW);
  expect(await clearPause(db, 'cleared', later(59))).toBe(false);
  expect(await clearPause(db, 'cleared', later(60))).toBe(true);
  expect(await pauseOf('cleared')).toBeUndefined();
});

test('of many callers one may probe: after the pause, if something is due, and again if the probe was never answered', async () => {
  await fail('probed');
  await pauseProvider(db, 'probed', later(30), NOW);
  const taken = async (now: Date) => (await times(8, () => takeProbe(db, 'probed', now))).filter(Boolean).length;
  expect(await taken(later(31))).toBe(0);
  await newTrackings(db, await newAccount(db, NOW), [freshNumber()], NOW, { provider: 'probed' });
  expect(await taken(later(29))).toBe(0);
  expect(await taken(later(31))).toBe(1);
  expect(await taken(later(90))).toBe(0);
  expect(await taken(later(91))).toBe(1);
});

test('a daily budget is never overspent, and resets with the UTC day', async () => {
  const spent = await times(30, () => spendCall(db, 'budget', 7, NOW));
  expect(spent.filter(Boolean)).toHaveLength(7);
  expect(await spendCall(db, 'budget', 7, new Date('2031-04-05T23:59:59.999Z'))).toBe(false);
  expect(await spendCall(db, 'budget', 7, new Date('2031-04-06T00:00:00Z'))).toBe(true);
  expect((await callsOfDay(db, NOW)).get('budget')).toBe(7);
});

describe("an operator's pause", () => {
  const wanted = { until: later(600), reason: 'contract', now: NOW };

  test('replaces any other, and is there for a provider that never failed', async () => {
    await fail('replaced');
    await pauseProvider(db, 'replaced', later(900), NOW);
    for (const provider of ['replaced', 'spotless']) {
      await pauseByOperator(db, provider, wanted);
      expect(await pauseOf(provider)).toMatchObject({
        pausedUntil: later(600),
        failure: 'operator',
        reason: 'contract',
      });
    }
  });

  test('is not lifted before its time: by no call that was made before, and by no probe', async () => {
    await pauseByOperator(db, 'held', wanted);
    await newTrackings(db, await newAccount(db, NOW), [freshNumber()], NOW, { provider: 'held' });
    expect(await takeProbe(db, 'held', later(599))).toBe(false);
    expect(await clearPause(db, 'held', later(599))).toBe(false);
    expect(await fail('held', 599)).toMatchObject({ isCounted: false, pausedUntil: later(600) });
    expect(await pauseOf('held')).toMatchObject({ failure: 'operator', reason: 'contract' });
    expect(await takeProbe(db, 'held', later(601))).toBe(true);
    expect(await clearPause(db, 'held', later(601))).toBe(true);
  });

  test('ends when an operator ends it', async () => {
    await pauseByOperator(db, 'ended', wanted);
    expect([await endPause(db, 'ended', NOW), await endPause(db, 'ended', NOW)]).toEqual([true, false]);
    expect(await pauseOf('ended')).toBeUndefined();
  });
});
