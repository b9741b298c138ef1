import { openTestDatabase } from '@pts/testing/database';
import { newWebhook } from '@pts/testing/factories';
import { takeProbe } from '../providers.ts';
import { useMonitoredInterval } from '../testing/monitored.ts';
import { parcelsOf } from '../testing/parcel-keys.ts';
import { CADENCE, START, watchedParcels } from '../testing/rings.ts';
import { claimChecks, followCadence, readBacklogs } from './schedule.ts';

const { db, close } = await openTestDatabase(8);
afterAll(close);

/** The versions of the rows of a provider's checks. */
const versions = (provider: string) =>
  db.$queryRaw`SELECT tracking_id, xmin::text, ctid::text FROM public.checks WHERE provider = ${provider} ORDER BY 1`;
const between = (values: readonly number[], min: number, max: number) => {
  expect(Math.min(...values)).toBeGreaterThanOrEqual(min);
  expect(Math.max(...values)).toBeLessThanOrEqual(max);
};

test('every parcel is checked once per interval, and its row is not written', async () => {
  const parcels = await watchedParcels(db, 'periods', 60);
  await parcels.run(340, 10);
  expect(parcels.gaps()).toHaveLength(60);
  const before = await versions('periods');
  await parcels.run(10 * 300, 10);
  expect(await versions('periods')).toEqual(before);
  expect([...parcels.requested.values()].map((times) => times.length)).toEqual(Array(60).fill(12));
  between(
    [...parcels.requested.values()].flatMap((times) => times.slice(2).map((time, n) => time - (times[n + 1] ?? 0))),
    290,
    310,
  );
});

test('checks that are claimed together get separate places', async () => {
  await (await watchedParcels(db, 'places', 300)).claim();
  expect(await db.checkSlot.count({ where: { provider: 'places' } })).toBeGreaterThan(150);
});

test('claimers at the same time never take the same check, and together they take all', async () => {
  const parcels = await watchedParcels(db, 'claimers', 300);
  await parcels.claim();
  parcels.pass(331);
  const claimed: string[] = [];
  const claimer = async () => {
    for (let more = true; more; ) {
      const taken = await parcels.take(25);
      await taken.settle();
      claimed.push(...taken.checks.map(({ trackingId }) => trackingId));
      more = taken.more || taken.checks.length > 0;
    }
  };
  await Promise.all([1, 2, 3, 4].map(claimer));
  await claimer();
  expect(claimed.sort()).toEqual([...parcels.ids].sort());
});

test('one round takes all due slots, also many with few checks each', async () => {
  const parcels = await watchedParcels(db, 'sparse', 500);
  await parcels.claim();
  parcels.pass(400);
  let claimed = 0;
  for (let more = true; more; ) {
    const taken = await parcels.claim();
    claimed += taken.checks.length;
    more = taken.more;
  }
  expect(claimed).toBe(500);
});

test('a slot with more checks than a claim may take is claimed in parts, the rest by other claimers', async () => {
  const parcels = await watchedParcels(db, 'parts', 30);
  await parcels.claim();
  await oneSlot('parts');
  parcels.pass(400);
  const [first, others] = [await parcels.take(12), await parcels.take(12)];
  expect([first.checks.length, others.checks.length]).toEqual([12, 0]);
  await first.settle();
  expect(await readBacklogs(db, parcels.now())).toContainEqual(expect.objectContaining({ provider: 'parts', due: 18 }));
  const [second, lost] = [await parcels.claim(12), await parcels.take(12)];
  expect([second.checks.length, lost.checks.length]).toEqual([12, 6]);
  // The last part was not handed over: none of the other checks is made again.
  parcels.pass(31);
  expect((await parcels.claim(12)).checks.map(idOf)).toEqual(lost.checks.map(idOf));
  expect([...first.checks, ...second.checks, ...lost.checks].map(idOf).sort()).toEqual([...parcels.ids].sort());
  expect((await parcels.claim()).checks).toEqual([]);
});

