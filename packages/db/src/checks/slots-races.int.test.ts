import { openTestDatabase } from '@pts/testing/database';
import { freshNumber, newTrackings, newWebhook } from '@pts/testing/factories';
import { checkSoon, recordOutcomes } from '../subscriptions.ts';
import { useMonitoredInterval } from '../testing/monitored.ts';
import { keysOf } from '../testing/parcel-keys.ts';
import { CADENCE, START, watchedParcels } from '../testing/rings.ts';
import { explainTracking, findTracking, retrack, updateTracking } from '../trackings/records.ts';
import { giveBackChecks, moveDueChecks, readBacklogs } from './schedule.ts';

const { db, close } = await openTestDatabase(8);
afterAll(close);

const HOUR = 3600;

/** A parcel that was claimed with its slot at `parcels.now()`. */
async function askedWithItsSlot(provider: string, floorSeconds: number) {
  const cadence = { ...CADENCE, floorSeconds };
  const parcels = await watchedParcels(db, provider, 1, { cadence });
  await parcels.claim();
  const [id = ''] = parcels.ids;
  parcels.pass(Math.ceil((await parcels.waits()).get(id) ?? 0));
  expect((await parcels.claim()).checks).toHaveLength(1);
  const due = async () => ((await findTracking(db, parcels.account, id))?.nextCheckAt?.getTime() ?? 0) / 1000;
  const floorEndsAt = parcels.now().getTime() / 1000 + floorSeconds;
  return { ...parcels, id, cadence, due, floorEndsAt };
}

test('a record says when the check was claimed with its slot, and when it is due', async () => {
  const { account, id, now, due } = await askedWithItsSlot('recorded', 0);
  const record = await findTracking(db, account, id);
  expect(record?.lastCheckedAt).toEqual(now());
  expect((await due()) - now().getTime() / 1000).toBeGreaterThan(298);
  const explained = await explainTracking(db, account, id);
  expect(explained?.check).toMatchObject({ nextCheckAt: record?.nextCheckAt, claimedAt: now() });
});

test.each<[string, (parcel: Awaited<ReturnType<typeof askedWithItsSlot>>) => Promise<unknown>]>([
  ['a retrack', ({ account, id, now }) => retrack(db, { accountId: account, id, floorSeconds: 900, now: now() })],
  [
    'a retrack of a process that does not know the floor',
    ({ account, id, now }) => retrack(db, { accountId: account, id, floorSeconds: 0, now: now() }),
  ],
  ['a callback in doubt', async ({ id, now }) => checkSoon(db, await keysOf(db, [id]), 900, now())],
  [
    'another carrier of the same provider',
    ({ account, id, now }) =>
      updateTracking(db, {
        accountId: account,
        id,
        change: { move: { carrier: 'sto', provider: 'p', detected: false, floorSeconds: 900 } },
        now: now(),
      }),
  ],
])('%s is not checked before the floor', async (name, act) => {
  const provider = name === 'another carrier of the same provider' ? 'p' : `floor ${name}`.slice(0, 40);
  const parcel = await askedWithItsSlot(provider, 900);
  parcel.pass(60);
  await act(parcel);
  expect(await parcel.due()).toBeCloseTo(parcel.floorEndsAt, 2);
  parcel.pass(839);
  expect((await parcel.claim()).checks).toEqual([]);
  parcel.pass(1);
  expect((await parcel.claim()).checks).toHaveLength(1);
});

test('the first webhook of an account has no number checked before the floor', async () => {
  const parcel = await askedWithItsSlot('webhook floor', 900);
  await db.webhook.deleteMany({ where: { accountId: parcel.account } });
  await db.check.updateMany({ where: { trackingId: parcel.id }, data: { ring: 1 } });
  await db.checkSlot.updateMany({ where: { provider: 'webhook floor' }, data: { ring: 1, dueAt: at(parcel, HOUR) } });
  await newWebhook(db, parcel.account, parcel.now());
  const floors = { 'webhook floor': 900 };
  await useMonitoredInterval(db, { accountId: parcel.account, monitoredSeconds: 300, floors, now: parcel.now() });
  expect(await parcel.due()).toBeCloseTo(parcel.floorEndsAt, 2);
});

