import type { CandidateCarrier } from '@pts/core/tracking/undecided';
import { openTestDatabase } from '@pts/testing/database';
import { newAccount } from '@pts/testing/factories';
import { quotaUsed } from '../accounts/accounts.ts';
import { saveAnswers } from '../testing/save-answers.ts';
import { previewTrackings, type Registration, storeRegistrations } from './register.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const CANDIDATES: CandidateCarrier[] = [
  { carrier: 'sto', provider: 'free' },
  { carrier: 'yto', provider: 'free' },
];

const { db, close } = await openTestDatabase(8);
afterAll(close);

let numbers = 770_600_000_000;
const bare = (trackingNumber = String(++numbers)): Registration => ({
  trackingNumber,
  carrier: 'zto',
  provider: 'free',
  detected: true,
  candidates: CANDIDATES,
});
const named = (trackingNumber: string, carrier: string, more: Partial<Registration> = {}): Registration => ({
  trackingNumber,
  carrier,
  provider: 'other',
  detected: false,
  ...more,
});

async function register(accountId: string, registrations: Registration[], quotaLimit = 100) {
  const result = await storeRegistrations(db, { accountId, quotaLimit, registrations, now: NOW });
  if (result.kind !== 'registered') throw new Error(result.kind);
  return result.trackings;
}
async function registerOne(accountId: string, registration: Registration) {
  const [tracking] = await register(accountId, [registration]);
  if (!tracking) throw new Error('nothing was registered');
  return tracking;
}
const account = () => newAccount(db, NOW);
const used = (accountId: string) => quotaUsed(db, accountId, NOW);

async function find(id: string, carrier: string): Promise<void> {
  const time = '2031-04-05T05:00:00Z';
  const scan = { time, timeRaw: time, zoneSource: 'carrier' as const, location: '', description: 'on the road' };
  const answer = { kind: 'found' as const, scans: [{ ...scan, status: 'in_transit' as const }] };
  const cadence = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
  await saveAnswers(db, [{ trackingId: id, carrier, answer, fingerprint: 'found', finalLook: false }], cadence, NOW);
}

describe('the same number without a carrier', () => {
  test('is the same tracking and one unit, even 30 times at once', async () => {
    const accountId = await account();
    const registration = bare();
    const all = await Promise.all(Array.from({ length: 30 }, () => registerOne(accountId, { ...registration })));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(await used(accountId)).toBe(1);
  });

  test('is the same tracking after another carrier was found', async () => {
    const accountId = await account();
    const registration = bare();
    const first = await registerOne(accountId, registration);
    await find(first.id, 'yto');
    expect(await registerOne(accountId, registration)).toMatchObject({ id: first.id, carrier: 'yto', created: false });
    const sureNow = { ...registration, carrier: 'ups', candidates: undefined };
    expect(await registerOne(accountId, sureNow)).toMatchObject({ id: first.id, carrier: 'yto' });
    expect(await used(accountId)).toBe(1);
  });

  test('is the tracking that was registered with a named carrier', async () => {
    const accountId = await account();
    const registration = bare();
    const first = await registerOne(accountId, named(registration.trackingNumber, 'ups'));
    expect(await registerOne(accountId, registration)).toMatchObject({ id: first.id, carrier: 'ups' });
    expect(await used(accountId)).toBe(1);
  });

  test('is another tracking in another account', async () => {
    const registration = bare();
    const ids = [await registerOne(await account(), registration), await registerOne(await account(), registration)];
    expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
  });

  test('needs no quota', async () => {
    const accountId = await account();
    const registration = bare();
    await register(accountId, [registration], 1);
    await find((await registerOne(accountId, registration)).id, 'yto');
    expect(await register(accountId, [registration], 1)).toMatchObject([{ carrier: 'yto', created: false }]);
  });
});

