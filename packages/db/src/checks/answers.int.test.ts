import { type CarrierAnswer, fingerprintOf } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, keyOf, newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import { keysOf, parcelsOf } from '../testing/parcel-keys.ts';
import { saveAnswers } from '../testing/save-answers.ts';
import { retrack } from '../trackings/records.ts';
import { expireTrackings } from './answers.ts';
import { claimChecks } from './schedule.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const DAY = 86_400;
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const { db, close } = await openTestDatabase(10);
afterAll(close);

function scan(minute: number, status: Scan['status'], description: string = status): Scan {
  const time = `2031-04-01T00:${String(minute).padStart(2, '0')}:00Z`;
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description, status };
}
const found = (...scans: Scan[]): CarrierAnswer => ({ kind: 'found', scans });
const changed = (trackingId: string, answer: CarrierAnswer, finalLook = false) => ({
  trackingId,
  answer,
  finalLook,
  fingerprint: fingerprintOf(answer, NOW) ?? '',
});
const save = (answers: ReturnType<typeof changed>[], now = NOW) => saveAnswers(db, answers, CADENCE, now);
const tracking = (id: string) => db.tracking.findUniqueOrThrow({ where: { id } });
const check = (id: string) => db.check.findUnique({ where: { trackingId: id } });
const messages = (id: string) => db.message.findMany({ where: { trackingId: id }, orderBy: { seq: 'asc' } });

async function parcels(count: number) {
  const account = await newAccount(db, NOW);
  const webhook = await newWebhook(db, account, NOW);
  return { account, webhook, ids: await newTrackings(db, account, Array.from({ length: count }, freshNumber), NOW) };
}
async function parcel() {
  const { account, webhook, ids } = await parcels(1);
  return { account, webhook, id: ids[0] ?? '' };
}

test('batches with parcels in common, saved at once in any order, store each change once', async () => {
  const { account, ids } = await parcels(30);
  const batch = ids.map((id) => changed(id, found(scan(0, 'in_transit'), scan(9, 'delivered'))));
  const pending = await Promise.all(
    [batch, batch.toReversed(), batch.slice(10), batch.slice(0, 20)].map((each) => save(each)),
  );
  expect(pending.flat().length).toBeGreaterThan(0);
  expect(await db.delivery.count({ where: { accountId: account } })).toBe(60);
  for (const id of ids) {
    expect((await messages(id)).map(({ event, seq }) => [event, seq])).toEqual([
      ['tracking_update', 1],
      ['tracking_delivered', 2],
    ]);
  }
});

test('parts of a history that are saved at the same time are all kept', async () => {
  const { id } = await parcel();
  const scans = Array.from({ length: 12 }, (_, minute) => scan(minute, 'in_transit', `stop ${minute}`));
  // Each lists the first scan: an answer that shares nothing with the known history would be quarantined.
  const [first, ...others] = scans.map((each) => changed(id, found(...scans.slice(0, 1), each)));
  await save(first ? [first] : []);
  await Promise.all(others.map((part) => save([part])));
  expect((await tracking(id)).events).toEqual(scans);
  expect((await messages(id)).map(({ seq }) => seq)).toEqual(scans.map((_, n) => n + 1));
});

test('the body of a message is a snapshot of its own change', async () => {
  const { id } = await parcel();
  await save([changed(id, found(scan(0, 'in_transit')))]);
  await save([changed(id, found(scan(0, 'in_transit'), scan(9, 'delivered')))], later(60));
  const bodies = (await messages(id)).map(({ body }) => JSON.parse(body));
  expect(
    bodies.map(({ event, created_at, data }) => [event, created_at, data.seq, data.status, data.events.length]),
  ).toEqual([
    ['tracking_update', '2031-04-05T06:00:00Z', 1, '查询中', 1],
    ['tracking_update', '2031-04-05T06:01:00Z', 2, '已签收', 2],
    ['tracking_delivered', '2031-04-05T06:01:00Z', 3, '已签收', 2],
  ]);
  expect(Object.keys(bodies[0].data.events[0])).toEqual(['time', 'location', 'description', 'status']);
});

test('an answer without news writes no history and leaves the time of the last update', async () => {
  const { id } = await parcel();
  await save([changed(id, found(scan(0, 'in_transit'), scan(5, 'in_transit', 'b')))]);
  expect(await save([changed(id, found(scan(5, 'in_transit', 'b')))], later(60))).toEqual([]);
  expect(await tracking(id)).toMatchObject({ updatedAt: NOW, answeredAt: later(60), seq: 1 });
  expect((await tracking(id)).events).toHaveLength(2);
});

test('an answer about a deleted parcel is dropped, the others of its batch are stored', async () => {
  const { id } = await parcel();
  const answer = found(scan(0, 'in_transit'));
  expect(await save([changed('000000000000000000000000', answer), changed(id, answer)])).toHaveLength(1);
});