test('a check that moves to another provider leaves its slot, and returns only after the floor', async () => {
  const parcel = await askedWithItsSlot('moved', 900);
  parcel.pass(909 + 11);
  const move = (provider: string, to: string, floorSeconds: number) =>
    moveDueChecks(db, {
      provider,
      limit: 10,
      now: parcel.now(),
      to: [{ carrier: 'yto', provider: to, floorSeconds }],
      overdueSeconds: 0,
    });
  const requestedAt = parcel.floorEndsAt - 900;
  expect(await move('moved', 'elsewhere', 0)).toEqual([{ trackingId: parcel.id, provider: 'elsewhere' }]);
  expect(await parcel.due()).toBe(parcel.now().getTime() / 1000);
  expect(await move('elsewhere', 'moved', 2000)).toHaveLength(1);
  expect(await parcel.due()).toBeCloseTo(requestedAt + 2000, 2);
});

test('checks of a provider that no process serves count as due, and move to another one', async () => {
  const parcels = await watchedParcels(db, 'off', 5);
  await parcels.claim();
  parcels.pass(1000);
  expect(await readBacklogs(db, parcels.now())).toContainEqual(expect.objectContaining({ provider: 'off', due: 5 }));
  const to = [{ carrier: 'yto', provider: 'on', floorSeconds: 0 }];
  const move = (overdueSeconds: number) =>
    moveDueChecks(db, { provider: 'off', limit: 10, now: parcels.now(), to, overdueSeconds });
  expect(await move(900)).toEqual([]);
  expect(await move(600)).toHaveLength(5);
});

test('checks that a failing provider did not answer become due at the given time and keep the time of their last claim', async () => {
  const parcel = await askedWithItsSlot('given back', 900);
  const claimedAt = parcel.now();
  await giveBackChecks(db, 'given back', await keysOf(db, [parcel.id]), at(parcel, 5));
  expect(await db.check.findUnique({ where: { trackingId: parcel.id } })).toMatchObject({
    claimedAt,
    nextCheckAt: at(parcel, 5),
  });
});

test('a parcel whose callbacks are awaited keeps its regular checks', async () => {
  const parcel = await askedWithItsSlot('awaited', 0);
  const before = await parcel.due();
  const { trackingNumber } = (await findTracking(db, parcel.account, parcel.id)) ?? { trackingNumber: '' };
  const outcome = { trackingNumber, carrier: 'yto', state: 'active' as const };
  const subscribe = (checkWithinSeconds: number) =>
    recordOutcomes(db, 'awaited', [outcome], { checkWithinSeconds, floorSeconds: 0, now: parcel.now() });
  await subscribe(HOUR);
  expect(await parcel.due()).toBe(before);
  await subscribe(20);
  expect(await parcel.due()).toBe(parcel.now().getTime() / 1000 + 20);
});

test('a slot is not claimed while one of its checks leaves it', async () => {
  const parcels = await watchedParcels(db, 'leaving', 1);
  await parcels.claim();
  parcels.pass(340);
  const [id = ''] = parcels.ids;
  await db.$transaction(async (tx) => {
    await tx.check.update({ where: { trackingId: id }, data: { nextCheckAt: parcels.now() } });
    expect((await parcels.claim()).checks).toEqual([]);
  });
  expect((await parcels.claim()).checks).toHaveLength(1);
  expect((await parcels.claim()).checks).toEqual([]);
});

test('a check that leaves a slot during its claim counts as checked now', async () => {
  const parcels = await watchedParcels(db, 'left', 1, { cadence: { ...CADENCE, floorSeconds: 60 } });
  await parcels.claim();
  parcels.pass(340);
  const taken = await parcels.take();
  await db.check.updateMany({ where: { provider: 'left' }, data: { nextCheckAt: parcels.now() } });
  expect([...(await parcels.waits()).values()]).toEqual([60]);
  await taken.settle();
  expect([...(await parcels.waits()).values()]).toEqual([60]);
});

test('a first webhook moves any number of checks', async () => {
  const parcels = await watchedParcels(db, 'many', 1, { monitored: false });
  await newTrackings(db, parcels.account, Array.from({ length: 2500 }, freshNumber), START, { provider: 'many' });
  await db.check.updateMany({ where: { provider: 'many' }, data: { fingerprint: 'seen' } });
  for (let more = true; more; ) ({ more } = await parcels.claim());
  await newWebhook(db, parcels.account, START);
  const floors = { many: 0 };
  await useMonitoredInterval(db, { accountId: parcels.account, monitoredSeconds: 300, floors, now: START });
  parcels.pass(301);
  expect(await readBacklogs(db, parcels.now())).toContainEqual(
    expect.objectContaining({ provider: 'many', due: 2501 }),
  );
});

function at({ now }: { now(): Date }, seconds: number): Date {
  return new Date(now().getTime() + seconds * 1000);
}