describe('a named carrier', () => {
  test('decides an undecided tracking: no second unit, its check is due at once, and its fields are those given now', async () => {
    const accountId = await account();
    const registration = { ...bare(), title: 'mine', orderId: 'A-1' };
    const { id } = await registerOne(accountId, registration);
    const name = named(registration.trackingNumber, 'ups', { phone: '5678', title: 'theirs' });
    expect(await registerOne(accountId, name)).toMatchObject({ id, carrier: 'ups', detected: false, named: true });
    expect(await db.tracking.findUniqueOrThrow({ where: { id } })).toMatchObject({
      carrier: 'ups',
      provider: 'other',
      candidates: null,
      title: 'theirs',
      phone: '5678',
      orderId: 'A-1',
    });
    expect(await db.check.findUniqueOrThrow({ where: { trackingId: id } })).toMatchObject({
      carrier: 'ups',
      provider: 'other',
      isUndecided: false,
      nextCheckAt: NOW,
      hints: { phone: '5678' },
    });
    expect(await used(accountId)).toBe(1);
  });

  test('that is the likeliest candidate decides, too', async () => {
    const accountId = await account();
    const registration = bare();
    const { id } = await registerOne(accountId, registration);
    expect(await registerOne(accountId, named(registration.trackingNumber, 'zto'))).toMatchObject({
      id,
      detected: false,
    });
    expect(await db.check.findUniqueOrThrow({ where: { trackingId: id } })).toMatchObject({ carrier: 'zto' });
    expect(await used(accountId)).toBe(1);
  });

  test('is another tracking where the carrier of the first is known', async () => {
    const accountId = await account();
    const registration = bare();
    const { id } = await registerOne(accountId, registration);
    await find(id, 'yto');
    const other = await registerOne(accountId, named(registration.trackingNumber, 'ups'));
    expect(other).toMatchObject({ carrier: 'ups', created: true });
    expect(await used(accountId)).toBe(2);
  });

  test('named twice at once decides once, and nothing is charged twice', async () => {
    const accountId = await account();
    const registration = bare();
    const { id } = await registerOne(accountId, registration);
    const name = named(registration.trackingNumber, 'ups');
    const all = await Promise.all(Array.from({ length: 10 }, () => registerOne(accountId, { ...name })));
    expect(new Set(all.map((each) => each.id))).toEqual(new Set([id]));
    expect(await used(accountId)).toBe(1);
  });
});

test('in one call a number with and without a carrier is one tracking, in any position', async () => {
  const accountId = await account();
  const registration = bare();
  const trackings = await register(accountId, [registration, named(registration.trackingNumber, 'ups'), registration]);
  expect(new Set(trackings.map(({ id }) => id)).size).toBe(1);
  expect(trackings.map(({ carrier }) => carrier)).toEqual(['ups', 'ups', 'ups']);
  expect(await used(accountId)).toBe(1);
});

test('a number that others delete at each try fails its call, and no number is answered with another’s tracking', async () => {
  const accountId = await account();
  const [first, gone, last] = [bare(), bare(), bare()];
  const other = bare();
  // As if it were stored and deleted by others between the statements of each try.
  await db.$executeRawUnsafe(`CREATE FUNCTION vanish() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
  await db.$executeRawUnsafe(`
    CREATE TRIGGER vanish BEFORE INSERT ON trackings FOR EACH ROW WHEN (NEW.tracking_number = '${gone.trackingNumber}')
    EXECUTE FUNCTION vanish()`);
  const [failed, alone] = await Promise.allSettled([
    register(accountId, [first, gone, last]),
    registerOne(accountId, other),
  ]);
  expect(failed.status).toBe('rejected');
  expect(alone).toMatchObject({ value: { trackingNumber: other.trackingNumber } });
  await db.$executeRawUnsafe('DROP FUNCTION vanish CASCADE');
  const trackings = await register(accountId, [first, gone, last]);
  expect(trackings.map((each) => each.trackingNumber)).toEqual([first, gone, last].map((each) => each.trackingNumber));
  expect(await used(accountId)).toBe(4);
});

test('a dry run reports what would be charged, and which carriers would be checked', async () => {
  const accountId = await account();
  const [fresh, known] = [bare(), bare()];
  const { id } = await registerOne(accountId, known);
  const registrations = [fresh, { ...fresh }, known, named(known.trackingNumber, 'ups')];
  const preview = await previewTrackings(db, { accountId, quotaLimit: 100, registrations, now: NOW });
  expect(preview).toMatchObject({
    trackings: [
      { id: null, charged: true, carrier: 'zto', candidates: ['sto', 'yto'] },
      { id: null, charged: false },
      { id, charged: false, carrier: 'zto', candidates: ['sto', 'yto'] },
      { id, charged: false, carrier: 'ups', candidates: [] },
    ],
  });
  expect(await used(accountId)).toBe(1);
});
