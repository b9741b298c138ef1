import type { Scan } from '@pts/core/tracking/scan';
import { claimChecks } from '@pts/db/checks/schedule';
import { createEstimator, type Estimated, type Estimator } from '@pts/service/estimates';
import { freshNumber } from '@pts/testing/factories';
import { sweepDelivered } from '../schedule/sweep.ts';
import { CADENCE, found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { query } from './query.ts';

let poller: PollerTest;
beforeEach(async () => {
  poller = await openPollerTest();
});
afterEach(() => poller.close());

const at = (hour: number, status: Scan['status'], location: string): Scan => ({ ...scan(hour * 60, status), location });
const MOVING = [at(0, 'in_transit', '广东省深圳市')];
const DELIVERED = [...MOVING, at(46, 'out_for_delivery', '北京市'), at(48, 'delivered', '北京市')];

/** Registers numbers and has the carrier answer with one history for all. @returns their ids. */
async function follow(count: number, scans: Scan[], name = 'scripted'): Promise<string[]> {
  const provider = scriptedProvider(() => found(...scans), { name });
  const account = await poller.account(['tracking_update']);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await poller.watch(account, freshNumber(), { provider: name }));
  const claim = { provider: provider.name, limit: count, cadence: CADENCE, now: poller.clock.now() };
  await query(poller.depsFor(provider), { claimed: await claimChecks(poller.db, claim) });
  return ids;
}

test('a parcel is estimated from those of its lane that were delivered, each counted once', async () => {
  await follow(40, DELIVERED);
  const { db } = poller;
  const deps = poller.depsFor(scriptedProvider(() => found()));
  const readTimes = () =>
    db.laneTime.findMany({ where: { carrier: 'yto' }, orderBy: [{ origin: 'asc' }, { destination: 'asc' }] });
  await Promise.all([sweepDelivered(deps), sweepDelivered(deps)]);
  const times = await readTimes();
  await sweepDelivered(deps);
  // A clock that was set back, and then corrected.
  await sweepDelivered({ ...deps, now: () => new Date(poller.clock.now().getTime() - 3_600_000) });
  await sweepDelivered(deps);
  expect(await readTimes()).toEqual(times);
  expect(times.map(({ origin, destination, hours }) => [origin, destination, hours])).toEqual([
    ['CN', '*', 48],
    ['CN', 'CN', 48],
    ['CN-GD', '*', 48],
    ['CN-GD', 'CN-BJ', 48],
  ]);
  expect(new Set(times.map(({ weight }) => weight)).size).toBe(1);
  // It began to move 96 hours after the others.
  const [id = ''] = await follow(1, [at(96, 'in_transit', '深圳市')]);
  const estimated_delivery = { from: '2031-04-06T21:00:00Z', to: '2031-04-07T00:00:00Z', source: 'history' };
  expect((await poller.tracking(id)).annotations).toMatchObject({ estimate: estimated_delivery });
  const message = await db.message.findFirstOrThrow({ where: { trackingId: id } });
  expect(JSON.parse(message.body)).toMatchObject({ data: { estimated_delivery } });
});

test('answers are estimated while the times of their lane are read for others, and after that has failed', async () => {
  await follow(40, DELIVERED);
  const { db, clock } = poller;
  await sweepDelivered(poller.depsFor(scriptedProvider(() => found())));
  let isAway = false;
  const faulty = new Proxy(db, {
    get: (target, name) => {
      if (isAway) throw new Error('away');
      return Reflect.get(target, name);
    },
  });
  const scans = [at(96, 'in_transit', '深圳市')];
  const estimateBy = async ({ prepare }: Estimator) => {
    const answer: Estimated = { answer: found(...scans), carrier: 'yto' };
    const [prepared] = await prepare([answer], clock.now());
    return prepared?.estimate?.(scans) ?? null;
  };
  const estimator = createEstimator(db);
  expect(await Promise.all([estimateBy(estimator), estimateBy(estimator)])).not.toContain(null);
  const another = createEstimator(faulty);
  isAway = true;
  await expect(estimateBy(another)).rejects.toThrow('away');
  isAway = false;
  expect(await estimateBy(another)).not.toBeNull();
});
