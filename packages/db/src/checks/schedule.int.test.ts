import { openTestDatabase, PATIENT, testDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import pg from 'pg';
import { openDatabase } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { useMonitoredInterval } from '../testing/monitored.ts';
import { keysOf, parcelsOf } from '../testing/parcel-keys.ts';
import {
  claimChecks,
  DUE_AT,
  endChecks,
  findExpired,
  giveBackChecks,
  keepInterval,
  readBacklogs,
  SLOT_JOIN,
  takeDue,
} from './schedule.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const { db, close } = await openTestDatabase(8);
afterAll(close);

async function parcels(provider: string, count: number, options: { monitored?: boolean } = {}) {
  const account = await newAccount(db, NOW);
  if (options.monitored) await newWebhook(db, account, NOW);
  const ids = await newTrackings(db, account, Array.from({ length: count }, freshNumber), NOW, { provider });
  return { account, ids };
}
const claim = (provider: string, limit: number, now = NOW, cadence = CADENCE) =>
  claimChecks(db, { provider, limit, cadence, now });
const idsOf = (checks: readonly { trackingId: string }[]) => checks.map(({ trackingId }) => trackingId);
/** Seconds from now until each check of a provider is due. */
async function waits(provider: string, now = NOW) {
  const rows = await db.$queryRaw<{ at: Date }[]>`
    SELECT ${Prisma.raw(DUE_AT)} AS at FROM public.checks c ${SLOT_JOIN} WHERE c.provider = ${provider}`;
  return rows.map(({ at }) => (at.getTime() - now.getTime()) / 1000);
}

test('four claimers at once take every due check, and none twice', async () => {
  const { ids } = await parcels('four', 1200);
  const claimer = async (limit: number) => {
    const taken: string[] = [];
    for (let claimed = await claim('four', limit); claimed.length > 0; claimed = await claim('four', limit))
      taken.push(...idsOf(claimed));
    return taken;
  };
  const taken = await Promise.all([7, 13, 40, 40].map(claimer));
  expect(taken.flat()).toHaveLength(ids.length);
  expect(new Set(taken.flat())).toEqual(new Set(ids));
  expect(Math.max(...taken.map((each) => each.length))).toBeLessThan(ids.length);
});

test('claimers that request the same ids share them', async () => {
  const { ids } = await parcels('same', 50);
  const wanted = await parcelsOf(db, ids);
  const claimed = await Promise.all(
    Array.from({ length: 4 }, () =>
      claimChecks(db, { provider: 'same', limit: 50, cadence: CADENCE, now: NOW }, wanted),
    ),
  );
  expect(claimed.flatMap(idsOf).sort()).toEqual([...ids].sort());
});

test('the requested ids come first, and others fill the batch up to its limit', async () => {
  const { ids } = await parcels('first', 10);
  const wanted = ids.slice(7);
  const claimed = idsOf(
    await claimChecks(
      db,
      { provider: 'first', limit: 5, cadence: CADENCE, now: NOW },
      await parcelsOf(db, [...wanted, 'unknown']),
    ),
  );
  expect(claimed).toHaveLength(5);
  expect(claimed).toEqual(expect.arrayContaining(wanted));
});

test('while a transaction stays open, what was due before is read by sweeps, not by every claim', async () => {
  const database = await testDatabase();
  // One connection, whose reads are counted.
  const own = openDatabase({ url: database.url, poolSize: 1, ...PATIENT });
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  try {
    const entriesRead = async () => {
      await own.$executeRaw`SELECT pg_stat_force_next_flush()`;
      const [row] = await own.$queryRaw<{ read: bigint }[]>`
        SELECT idx_tup_read AS read FROM pg_stat_user_indexes WHERE indexrelname = 'checks_provider_next_check_at_idx'`;
      return Number(row?.read);
    };
    await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    const account = await newAccount(own, NOW);
    const register = (count: number, at: Date) =>
      newTrackings(own, account, Array.from({ length: count }, freshNumber), at, { provider: 'held' });
    const of = (limit: number, now: Date) => ({ provider: 'held', limit, cadence: CADENCE, now });
    await register(400, NOW);
    expect(await claimChecks(own, of(400, NOW))).toHaveLength(400);
    const { since } = await takeDue(own, of(10, later(5)));
    const [wanted = '', another] = await register(2, later(6));
    const before = await entriesRead();
    const claimed = await claimChecks(own, { ...of(5, later(6)), since }, await parcelsOf(own, [wanted]));
    expect(idsOf(claimed).sort()).toEqual([wanted, another].sort());
    expect((await entriesRead()) - before).toBeLessThan(20);
  } finally {
    await other.end();
    await own.$disconnect();
    await database.close();
  }
});

test('by turns, a number of another account does not wait behind all of one account', async () => {
  const many = await parcels('turns', 20);
  await db.check.updateMany({ where: { accountId: many.account }, data: { nextCheckAt: later(-60) } });
  const few = await parcels('turns', 3);
  const claimTurns = (limit: number) =>
    claimChecks(db, { provider: 'turns', limit, cadence: CADENCE, now: NOW, byTurns: true });
  const claimed = await claimTurns(8);
  const owners = claimed.map(({ accountId }) => accountId);
  expect(owners.filter((id) => id === few.account)).toHaveLength(3);
  expect(owners.filter((id) => id === many.account)).toHaveLength(5);
  // One account alone uses every call.
  expect(await claimTurns(100)).toHaveLength(15);
});

test('the fields that the carrier requires besides the number are part of the check', async () => {
  const account = await newAccount(db, NOW);
  const number = freshNumber();
  await newTrackings(db, account, [number], NOW, { provider: 'hints', phone: '5678', postalCode: '999' });
  expect(await claim('hints', 1)).toEqual([
    {
      trackingId: expect.any(String),
      accountId: account,
      trackingNumber: number,
      carrier: 'yto',
      fingerprint: null,
      isUndecided: false,
      finalLook: false,
      hints: { phone: '5678', postalCode: '999' },
      failing: null,
      pushed: null,
      dueAtMs: NOW.getTime(),
      requestId: null,
      traceparent: null,
    },
  ]);
});

test.each([
  { provider: 'monitored', monitored: true, floorSeconds: 0, min: 270, max: 330.2 },
  { provider: 'idle', monitored: false, floorSeconds: 0, min: 3240, max: 3962 },
  { provider: 'floor-above', monitored: true, floorSeconds: 1800, min: 1800, max: 2002 },
  { provider: 'floor-within', monitored: true, floorSeconds: 300, min: 300, max: 335 },
])('$provider: the next check is $least to $most s away', async ({ provider, monitored, floorSeconds, min, max }) => {
  await parcels(provider, 300, { monitored });
  await db.check.updateMany({ where: { provider }, data: { fingerprint: 'seen' } });
  await claim(provider, 300, NOW, { ...CADENCE, floorSeconds });
  const spread = await waits(provider);
  expect(Math.min(...spread)).toBeGreaterThanOrEqual(min);
  expect(Math.max(...spread)).toBeLessThanOrEqual(max);
  // With 300 draws, no wide part of the range stays empty.
  expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThanOrEqual((max - min) * 0.8);
  const again = await parcels(`${provider}-unanswered`, 100, { monitored });
  await keepInterval(db, `${provider}-unanswered`, await keysOf(db, again.ids), {
    cadence: { ...CADENCE, floorSeconds },
    now: NOW,
  });
  for (const seconds of await waits(`${provider}-unanswered`)) {
    expect(seconds).toBeGreaterThanOrEqual(min);
    expect(seconds).toBeLessThanOrEqual(max);
  }
});

test('an endpoint that is disabled does not count as monitoring', async () => {
  const { account } = await parcels('disabled', 1, { monitored: true });
  await db.webhook.updateMany({ where: { accountId: account }, data: { enabled: false } });
  await db.check.updateMany({ where: { provider: 'disabled' }, data: { fingerprint: 'seen' } });
  await claim('disabled', 1);
  expect((await waits('disabled'))[0]).toBeGreaterThan(3000);
});

test('a first check that is claimed comes back after a short lease, but not before the floor', async () => {
  await parcels('lease', 100);
  await claim('lease', 50);
  await claim('lease', 50, NOW, { ...CADENCE, floorSeconds: 1800 });
  const spread = (await waits('lease')).sort((a, b) => a - b);
  expect(spread[0]).toBeGreaterThanOrEqual(54);
  expect(spread[49]).toBeLessThanOrEqual(66);
  expect(spread.slice(50)).toEqual(Array(50).fill(1800));
});

test('the first webhook of an account brings its checks within the monitored interval, and no others', async () => {
  const { account, ids } = await parcels('hasten', 40);
  const [finalLook = '', unanswered = ''] = ids;
  await db.check.updateMany({ where: { accountId: account }, data: { fingerprint: 'seen', nextCheckAt: later(3000) } });
  await db.check.update({ where: { trackingId: finalLook }, data: { finalLook: true } });
  await db.check.update({ where: { trackingId: unanswered }, data: { fingerprint: null } });
  const other = await parcels('hasten-other', 1);
  await db.check.updateMany({
    where: { accountId: other.account },
    data: { fingerprint: 'seen', nextCheckAt: later(3000) },
  });
  await newWebhook(db, account, NOW);
  const floors = { hasten: 0, 'hasten-other': 0 };
  await useMonitoredInterval(db, { accountId: account, monitoredSeconds: 300, floors, now: NOW });
  const spread = (await waits('hasten')).sort((a, b) => a - b);
  expect(spread.slice(38)).toEqual([3000, 3000]);
  expect(spread[37]).toBeLessThanOrEqual(300);
  expect(spread[37]).toBeGreaterThan(150);
  expect(await waits('hasten-other')).toEqual([3000]);
});

test("an account's first webhook has no number queried before its provider's floor", async () => {
  const { account, ids } = await parcels('floored', 2);
  const [requested = '', before = ''] = ids;
  const data = { fingerprint: 'f', nextCheckAt: later(3000) };
  await db.check.update({ where: { trackingId: requested }, data: { ...data, claimedAt: later(-60) } });
  await db.check.update({ where: { trackingId: before }, data: { ...data, claimedAt: later(-3600) } });
  await newWebhook(db, account, NOW);
  const floors = { floored: 1800 };
  await useMonitoredInterval(db, { accountId: account, monitoredSeconds: 300, floors, now: NOW });
  const next = async (id: string) => (await db.check.findUniqueOrThrow({ where: { trackingId: id } })).nextCheckAt;
  expect(await next(requested)).toEqual(later(1740));
  expect((await next(before)).getTime()).toBeLessThanOrEqual(later(300).getTime());
});

test('checks that were given back are due at their time, ended ones never, and the backlog counts those due', async () => {
  const { ids } = await parcels('back', 3);
  await claim('back', 3);
  await giveBackChecks(db, 'back', await keysOf(db, ids.slice(0, 2)), later(5));
  await db.check.updateMany({ where: { trackingId: { in: ids.slice(1, 2) } }, data: { finalLook: true } });
  await endChecks(db, await keysOf(db, ids.slice(1, 2)));
  expect(await claim('back', 3, later(4))).toEqual([]);
  expect(await readBacklogs(db, later(5))).toContainEqual(expect.objectContaining({ provider: 'back', due: 1 }));
  expect(idsOf(await claim('back', 3, later(5)))).toEqual(ids.slice(0, 1));
});

test('only parcels whose `expires_at` has passed count as expired', async () => {
  const { ids } = await parcels('expired', 2);
  const DAY = 86_400;
  await db.check.update({ where: { trackingId: ids[0] ?? '' }, data: { expiresAt: later(DAY) } });
  expect(await findExpired(db, 10, later(DAY - 1))).toEqual([]);
  expect(await findExpired(db, 10, later(DAY))).toEqual(await keysOf(db, ids.slice(0, 1)));
});