test.each([
  { name: 'killed', floorSeconds: 0, again: 30 },
  { name: 'killed-floor', floorSeconds: 120, again: 120 },
])(
  'checks that a killed poller claimed and did not hand over are claimed again after $again s',
  async ({ name, ...given }) => {
    const { again, floorSeconds } = given;
    const parcels = await watchedParcels(db, name, 40, { cadence: { ...CADENCE, floorSeconds } });
    await parcels.claim();
    parcels.pass(350);
    const lost = await parcels.take();
    expect(lost.checks).toHaveLength(40);
    parcels.pass(again - 1);
    expect((await parcels.claim()).checks).toEqual([]);
    parcels.pass(1);
    expect((await parcels.claim()).checks).toHaveLength(40);
    // A late hand-over by the dead poller changes nothing.
    await lost.settle();
    expect((await parcels.claim()).checks).toEqual([]);
  },
);

test('checks that could not be handed over become due again at the given time, with no write to their rows', async () => {
  const parcels = await watchedParcels(db, 'handed-back', 40);
  await parcels.claim();
  parcels.pass(350);
  const before = await versions('handed-back');
  await (await parcels.take()).giveBack(new Date(parcels.now().getTime() + 10_000));
  expect(await versions('handed-back')).toEqual(before);
  parcels.pass(9);
  expect((await parcels.claim()).checks).toEqual([]);
  parcels.pass(1);
  expect((await parcels.claim()).checks).toHaveLength(40);
});

test('after an outage each parcel is checked once, the oldest first, and then at its former times', async () => {
  const due = (index: number) => new Date(START.getTime() + index * 1500);
  const parcels = await watchedParcels(db, 'outage', 200, { due });
  await parcels.run(640, 10);
  const place = (seconds: number) => Math.round((seconds + parcels.now().getTime() / 1000) * 10) % 3000;
  const places = async () => [...(await parcels.waits())].map(([id, seconds]) => [id, place(seconds)]);
  const before = await places();
  parcels.pass(3600);
  const waits = await parcels.waits();
  const first = (await parcels.claim(40)).checks.map(idOf);
  const oldest = [...waits].sort(([, one], [, other]) => one - other).slice(0, first.length);
  expect(first.map((id) => waits.get(id))).toEqual(oldest.map(([, seconds]) => seconds));
  const order = [...first];
  for (let more = true; more; parcels.pass(1)) {
    const taken = await parcels.claim(40);
    order.push(...taken.checks.map(idOf));
    more = taken.more;
  }
  expect(order.sort()).toEqual([...parcels.ids].sort());
  for (const times of parcels.requested.values()) times.splice(0, times.length - 1);
  await parcels.run(1500, 10);
  between(parcels.gaps(), 150, 460);
  expect(await places()).toEqual(before);
});

test.each([
  { name: 'faster', from: 3600, to: 300 },
  { name: 'slower', from: 300, to: 3600 },
])('an interval changed from $from to $to s is followed at once, spread over it', async ({ name, from, to }) => {
  const due = (index: number) => new Date(START.getTime() + (index * from * 1000) / 100);
  const parcels = await watchedParcels(db, name, 100, { cadence: { ...CADENCE, monitoredSeconds: from }, due });
  await parcels.run(from * 2.2, from / 30);
  const cadence = { ...CADENCE, monitoredSeconds: to };
  parcels.setCadence(cadence);
  await followCadence(db, name, cadence, parcels.now());
  const waits = [...(await parcels.waits()).values()];
  between(waits, 0, to * 1.5);
  expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(to * 0.7);
  for (const times of parcels.requested.values()) times.splice(0);
  await parcels.run(to * 4, to / 30);
  for (const times of parcels.requested.values()) expect(times.length).toBeGreaterThanOrEqual(3);
  between(parcels.gaps(), to / 2, to * 1.1);
});

