import { openTestDatabase } from '@pts/testing/database';
import { claimAsBefore } from '@pts/testing/previous-release';
import { CADENCE, watchedParcels } from '../testing/rings.ts';
import { countInSlots, leaveSlots } from './leave-slots.ts';

const { db, close } = await openTestDatabase(4);
afterAll(close);
afterEach(() => db.check.deleteMany());

type Parcels = Awaited<ReturnType<typeof watchedParcels>>;

async function leaveAll(now: Date, isDryRun = false): Promise<number> {
  let moved = 0;
  for (let afterId: string | null = ''; afterId !== null; ) {
    const part = await leaveSlots(db, { afterId, now, isDryRun });
    moved += part.moved;
    afterId = part.lastId;
  }
  return moved;
}

/** When release 0.2.0 checks each parcel, in seconds from now. */
async function checkedByThePreviousRelease(parcels: Parcels, provider: string, seconds: number) {
  const times = new Map<string, number[]>(parcels.ids.map((id) => [id, []]));
  for (let second = 0; second < seconds; second++) {
    parcels.pass(1);
    const claimed = await claimAsBefore(db, { provider, limit: 1000, cadence: CADENCE, now: parcels.now() });
    for (const { trackingId } of claimed) times.get(trackingId)?.push(second + 1);
  }
  return times;
}

const inSlots = async (provider: string, count: number) => {
  const parcels = await watchedParcels(db, provider, count);
  await parcels.claim();
  parcels.pass(20);
  expect(await countInSlots(db)).toBe(count);
  return parcels;
};

test('without it, the previous release makes none of the checks in slots', async () => {
  const parcels = await inSlots('forgotten', 20);
  const times = await checkedByThePreviousRelease(parcels, 'forgotten', 400);
  expect([...times.values()].flat()).toEqual([]);
});

test('the previous release makes each check once per interval, the first at the tick of its slot', async () => {
  const parcels = await inSlots('back', 50);
  const ticks = await parcels.waits();
  expect(await leaveAll(parcels.now())).toBe(50);
  expect(await countInSlots(db)).toBe(0);
  const times = await checkedByThePreviousRelease(parcels, 'back', 310);
  for (const id of parcels.ids) expect(times.get(id)?.[0]).toBe(Math.ceil(ticks.get(id) ?? 0));
  const again = [...times.values()].filter((each) => each.length > 1);
  for (const [first = 0, second = 0] of again) expect(second - first).toBeGreaterThanOrEqual(270);
});

test('checks that are overdue by then come spread over the interval', async () => {
  const parcels = await inSlots('late', 100);
  parcels.pass(900);
  await leaveAll(parcels.now());
  const times = await checkedByThePreviousRelease(parcels, 'late', 60);
  const early = [...times.values()].flat().length;
  expect(early).toBeGreaterThan(2);
  expect(early).toBeLessThan(50);
  const waits = [...(await parcels.waits()).values()];
  expect(Math.max(...waits)).toBeLessThanOrEqual(330);
});

test('no number is checked again before the floor of its provider', async () => {
  const cadence = { ...CADENCE, floorSeconds: 900 };
  const parcels = await watchedParcels(db, 'floor', 20, { cadence });
  await parcels.claim();
  // The tick of a slot that was claimed, and whose poller died, is in the past.
  await db.checkSlot.updateMany({
    where: { provider: 'floor' },
    data: { claimedAt: parcels.now(), dueAt: parcels.now() },
  });
  await leaveAll(parcels.now());
  const waits = [...(await parcels.waits()).values()];
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(900);
});

test('checks whose news is pushed are made as if it were not, because the previous release receives no callbacks', async () => {
  const parcels = await watchedParcels(db, 'pushed', 20, { cadence: { ...CADENCE, safetyNetSeconds: 21_600 } });
  await db.check.updateMany({ data: { pushed: true } });
  const [alone = ''] = parcels.ids;
  await parcels.claim();
  await db.check.update({ where: { trackingId: alone }, data: { slot: null, nextCheckAt: inHours(parcels, 6) } });
  await leaveAll(parcels.now());
  const times = await checkedByThePreviousRelease(parcels, 'pushed', 301);
  expect([...times.values()].map((each) => each.length >= 1)).toEqual(Array(20).fill(true));
});

test('other checks keep their times: first checks, final checks, and those of the previous release', async () => {
  const parcels = await watchedParcels(db, 'others', 3);
  const [final = ''] = parcels.ids;
  const later = { pushed: true, finalLook: true, nextCheckAt: inHours(parcels, 24) };
  await db.check.update({ where: { trackingId: final }, data: later });
  const before = await db.check.findMany({ orderBy: { trackingId: 'asc' } });
  expect(await leaveAll(parcels.now())).toBe(0);
  expect(await db.check.findMany({ orderBy: { trackingId: 'asc' } })).toEqual(before);
});

test('a dry run counts, and changes nothing', async () => {
  const parcels = await inSlots('dry', 30);
  expect(await leaveAll(parcels.now(), true)).toBe(30);
  expect(await countInSlots(db)).toBe(30);
});

test('a check that is locked is left for the next run', async () => {
  const parcels = await inSlots('locked', 10);
  const [locked = ''] = parcels.ids;
  await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM public.checks WHERE tracking_id = ${locked} FOR UPDATE`;
    expect(await leaveAll(parcels.now())).toBe(9);
  });
  expect(await leaveAll(parcels.now())).toBe(1);
});

test('forward again, each check returns to a slot at its tick', async () => {
  const parcels = await inSlots('forward', 40);
  await leaveAll(parcels.now());
  await parcels.run(340, 10);
  expect(await countInSlots(db)).toBe(40);
  expect([...parcels.requested.values()].map((times) => times.length)).toEqual(Array(40).fill(2));
});

const inHours = (parcels: Parcels, hours: number) => new Date(parcels.now().getTime() + hours * 3_600_000);
