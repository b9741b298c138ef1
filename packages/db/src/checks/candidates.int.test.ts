import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import type { CandidateCarrier, Undecided } from '@pts/core/tracking/undecided';
import { openTestDatabase } from '@pts/testing/database';
import { newAccount, newTrackings, newWebhook } from '@pts/testing/factories';
import { quotaUsed } from '../accounts/accounts.ts';
import { keysOf, parcelsOf } from '../testing/parcel-keys.ts';
import { retrack } from '../trackings/records.ts';
import { storeRegistrations } from '../trackings/register.ts';
import { expireTrackings, saveBatch } from './answers.ts';
import { type Cadence, claimChecks } from './schedule.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const CADENCE: Cadence = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0, floors: { free: 0, paid: 1800 } };
const CANDIDATES: CandidateCarrier[] = [
  { carrier: 'sto', provider: 'free' },
  { carrier: 'yto', provider: 'free' },
  { carrier: 'zto', provider: 'paid' },
];

const { db, close } = await openTestDatabase(8);
afterAll(close);

let numbers = 770_500_000_000;

/** A number of an account with an enabled webhook; its likeliest carrier is `zto`, which is checked last. */
async function parcel(candidates = CANDIDATES) {
  const accountId = await newAccount(db, NOW);
  await newWebhook(db, accountId, NOW);
  numbers += 1;
  const more = { carrier: 'zto', provider: 'paid', detected: true, candidates };
  const [id = ''] = await newTrackings(db, accountId, [String(numbers)], NOW, more);
  return { accountId, id, number: String(numbers) };
}

const scan = (time = '2031-04-05T05:00:00Z'): Scan => {
  const where = { location: 'Fennbrook', description: 'on the road', status: 'in_transit' as const };
  return { time, timeRaw: time, zoneSource: 'carrier', ...where };
};
const found = (...scans: Scan[]): CarrierAnswer => ({ kind: 'found', scans });
const NOT_FOUND: CarrierAnswer = { kind: 'not_found' };
const failed = (failure: 'needs_input' | 'invalid_number' | 'transient'): CarrierAnswer => ({
  kind: 'failed',
  failure,
  message: `says ${failure}`,
});

async function answer(id: string, carrier: string, said: CarrierAnswer, seconds = 0, more: { avoids?: string } = {}) {
  const [key] = await keysOf(db, [id]);
  const entry = {
    trackingId: id,
    accountId: key?.accountId ?? '',
    carrier,
    answer: said,
    fingerprint: said.kind,
    finalLook: false,
    ...more,
  };
  return saveBatch(db, [entry], CADENCE, at(seconds));
}

const tracking = (id: string) => db.tracking.findUniqueOrThrow({ where: { id } });
const check = (id: string) => db.check.findUniqueOrThrow({ where: { trackingId: id } });
const state = async (id: string) => (await tracking(id)).candidates as Undecided | null;
const secondsUntil = async (id: string) => ((await check(id)).nextCheckAt.getTime() - NOW.getTime()) / 1000;

test('the first check is the first candidate’s, at its own provider', async () => {
  const { id } = await parcel();
  expect(await check(id)).toMatchObject({ carrier: 'sto', provider: 'free', isUndecided: true, nextCheckAt: NOW });
  expect(await tracking(id)).toMatchObject({ carrier: 'zto', provider: 'free' });
  const claimed = await claimChecks(
    db,
    { provider: 'free', limit: 1, cadence: CADENCE, now: NOW },
    await parcelsOf(db, [id]),
  );
  expect(claimed).toMatchObject([{ trackingId: id, carrier: 'sto', isUndecided: true }]);
});

test('after an answer without a find, the next candidate is checked at once, and no stream is notified', async () => {
  const { id } = await parcel();
  const saved = await answer(id, 'sto', NOT_FOUND, 2);
  expect(saved).toMatchObject({
    moved: [{ trackingId: id, provider: 'free', isDue: true }],
    firstFinds: [],
    pending: [],
  });
  expect(await check(id)).toMatchObject({ carrier: 'yto', provider: 'free', fingerprint: null, nextCheckAt: at(2) });
  expect(await tracking(id)).toMatchObject({ carrier: 'zto', answeredAt: null, status: '查询中', seq: 0 });
});

test('the floor of the next provider is respected', async () => {
  const { id } = await parcel([
    { carrier: 'sto', provider: 'paid' },
    { carrier: 'yto', provider: 'paid' },
  ]);
  const saved = await answer(id, 'sto', NOT_FOUND, 5);
  expect(saved.moved).toMatchObject([{ trackingId: id, provider: 'paid', isDue: false }]);
  expect(await secondsUntil(id)).toBe(1805);
});