test('two pollers with different intervals check no more often than every half of the shorter one', async () => {
  const parcels = await watchedParcels(db, 'disagree', 50, { cadence: { ...CADENCE, floorSeconds: 100 } });
  await parcels.run(340, 10);
  let tick = 0;
  await parcels.run(3000, 20, async () => {
    tick += 1;
    const cadence = { ...CADENCE, floorSeconds: 100, monitoredSeconds: tick % 2 === 0 ? 300 : 900 };
    parcels.setCadence(cadence);
    await followCadence(db, 'disagree', cadence, parcels.now());
  });
  between(parcels.gaps(), 150, 1000);
});

test('a paused provider has no checks except for the probe after the pause; the records say when', async () => {
  const parcels = await watchedParcels(db, 'paused', 10);
  await parcels.claim();
  parcels.pass(100);
  const pausedUntil = new Date(parcels.now().getTime() + 600_000);
  const data = { failures: 5, pausedUntil, reason: 'test', updatedAt: parcels.now() };
  await db.providerPause.create({ data: { provider: 'paused', ...data } });
  parcels.pass(599);
  expect([...(await parcels.waits()).values()]).toEqual(Array(10).fill(1));
  expect((await parcels.claim()).checks).toEqual([]);
  expect(await takeProbe(db, 'paused', parcels.now())).toBe(false);
  parcels.pass(1);
  expect((await parcels.claim()).checks).toHaveLength(0);
  expect(await takeProbe(db, 'paused', parcels.now())).toBe(true);
  const probe = await parcels.take(1, { isProbe: true });
  expect(probe.checks).toHaveLength(1);
  await probe.settle();
  await db.providerPause.deleteMany({ where: { provider: 'paused' } });
  expect((await parcels.claim()).checks).toHaveLength(9);
});

test('a probe is taken only if a check is due', async () => {
  const parcels = await watchedParcels(db, 'probed', 1);
  await parcels.claim();
  const data = { failures: 5, pausedUntil: START, reason: 'test', updatedAt: START };
  await db.providerPause.create({ data: { provider: 'probed', ...data } });
  parcels.pass(100);
  expect(await takeProbe(db, 'probed', parcels.now())).toBe(false);
  parcels.pass(240);
  expect(await takeProbe(db, 'probed', parcels.now())).toBe(true);
});

test('without an enabled webhook a parcel changes its interval at its next tick, and with one at once', async () => {
  const parcels = await watchedParcels(db, 'webhook', 40);
  await parcels.run(640, 10);
  await db.webhook.updateMany({ where: { accountId: parcels.account }, data: { enabled: false } });
  await parcels.run(320, 10);
  between([...(await parcels.waits()).values()], 2600, 4000);
  // Each is checked once by itself, and then once with its new slot.
  await parcels.run(8400, 60);
  between([...(await parcels.waits()).values()], 0, 3660);
  const requested = [...parcels.requested.values()].map((times) => times.length);
  await newWebhook(db, parcels.account, parcels.now());
  const floors = { webhook: 0 };
  await useMonitoredInterval(db, { accountId: parcels.account, monitoredSeconds: 300, floors, now: parcels.now() });
  between([...(await parcels.waits()).values()], 0, 300);
  await parcels.run(310, 10);
  expect([...parcels.requested.values()].map((times, n) => times.length - (requested[n] ?? 0))).toEqual(
    expect.not.arrayContaining([0]),
  );
});

test('neither slots nor single checks starve while a provider is overloaded', async () => {
  const parcels = await watchedParcels(db, 'overloaded', 60);
  await parcels.claim();
  const single = parcels.ids.slice(0, 30);
  // Those that are claimed now enter slots that are not due: in one that is, they would be read and sit out.
  parcels.pass(400);
  await db.check.updateMany({ where: { trackingId: { in: single } }, data: { nextCheckAt: parcels.now() } });
  parcels.pass(1);
  const { checks } = await parcels.claim(20);
  const ofThem = checks.filter(({ trackingId }) => single.includes(trackingId)).length;
  between([ofThem], 9, 11);
  // One at a time, the one that has been due for longest comes first, of either kind.
  const older = { trackingId: { in: single }, nextCheckAt: { lte: parcels.now() } };
  await db.check.updateMany({ where: older, data: { nextCheckAt: new Date(START.getTime() + 300_000) } });
  for (let n = 0; n < 40; n++) {
    const waits = await parcels.waits();
    let taken = await parcels.claim(1);
    while (taken.checks.length === 0 && taken.more) taken = await parcels.claim(1);
    // A slot that its checks have left may be mistaken for an older one. Otherwise 30 s lie between the two kinds.
    expect(waits.get(taken.checks[0]?.trackingId ?? '')).toBeLessThan(Math.min(...waits.values()) + 20);
  }
});

