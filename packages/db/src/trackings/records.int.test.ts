import { fingerprintOf } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { claimChecks, endChecks } from '../checks/schedule.ts';
import { parcelsOf } from '../testing/parcel-keys.ts';
import { saveAnswers } from '../testing/save-answers.ts';
import { findTracking, retrack, stopTracking } from './records.ts';

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
  const [id = ''] = await newTrackings(db, accountId, [freshNumber()], NOW);
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
