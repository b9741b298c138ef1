import { fingerprintOf } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { claimChecks, endChecks } from '../checks/schedule.ts';
import { parcelsOf } from '../testing/parcel-keys.ts';
import { saveAnswers } from '../testing/save-answers.ts';
import {
  deleteTracking,
  findRestorable,
  findTracking,
  forgetRemoved,
  restoreTrackings,
  retrack,
  stopTracking,
} from './records.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);

const { db, close } = await openTestDatabase(4);
afterAll(close);

const time = '2031-04-05T05:00:00Z';
const scans: Scan[] = [
  { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '已签收', status: 'delivered' },
];
const answer = { kind: 'found', scans } as const;

async function delivered(): Promise<{ accountId: string; id: string }> {
  const accountId = await newAccount(db, NOW);
  const order = { orderId: 'A-1001', metadata: { shop: 'hangzhou' } };
  const [id = ''] = await newTrackings(db, accountId, [freshNumber()], NOW, order);
  await answered(id, NOW);
  return { accountId, id };
}

async function answered(id: string, at: Date): Promise<void> {
  const check = await db.check.findUnique({ where: { trackingId: id } });
  const digest = fingerprintOf(answer, at) ?? '';
  // Like the poller: an unchanged answer is not stored.
  if (check?.fingerprint === digest) return;
  await saveAnswers(
    db,
    [{ trackingId: id, answer, fingerprint: digest, finalLook: check?.finalLook ?? false }],
    CADENCE,
    at,
  );
}

test('a retracked delivered parcel is checked now and once more after 24 hours', async () => {
  const { accountId, id } = await delivered();
  const at = later(2);
  expect(await retrack(db, { accountId, id, floorSeconds: 0, now: at })).toMatchObject({ kind: 'retracked' });
  expect(
    await claimChecks(db, { provider: 'scripted', limit: 10, cadence: CADENCE, now: at }, await parcelsOf(db, [id])),
  ).toHaveLength(1);
  await answered(id, at);
  const check = await db.check.findUniqueOrThrow({ where: { trackingId: id } });
  expect(check).toMatchObject({ finalLook: true, nextCheckAt: later(26) });
});

test('stopped polling resumes, with the fields of the registration', async () => {
  const accountId = await newAccount(db, NOW);
  const [id = ''] = await newTrackings(db, accountId, [freshNumber()], NOW, { phone: '1234' });
  await db.check.delete({ where: { trackingId: id } });
  await retrack(db, { accountId, id, floorSeconds: 0, now: later(1) });
  const check = await db.check.findUniqueOrThrow({ where: { trackingId: id } });
  expect(check).toMatchObject({ nextCheckAt: later(1), hints: { phone: '1234' } });
});

test.each([[false], [true]])(
  "a retrack waits for the provider's floor; polling was stopped before: %s",
  async (isStopped) => {
    const accountId = await newAccount(db, NOW);
    const [id = ''] = await newTrackings(db, accountId, [freshNumber()], NOW);
    await claimChecks(db, { provider: 'scripted', limit: 10, cadence: CADENCE, now: NOW }, await parcelsOf(db, [id]));
    const soon = new Date(NOW.getTime() + 60_000);
    if (isStopped) await stopTracking(db, { accountId, id, now: soon });
    expect(await findTracking(db, accountId, id)).toMatchObject({ lastCheckedAt: NOW });
    await retrack(db, { accountId, id, floorSeconds: 1800, now: soon });
    const check = await db.check.findUniqueOrThrow({ where: { trackingId: id } });
    expect(check.nextCheckAt).toEqual(later(0.5));
  },
);

test("a retrack right after a final check that brought nothing new waits for the provider's floor", async () => {
  const { accountId, id } = await delivered();
  const parcels = await parcelsOf(db, [id]);
  const [last] = await claimChecks(db, { provider: 'scripted', limit: 10, cadence: CADENCE, now: later(24) }, parcels);
  expect(last).toMatchObject({ finalLook: true });
  await endChecks(db, [{ trackingId: id, accountId }]);
  expect(await findTracking(db, accountId, id)).toMatchObject({ lastCheckedAt: later(24), nextCheckAt: null });
  await retrack(db, { accountId, id, floorSeconds: 1800, now: later(24.1) });
  expect(await db.check.findUnique({ where: { trackingId: id } })).toMatchObject({ nextCheckAt: later(24.5) });
});