test('a call for registered numbers is filled with checks of slots only if these are late', async () => {
  const parcels = await watchedParcels(db, 'filled', 20);
  await parcels.claim();
  await oneSlot('filled');
  await db.checkSlot.updateMany({ where: { provider: 'filled' }, data: { dueAt: parcels.now() } });
  const [id = '', ...others] = parcels.ids;
  await db.check.update({ where: { trackingId: id }, data: { nextCheckAt: START } });
  await db.check.updateMany({ where: { trackingId: { in: others } }, data: { claimedAt: new Date(0) } });
  const wanted = await parcelsOf(db, [id]);
  const call = () => claimChecks(db, { provider: 'filled', limit: 10, cadence: CADENCE, now: parcels.now() }, wanted);
  parcels.pass(4);
  expect((await call()).map(idOf)).toEqual([id]);
  await db.check.update({ where: { trackingId: id }, data: { nextCheckAt: START } });
  parcels.pass(1);
  const filled = (await call()).map(idOf);
  expect(filled).toHaveLength(10);
  expect(filled[0]).toBe(id);
});

test.each([
  { name: 'late', overdue: 5, claimedBefore: 144, claims: 0, due: 295 },
  { name: 'late-half', overdue: 5, claimedBefore: 146, claims: 1, due: 295 },
  { name: 'late-period', overdue: 310, claimedBefore: 27, claims: 1, due: -10 },
  { name: 'late-entered', overdue: 310, claimedBefore: -300, claims: 0, due: 290 },
])(
  'a check asked $claimedBefore s before the tick of a slot, $overdue s late: due in $due s, claimed $claims times',
  async ({ name, overdue, claimedBefore, claims, due }) => {
    const parcels = await watchedParcels(db, name, 1);
    await parcels.claim();
    const dueAt = parcels.now();
    const claimedAt = new Date(dueAt.getTime() - claimedBefore * 1000);
    await db.checkSlot.updateMany({ where: { provider: name }, data: { dueAt } });
    await db.check.updateMany({ where: { provider: name }, data: { claimedAt } });
    parcels.pass(overdue);
    expect([...(await parcels.waits()).values()]).toEqual([due]);
    expect((await parcels.claim()).checks).toHaveLength(claims);
  },
);

test('a slot without checks is deleted, and created again for the next check', async () => {
  const parcels = await watchedParcels(db, 'empty', 2);
  await parcels.claim();
  const [gone = '', stays = ''] = parcels.ids;
  await db.tracking.delete({ where: { id: gone } });
  await parcels.run(900, 10);
  expect(await db.checkSlot.count({ where: { provider: 'empty' } })).toBe(1);
  await db.tracking.delete({ where: { id: stays } });
  await parcels.run(900, 10);
  expect(await db.checkSlot.count({ where: { provider: 'empty' } })).toBe(0);
});

/** Moves all members of a provider's slots into one of them. */
async function oneSlot(provider: string): Promise<void> {
  const { ring, slot } = await db.checkSlot.findFirstOrThrow({ where: { provider } });
  await db.checkSlot.deleteMany({ where: { provider, NOT: { slot } } });
  await db.check.updateMany({ where: { provider }, data: { ring, slot } });
}

function idOf({ trackingId }: { trackingId: string }): string {
  return trackingId;
}
