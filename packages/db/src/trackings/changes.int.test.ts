import type { Scan } from '@pts/core/tracking/scan';
import { openTestDatabase, waitingForLocks } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import pg from 'pg';
import { claimChecks, endChecks } from '../checks/schedule.ts';
import { keysOf, parcelsOf } from '../testing/parcel-keys.ts';
import { saveAnswers } from '../testing/save-answers.ts';
import type { InputChange } from './inputs.ts';
import { deleteTracking, stopTracking, updateTracking } from './records.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const { db, url, close } = await openTestDatabase(8);
afterAll(close);

async function parcel() {
  const accountId = await newAccount(db, NOW);
  await newWebhook(db, accountId, NOW);
  const [id = ''] = await newTrackings(db, accountId, [freshNumber()], NOW, { phone: '1234' });
  return { accountId, id };
}
type Parcel = Awaited<ReturnType<typeof parcel>>;

const move = ({ accountId, id }: Parcel, carrier: string, provider: string, at: Date, floorSeconds = 0) =>
  updateTracking(db, {
    accountId,
    id,
    change: { move: { carrier, provider, detected: false, floorSeconds } },
    now: at,
  });
const claim = async (provider: string, at: Date, ids: string[]) =>
  claimChecks(db, { provider, limit: 1, cadence: CADENCE, now: at }, await parcelsOf(db, ids));
const check = ({ id }: Parcel) => db.check.findUniqueOrThrow({ where: { trackingId: id } });
const tracking = ({ id }: Parcel) => db.tracking.findUniqueOrThrow({ where: { id } });

function answer({ id }: Parcel, carrier: string, at: Date, status: Scan['status'] = 'in_transit', finalLook = false) {
  const time = '2031-04-01T00:00:00Z';
  const scan: Scan = { time, timeRaw: time, zoneSource: 'carrier', location: '', description: carrier, status };
  const found = { kind: 'found' as const, scans: [scan] };
  return saveAnswers(
    db,
    [{ trackingId: id, carrier, answer: found, fingerprint: `${carrier} ${status}`, finalLook, latencyMs: 41.6 }],
    CADENCE,
    at,
  );
}

test('the last answer with something new is stored with the tracking', async () => {
  const p = await parcel();
  await answer(p, 'yto', later(5));
  expect((await tracking(p)).lastAnswer).toEqual({
    kind: 'found',
    at: later(5).toISOString(),
    latencyMs: 42,
    scans: 1,
  });
});

test('an answer of the former carrier that arrives after the move is dropped; `seq` continues with the new one', async () => {
  const p = await parcel();
  await answer(p, 'yto', NOW);
  await move(p, 'sto', 'scripted', later(10));
  expect(await answer(p, 'yto', later(11), 'delivered')).toEqual([]);
  expect(await tracking(p)).toMatchObject({ status: '查询中', subStatus: 'pending', events: [], seq: 1 });
  expect((await check(p)).fingerprint).toBeNull();
  await answer(p, 'sto', later(12));
  expect(await tracking(p)).toMatchObject({ subStatus: 'in_transit', seq: 2, events: [{ description: 'sto' }] });
});

test('the final check of the former carrier does not end polling of the new one', async () => {
  const p = await parcel();
  await answer(p, 'yto', NOW, 'delivered');
  await move(p, 'sto', 'scripted', later(10));
  await endChecks(db, await keysOf(db, [p.id]));
  expect(await check(p)).toMatchObject({ carrier: 'sto', finalLook: false });
});

test('stopped polling resumes, with the fields that its carrier needs', async () => {
  const p = await parcel();
  await answer(p, 'yto', NOW, 'delivered');
  await answer(p, 'yto', later(1), 'returned', true);
  expect(await db.check.findUnique({ where: { trackingId: p.id } })).toBeNull();
  await move(p, 'sto', 'other', later(10));
  expect(await check(p)).toMatchObject({ provider: 'other', nextCheckAt: later(10), hints: { phone: '1234' } });
});

test('its provider is not queried before its floor, even after a move to another provider and back', async () => {
  const p = await parcel();
  expect(await claim('scripted', NOW, [p.id])).toHaveLength(1);
  await move(p, 'sto', 'scripted', later(10), 1800);
  expect((await check(p)).nextCheckAt).toEqual(later(1800));
  await move(p, 'dhl', 'other', later(20), 60);
  expect(await check(p)).toMatchObject({ nextCheckAt: later(20), claimedAt: null });
  expect(await claim('other', later(20), [p.id])).toHaveLength(1);
  await move(p, 'yto', 'scripted', later(30), 1800);
  expect(await check(p)).toMatchObject({ nextCheckAt: later(1800), claimedAt: NOW });
  await move(p, 'dhl', 'other', later(40), 60);
  expect((await check(p)).nextCheckAt).toEqual(later(80));
});

