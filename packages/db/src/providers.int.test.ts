import { openTestDatabase, PATIENT } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { giveBackChecks } from './checks/schedule.ts';
import { openDatabase } from './connection.ts';
import {
  callsOfDay,
  clearPause,
  countFailure,
  endPause,
  listPauses,
  pauseByOperator,
  pauseProvider,
  spendCall,
  takeProbe,
} from './providers.ts';
import { keysOf } from './testing/parcel-keys.ts';
import { CADENCE, watchedParcels } from './testing/rings.ts';

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

test('one parcel that fails at every moment stays one parcel, and the count stops where a pause would begin', async () => {
  for (let moment = 0; moment < 9; moment++) await fail('single', moment * 5);
  expect(await fail('single', 60)).toEqual({ failures: 5, parcels: 1, pausedUntil: null, isCounted: true });
  expect(await fail('single', 65, ['b', 'c', 'd'])).toMatchObject({ failures: 5, parcels: 3, isCounted: true });
});

test('a call that was made before the pause began is not counted; the first one after it is, once', async () => {
  await fail('paused');
  await pauseProvider(db, 'paused', later(30), NOW);
  expect(await fail('paused', 29)).toMatchObject({ failures: 1, pausedUntil: later(30), isCounted: false });
  const probes = await times(8, () => fail('paused', 30));
  expect(probes.filter(({ isCounted }) => isCounted)).toEqual([expect.objectContaining({ failures: 2 })]);
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

  /** Checks of a provider that wait for the end of a pause of a day, except for the last. */
  async function heldChecks(provider: string, floorSeconds: number) {
    const { ids, ...parcels } = await watchedParcels(db, provider, 3, { cadence: { ...CADENCE, floorSeconds } });
    await parcels.claim();
    const [until, claimedAt] = [new Date(parcels.now().getTime() + 86_400_000), parcels.now()];
    const [first = '', other = ''] = ids;
    await giveBackChecks(db, provider, await keysOf(db, [first]), until);
    await giveBackChecks(db, provider, await keysOf(db, [other]), new Date(until.getTime() - 1000));
    await pauseByOperator(db, provider, { ...wanted, until });
    const dueTimes = async () => {
      const checks = await db.check.findMany({ where: { trackingId: { in: [first, other] } } });
      return Object.fromEntries(
        checks.map(({ trackingId, nextCheckAt }) => [trackingId === first ? 'held' : 'other', nextCheckAt]),
      );
    };
    return { ...parcels, until, dueTimes, after: (seconds: number) => new Date(claimedAt.getTime() + seconds * 1000) };
  }

  test('that is ended early has the checks due that waited for its end, but not before their floor', async () => {
    const { after, until, dueTimes } = await heldChecks('early', 120);
    await endPause(db, 'early', after(60));
    expect(await dueTimes()).toEqual({ held: after(120), other: new Date(until.getTime() - 1000) });
  });

  test('that replaces a longer one has the checks due at its own end that waited for the other', async () => {
    const { after, until, dueTimes } = await heldChecks('shortened', 120);
    await pauseByOperator(db, 'shortened', { ...wanted, until: after(600) });
    expect(await dueTimes()).toEqual({ held: after(600), other: new Date(until.getTime() - 1000) });
    await pauseByOperator(db, 'shortened', { ...wanted, until: after(900) });
    expect(await dueTimes()).toMatchObject({ held: after(600) });
  });

  test('of a provider without slots has its checks due, if its floor is known', async () => {
    const { after, until, dueTimes } = await heldChecks('new', 0);
    await db.checkSlot.deleteMany({ where: { provider: 'new' } });
    await endPause(db, 'new', after(60), 120);
    expect(await dueTimes()).toMatchObject({ held: after(120) });
    expect(until > after(120)).toBe(true);
  });

  test('of subscriptions that is ended early has those due that were postponed until its end', async () => {
    await pauseByOperator(db, 'wanting:subscribe', wanted);
    const number = { provider: 'wanting', carrier: 'yto', state: 'wanted', updatedAt: NOW };
    const retries = [wanted.until, later(599)];
    await db.subscription.createMany({
      data: retries.map((retryAt, n) => ({ ...number, trackingNumber: `N${n}`, retryAt })),
    });
    await endPause(db, 'wanting:subscribe', later(60));
    const found = await db.subscription.findMany({
      where: { provider: 'wanting' },
      orderBy: { trackingNumber: 'asc' },
    });
    expect(found.map(({ retryAt }) => retryAt)).toEqual([later(60), later(599)]);
  });

  test('ends when an operator ends it', async () => {
    await pauseByOperator(db, 'ended', wanted);
    expect([await endPause(db, 'ended', NOW), await endPause(db, 'ended', NOW)]).toEqual([true, false]);
    expect(await pauseOf('ended')).toBeUndefined();
  });
});