test('the first find becomes the carrier and is reported with it, and the id stays', async () => {
  const { id, number, accountId } = await parcel();
  await answer(id, 'sto', NOT_FOUND);
  const saved = await answer(id, 'yto', found(scan()), 3);
  expect(saved.firstFinds).toMatchObject([{ trackingNumber: number, carrier: 'yto' }]);
  expect(await tracking(id)).toMatchObject({ carrier: 'yto', provider: 'free', detected: true, candidates: null });
  expect(await check(id)).toMatchObject({ carrier: 'yto', isUndecided: false, fingerprint: 'found' });
  const [message, ...more] = await db.message.findMany({ where: { trackingId: id } });
  expect(JSON.parse(message?.body ?? '')).toMatchObject({ event: 'tracking_update', data: { carrier: 'yto' } });
  expect(more).toEqual([]);
  expect(await quotaUsed(db, accountId, NOW)).toBe(1);
});

test('after a round without a find, it waits as many intervals as the round had queries, then has one query at each check', async () => {
  const { id } = await parcel();
  for (const [n, carrier] of ['sto', 'yto', 'zto'].entries()) await answer(id, carrier, NOT_FOUND, n);
  expect(await check(id)).toMatchObject({ carrier: 'sto', provider: 'free', fingerprint: 'not_found' });
  expect(await secondsUntil(id)).toBeGreaterThanOrEqual(900);
  expect((await tracking(id)).answeredAt).toEqual(at(2));
  const [claimed] = await claimChecks(
    db,
    { provider: 'free', limit: 1, cadence: CADENCE, now: at(950) },
    await parcelsOf(db, [id]),
  );
  expect(claimed?.carrier).toBe('sto');
  const claimedUntil = await secondsUntil(id);
  expect((await answer(id, 'sto', NOT_FOUND, 951)).moved).toEqual([]);
  expect(await check(id)).toMatchObject({ carrier: 'yto' });
  expect(await secondsUntil(id)).toBe(claimedUntil);
});

test('a pending number costs no more calls than one whose carrier is known', async () => {
  const { id } = await parcel(CANDIDATES.slice(0, 2));
  let [calls, now] = [0, 0];
  while (now < 7200) {
    const [claimed] = await claimChecks(
      db,
      { provider: 'free', limit: 1, cadence: CADENCE, now: at(now) },
      await parcelsOf(db, [id]),
    );
    if (claimed) {
      calls += 1;
      await answer(id, claimed.carrier, NOT_FOUND, now);
    }
    now = Math.max(now + 1, await secondsUntil(id));
  }
  // A certain number has one call at once and one every five minutes, with jitter; querying all candidates each time
  // would cost twice that.
  expect(calls).toBeLessThanOrEqual(1.15 * (1 + 7200 / 300));
  expect(calls).toBeGreaterThan(0.85 * (7200 / 300));
});

test('a candidate’s need is shown until one is found, and does not stop the search', async () => {
  const { id } = await parcel();
  await answer(id, 'sto', failed('needs_input'));
  expect(await check(id)).toMatchObject({ carrier: 'yto' });
  await answer(id, 'yto', NOT_FOUND);
  expect(await tracking(id)).toMatchObject({ notice: 'says needs_input' });
  await answer(id, 'zto', found(scan()));
  expect(await tracking(id)).toMatchObject({ notice: null, carrier: 'zto' });
});

test('a number that every candidate reports as invalid stops being polled, and a retrack queries all again', async () => {
  const { id, accountId } = await parcel();
  for (const carrier of ['sto', 'yto', 'zto']) await answer(id, carrier, failed('invalid_number'));
  expect(await db.check.findUnique({ where: { trackingId: id } })).toBeNull();
  expect(await tracking(id)).toMatchObject({ notice: 'says invalid_number' });
  await retrack(db, { accountId, id, floorSeconds: 0, now: at(60) });
  const { candidates } = (await state(id)) ?? {};
  expect(candidates?.map(({ isRuledOut }) => isRuledOut)).toEqual([undefined, undefined, undefined]);
  expect(await check(id)).toMatchObject({ isUndecided: true, carrier: candidates?.[0]?.carrier });
});

test('scans of another parcel are not a find, and nothing of them is stored', async () => {
  const { id } = await parcel();
  await answer(id, 'sto', found(scan('2030-01-01T00:00:00Z')));
  expect(await tracking(id)).toMatchObject({ events: [], annotations: null, carrier: 'zto' });
  expect(await check(id)).toMatchObject({ carrier: 'yto' });
});

test('two processes that answer at the same time move on only once', async () => {
  const { id } = await parcel();
  await Promise.all([answer(id, 'sto', NOT_FOUND), answer(id, 'sto', NOT_FOUND)]);
  expect(await check(id)).toMatchObject({ carrier: 'yto' });
  await answer(id, 'yto', NOT_FOUND);
  expect((await answer(id, 'sto', NOT_FOUND)).moved).toEqual([]);
  expect(await check(id)).toMatchObject({ carrier: 'zto' });
});

test('two simultaneous finds give one carrier, and a late answer without a find does not undo it', async () => {
  const { id } = await parcel();
  await Promise.all([answer(id, 'sto', found(scan())), answer(id, 'yto', found(scan()))]);
  const { carrier } = await tracking(id);
  expect(['sto', 'yto']).toContain(carrier);
  const late = carrier === 'sto' ? 'yto' : 'sto';
  await answer(id, late, NOT_FOUND, 5);
  expect(await tracking(id)).toMatchObject({ carrier, seq: 1 });
  expect(await check(id)).toMatchObject({ carrier });
});