test('deliveries are returned in sending order, and only for enabled endpoints', async () => {
  const { account, webhook, id } = await parcel();
  const off = await newWebhook(db, account, NOW);
  await db.webhook.update({ where: { id: off.id }, data: { enabled: false } });
  const pending = await save([changed(id, found(scan(0, 'returned')))]);
  const rows = await db.delivery.findMany({
    where: { accountId: account },
    include: { message: true },
    orderBy: { id: 'asc' },
  });
  expect(pending).toEqual([{ ...keyOf(webhook), isFailing: false }]);
  expect(rows.map(({ message, webhookId, state }) => [message.event, webhookId, state])).toEqual([
    ['tracking_update', webhook.id, 'owed'],
    ['tracking_exception', webhook.id, 'owed'],
  ]);
  expect(rows.map(({ nextAttemptAt, fresh }) => [nextAttemptAt, fresh])).toEqual(Array(2).fill([NOW, true]));
});

test('when the transaction fails, nothing of it is stored', async () => {
  const { id } = await parcel();
  const broken = { ...changed(id, found(scan(0, 'in_transit'))), fingerprint: 'x'.repeat(41) };
  await expect(save([broken])).rejects.toThrow();
  expect(await tracking(id)).toMatchObject({ subStatus: 'pending', seq: 0, answeredAt: null });
  expect(await messages(id)).toEqual([]);
});

test('news that arrives while a parcel is being expired takes precedence', async () => {
  const { id } = await parcel();
  const at = later(31 * DAY);
  await save([changed(id, found(scan(0, 'in_transit')))], at);
  expect(await expireTrackings(db, await keysOf(db, [id]), CADENCE, at)).toEqual([]);
  expect(await tracking(id)).toMatchObject({ subStatus: 'in_transit' });
});

test('polling of a delivered parcel whose last check was never answered ends without an event', async () => {
  const { id } = await parcel();
  await save([changed(id, found(scan(0, 'delivered')))]);
  const before = await messages(id);
  expect(await expireTrackings(db, await keysOf(db, [id]), CADENCE, later(31 * DAY))).toEqual([]);
  expect(await tracking(id)).toMatchObject({ status: '已签收', subStatus: 'delivered' });
  expect([await check(id), await messages(id)]).toEqual([null, before]);
});

test('an expired parcel is watched again after a retrack, but only news ends its expiry', async () => {
  const { account, id } = await parcel();
  await save([changed(id, found(scan(0, 'in_transit')))]);
  const at = later(31 * DAY);
  expect(await expireTrackings(db, await keysOf(db, [id]), CADENCE, at)).toHaveLength(1);
  expect(await check(id)).toBeNull();
  await retrack(db, { accountId: account, id, floorSeconds: 0, now: at });
  expect(
    await claimChecks(db, { provider: 'scripted', limit: 99, cadence: CADENCE, now: at }, await parcelsOf(db, [id])),
  ).not.toEqual([]);
  expect(await save([changed(id, found(scan(0, 'in_transit')))], at)).toEqual([]);
  expect(await tracking(id)).toMatchObject({ status: '查询中', subStatus: 'expired' });
  expect(await check(id)).toMatchObject({ finalLook: false });
  await save([changed(id, found(scan(0, 'in_transit'), scan(9, 'out_for_delivery')))], at);
  expect(await tracking(id)).toMatchObject({ status: '派送中', subStatus: 'out_for_delivery' });
});

describe('optional data of a parcel', () => {
  test('is stored with the parcel and part of its messages', async () => {
    const { id } = await parcel();
    const [left, right] = [scan(0, 'in_transit'), scan(5, 'out_for_delivery')];
    await save([changed(id, found(left, right, scan(9, 'delivered')))]);
    await save([changed(id, found(left, right))], later(60));
    expect((await tracking(id)).annotations).toMatchObject({ reason: 'delivery_revoked' });
    const bodies = (await messages(id)).slice(-2).map(({ event, body }) => [event, JSON.parse(body).data.reason]);
    expect(bodies).toEqual([
      ['tracking_update', 'delivery_revoked'],
      ['tracking_exception', 'delivery_revoked'],
    ]);
  });

  test('an earlier parcel with the same number emits no event of its own', async () => {
    const { id } = await parcel();
    const old = { ...scan(0, 'delivered'), time: '2030-01-01T00:00:00Z' };
    await save([changed(id, found(old))]);
    expect(await tracking(id)).toMatchObject({ subStatus: 'pending', events: [], annotations: { previous: [old] } });
    expect(await messages(id)).toEqual([]);
  });

  test('a quarantined answer is not folded in, and the next one like it is checked again', async () => {
    const { id } = await parcel();
    const known = found(scan(10, 'in_transit', 'Shenzhen'));
    await save([changed(id, known)]);
    const before = await check(id);
    const other = changed(id, found(scan(5, 'delivered', 'Perth')));
    await save([other], later(60));
    expect((await tracking(id)).annotations).toMatchObject({ quarantine: { reason: 'other_history' } });
    // The next answer is compared with the last one that was folded in.
    expect((await check(id))?.fingerprint).toBe(before?.fingerprint);
    await save([other], later(3700));
    expect((await tracking(id)).events).toMatchObject([{ description: 'Perth' }]);
    expect((await check(id))?.fingerprint).toBe(other.fingerprint);
  });

  test('a course that no event shows is stored nevertheless', async () => {
    const { id } = await parcel();
    const trouble = scan(0, 'exception', 'Held');
    await save([changed(id, found(trouble))]);
    await save([changed(id, found({ ...trouble, course: 'going_back' }))], later(60));
    await save([changed(id, found(trouble, scan(9, 'delivered')))], later(120));
    expect((await tracking(id)).subStatus).toBe('returned');
  });
});