const change = ({ accountId, id }: Parcel, fields: InputChange, at: Date, floorSeconds = 0) =>
  updateTracking(db, { accountId, id, change: fields, floorSecondsOf: () => floorSeconds, now: at });

test('a field that its carrier needs reaches its check, which is due once the floor allows; the same field changes nothing', async () => {
  const p = await parcel();
  expect(await claim('scripted', NOW, [p.id])).toHaveLength(1);
  expect(await change(p, { phone: '5678', postalCode: '310000' }, later(10), 1800)).toMatchObject({ isDue: true });
  const hints = { phone: '5678', postalCode: '310000' };
  expect(await check(p)).toMatchObject({ hints, nextCheckAt: later(1800), claimedAt: NOW });
  expect(await change(p, { phone: '5678', title: 'Kettle' }, later(2000))).toMatchObject({ isDue: false });
  expect(await check(p)).toMatchObject({ hints, nextCheckAt: later(1800) });
  await change(p, { phone: null, postalCode: null }, later(2000));
  expect(await check(p)).toMatchObject({ hints: null, nextCheckAt: later(2000) });
});

test('a field of a stopped parcel is stored, and polling does not resume', async () => {
  const p = await parcel();
  await stopTracking(db, { ...p, now: NOW });
  expect(await change(p, { phone: '5678' }, later(10))).toMatchObject({ isDue: false, tracking: { phone: '5678' } });
  expect(await db.check.findUnique({ where: { trackingId: p.id } })).toBeNull();
});

test('other fields have an arrived parcel checked at once, and it keeps its final check', async () => {
  const p = await parcel();
  await answer(p, 'yto', NOW, 'delivered');
  await change(p, { phone: '5678' }, later(3600));
  const [claimed] = await claim('scripted', later(3600), [p.id]);
  expect(claimed).toMatchObject({ finalLook: false, hints: { phone: '5678' } });
  await answer(p, 'yto', later(3601), 'delivered', claimed?.finalLook);
  expect(await check(p)).toMatchObject({ finalLook: true, nextCheckAt: later(3601 + 86_400) });
});

test('a field and a carrier that come together reach the same check', async () => {
  const p = await parcel();
  const sto = { carrier: 'sto', provider: 'other', detected: false, floorSeconds: 0 };
  await updateTracking(db, { ...p, change: { phone: '5678', move: sto }, now: later(10) });
  expect(await check(p)).toMatchObject({ carrier: 'sto', hints: { phone: '5678' }, nextCheckAt: later(10) });
});

test('if a carrier and a title are sent together, neither is stored when the carrier is taken', async () => {
  const p = await parcel();
  const { trackingNumber } = await tracking(p);
  const [other] = await newTrackings(db, p.accountId, [trackingNumber], NOW, { carrier: 'sto', detected: false });
  const both = { title: 'x', move: { carrier: 'sto', provider: 'scripted', detected: false, floorSeconds: 0 } };
  const result = await updateTracking(db, { accountId: p.accountId, id: p.id, change: both, now: NOW });
  expect(result).toEqual({ kind: 'taken', id: other });
  expect(await tracking(p)).toMatchObject({ carrier: 'yto', title: null });
});

test('a move that waits for another one to the same carrier finds it done, and drops nothing', async () => {
  const p = await parcel();
  const first = new pg.Client({ connectionString: url });
  await first.connect();
  await first.query('BEGIN');
  await first.query(`UPDATE trackings SET carrier = 'sto' WHERE id = $1`, [p.id]);
  const second = move(p, 'sto', 'scripted', later(10));
  await eventually(async () => expect(await waitingForLocks(url)).toHaveLength(1));
  await first.query('COMMIT');
  await first.end();
  expect(await second).toMatchObject({ kind: 'updated', isDue: false });
});

test('after simultaneous answers and moves, there is one carrier with only its own history', async () => {
  const p = await parcel();
  await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      i % 2 === 0
        ? move(p, i % 4 === 0 ? 'sto' : 'yto', 'scripted', later(i))
        : answer(p, i % 4 === 1 ? 'sto' : 'yto', later(i)),
    ),
  );
  const { carrier, events } = await tracking(p);
  expect((events as Scan[]).every(({ description }) => description === carrier)).toBe(true);
  expect((await check(p)).carrier).toBe(carrier);
});

test('an answer about a parcel that was deleted during its check is dropped', async () => {
  const p = await parcel();
  expect(await claim('scripted', NOW, [p.id])).toHaveLength(1);
  expect(await deleteTracking(db, { accountId: p.accountId, id: p.id, now: NOW })).toBe(true);
  expect(await answer(p, 'yto', later(1))).toEqual([]);
  expect(await db.message.count({ where: { trackingId: p.id } })).toBe(0);
  expect(await deleteTracking(db, { accountId: p.accountId, id: p.id, now: NOW })).toBe(false);
});