test('a find of a candidate that was given up decides, too', async () => {
  const { id } = await parcel();
  await answer(id, 'sto', NOT_FOUND);
  await answer(id, 'sto', found(scan()), 4);
  expect(await tracking(id)).toMatchObject({ carrier: 'sto', candidates: null });
  expect(await check(id)).toMatchObject({ carrier: 'sto', provider: 'free' });
});

test('only a provider with an outage is skipped in favor of another one', async () => {
  const { id } = await parcel();
  await answer(id, 'sto', failed('transient'), 0, { avoids: 'free' });
  expect(await check(id)).toMatchObject({ carrier: 'zto', provider: 'paid' });
  const { id: other } = await parcel(CANDIDATES.slice(0, 2));
  await answer(other, 'sto', failed('transient'), 0, { avoids: 'free' });
  expect(await check(other)).toMatchObject({ carrier: 'sto', provider: 'free', fingerprint: null });
});

test('a disabled provider is not queried', async () => {
  const { id } = await parcel([
    { carrier: 'sto', provider: 'free' },
    { carrier: 'yto', provider: 'gone' },
    { carrier: 'zto', provider: 'paid' },
  ]);
  await answer(id, 'sto', NOT_FOUND);
  expect(await check(id)).toMatchObject({ carrier: 'zto', provider: 'paid' });
});

test('a retrack starts a new round from the candidate that is next', async () => {
  const { id, accountId } = await parcel();
  for (const [n, carrier] of ['sto', 'yto', 'zto', 'sto'].entries()) await answer(id, carrier, NOT_FOUND, n);
  await retrack(db, { accountId, id, floorSeconds: 0, now: at(10) });
  expect(await check(id)).toMatchObject({ carrier: 'yto', fingerprint: null, nextCheckAt: at(10) });
  expect(await state(id)).toMatchObject({ isFirstRound: true, at: 0, since: at(10).toISOString() });
});

test('a number that expires undecided is checked again after a retrack', async () => {
  const { id, accountId } = await parcel();
  await expireTrackings(db, await keysOf(db, [id]), CADENCE, at(31 * 86_400));
  expect(await tracking(id)).toMatchObject({ subStatus: 'expired', carrier: 'zto' });
  const result = await retrack(db, { accountId, id, floorSeconds: 0, now: at(32 * 86_400) });
  expect(result).toMatchObject({ kind: 'retracked', provider: 'free' });
  await answer(
    id,
    'sto',
    found(
      scan(
        at(32 * 86_400)
          .toISOString()
          .replace('.000Z', 'Z'),
      ),
    ),
    32 * 86_400 + 60,
  );
  expect(await tracking(id)).toMatchObject({ carrier: 'sto', subStatus: 'in_transit' });
});

test('if the account already has the number with the found carrier, the two records are merged, counted as one, and the unit is given back', async () => {
  const { id, number, accountId } = await parcel();
  // The state after two simultaneous requests: neither has seen the other's record.
  const older = { trackingNumber: number, carrier: 'sto', provider: 'free', detected: false };
  await db.tracking.update({ where: { id }, data: { title: 'mine', phone: '5678', trackingNumber: `${number}X` } });
  const registered = await storeRegistrations(db, { accountId, quotaLimit: 10, registrations: [older], now: NOW });
  const [other] = registered.kind === 'registered' ? registered.trackings : [];
  await db.tracking.update({ where: { id }, data: { trackingNumber: number } });
  await db.tracking.update({ where: { id: other?.id ?? '' }, data: { title: 'theirs' } });
  expect(await quotaUsed(db, accountId, NOW)).toBe(2);
  await answer(id, 'sto', found(scan()));
  expect(await db.tracking.findUnique({ where: { id } })).toBeNull();
  expect(await tracking(other?.id ?? '')).toMatchObject({ title: 'theirs', phone: '5678', carrier: 'sto' });
  expect(await check(other?.id ?? '')).toMatchObject({ hints: { phone: '5678' } });
  expect(await quotaUsed(db, accountId, NOW)).toBe(1);
  const registrations = await db.statCount.findMany({ where: { accountId, series: 'registered' } });
  expect(registrations.reduce((sum, { amount }) => sum + amount, 0)).toBe(1);
  expect(registrations.length).toBe(1);
});

test('an answer of a candidate does not change a carrier that has been named since', async () => {
  const { id, number, accountId } = await parcel();
  const named = { trackingNumber: number, carrier: 'yto', provider: 'free', detected: false };
  await storeRegistrations(db, { accountId, quotaLimit: 10, registrations: [named], now: at(1) });
  await answer(id, 'sto', found(scan()), 2);
  expect(await tracking(id)).toMatchObject({ carrier: 'yto', detected: false, seq: 0 });
});