test('a retrack that came just before the one that is granted waits for an hour, not longer', async () => {
  const accountId = await newAccount(db, NOW);
  const [id = ''] = await newTrackings(db, accountId, [freshNumber()], NOW);
  const input = { accountId, id, floorSeconds: 0 };
  await retrack(db, { ...input, now: later(1) });
  const before = new Date(later(1).getTime() - 1);
  expect(await retrack(db, { ...input, now: before })).toEqual({ kind: 'too_soon', retryAfterSeconds: 3600 });
});

describe('a removed tracking', () => {
  const remove = (key: { accountId: string; id: string }) => deleteTracking(db, { ...key, now: NOW });
  const restore = ({ accountId, id }: { accountId: string; id: string }, at: Date) =>
    restoreTrackings(db, { accountId, ids: [id], now: at });
  const rowsOf = async (id: string) => ({
    tracking: await db.tracking.findUnique({ where: { id } }),
    check: await db.check.findUnique({ where: { trackingId: id } }),
    search: await db.trackingSearch.findMany({ where: { trackingId: id } }),
  });

  test('is restored as it was, with its check, which is due within the hour', async () => {
    const key = await delivered();
    const before = await rowsOf(key.id);
    await remove(key);
    expect(await rowsOf(key.id)).toEqual({ tracking: null, check: null, search: [] });
    expect(await restore(key, later(23))).toEqual([key.id]);
    const { check, ...others } = await rowsOf(key.id);
    expect(others).toEqual({ tracking: before.tracking, search: before.search });
    expect(check).toEqual({ ...before.check, nextCheckAt: later(1), ring: null, slot: null });
    expect(await db.removedTracking.count({ where: { id: key.id } })).toBe(0);
  });

  test('is not restored after 24 hours, by another account, or while its number is registered again', async () => {
    const key = await delivered();
    const { trackingNumber } = await db.tracking.findUniqueOrThrow({ where: { id: key.id } });
    await remove(key);
    expect(await restore(key, later(24))).toEqual([]);
    expect(await restore({ ...key, accountId: await newAccount(db, NOW) }, later(1))).toEqual([]);
    const [again = ''] = await newTrackings(db, key.accountId, [trackingNumber], NOW);
    expect(await restore(key, later(1))).toEqual([]);
    const restorable = (at: Date) => findRestorable(db, { accountId: key.accountId, ids: [key.id], now: at });
    expect([await restorable(later(1)), await restorable(later(24))]).toEqual([[key.id], []]);
    await remove({ accountId: key.accountId, id: again });
    expect(await restore(key, later(1))).toEqual([key.id]);
  });

  test('stays without a check if it had none, and comes back with the others of its bulk action', async () => {
    const accountId = await newAccount(db, NOW);
    const ids = await newTrackings(db, accountId, [freshNumber(), freshNumber(), freshNumber()], NOW);
    await stopTracking(db, { accountId, id: ids[0] ?? '', now: NOW });
    const bulkActionId = '65a1b2c3d4e5f60718293a4b';
    for (const id of ids) await deleteTracking(db, { accountId, id, now: NOW, bulkActionId });
    const some = (limit: number) => restoreTrackings(db, { accountId, bulkActionId, limit, now: later(1) });
    expect(await some(2)).toHaveLength(2);
    expect(await some(2)).toHaveLength(1);
    expect(await db.check.count({ where: { trackingId: { in: ids } } })).toBe(2);
  });

  test('is forgotten after 24 hours', async () => {
    const key = await delivered();
    await remove(key);
    await forgetRemoved(db, { now: later(23), batch: 1000 });
    expect(await db.removedTracking.count({ where: { id: key.id } })).toBe(1);
    await forgetRemoved(db, { now: later(24), batch: 1000 });
    expect(await db.removedTracking.count({ where: { id: key.id } })).toBe(0);
  });
});
