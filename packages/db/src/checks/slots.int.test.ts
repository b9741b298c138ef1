import { openTestDatabase } from '@pts/testing/database';
import { newWebhook } from '@pts/testing/factories';
import { takeProbe } from '../providers/pauses.ts';
import { useMonitoredInterval } from '../testing/monitored.ts';
import { CADENCE, START, watchedParcels } from '../testing/rings.ts';
import { readBacklogs } from './backlog.ts';
import { followCadence } from './slots.ts';

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

/** Moves all members of a provider's slots into one of them. */
async function oneSlot(provider: string): Promise<void> {
  const { ring, slot } = await db.checkSlot.findFirstOrThrow({ where: { provider } });
  await db.checkSlot.deleteMany({ where: { provider, NOT: { slot } } });
  await db.check.updateMany({ where: { provider }, data: { ring, slot } });
}

function idOf({ trackingId }: { trackingId: string }): string {
  return trackingId;
}
