import type { Store } from '@pts/queue/connection';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import { stores } from '@pts/testing/stores';
import { type Poller, startPoller } from './poller.ts';
import { found, openPollerTest, type PollerTest, scan, scriptedProvider } from './testing/test-poller.ts';

const NEVER_MS = 3_600_000;

describe.each(stores())('on %s', (store: Store) => {
  let world: PollerTest;
  const running: Poller[] = [];
  beforeEach(async () => {
    world = await openPollerTest(store);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((poller) => poller.stop()));
    await world.close();
  });

  function start(providers: ReturnType<typeof scriptedProvider>[], sweepIntervalMs: number) {
    const poller = startPoller({ ...world.optionsFor(providers), sweepIntervalMs, callGraceMs: NEVER_MS });
    running.push(poller);
    return poller;
  }
  const subStatus = async (id: string) => (await world.tracking(id)).subStatus;
  const onTheWay = () => found(scan(0, 'in_transit'));

  test('a registered number is checked at once, and the news is pending for its endpoints', async () => {
    const carrier = scriptedProvider(onTheWay);
    const poller = start([carrier], NEVER_MS);
    expect(poller.isLive()).toBe(true);
    const id = await world.watch(await world.account(['tracking_update']), freshNumber());
    expect(await world.producer.query('scripted', [await world.parcels(id)])).toBe(true);
    await eventually(async () => expect(await subStatus(id)).toBe('in_transit'));
    await eventually(async () => expect(await world.queue.waiting('deliver')).toBe(1));
    expect(await world.db.delivery.count({ where: { state: 'owed' } })).toBe(1);
  });

  test('a check whose wake-up was lost is found by the sweep', async () => {
    const id = await world.watch(await world.account(), freshNumber());
    start([scriptedProvider(onTheWay)], 50);
    await eventually(async () => expect(await subStatus(id)).toBe('in_transit'));
  });

  test('a slow carrier delays only itself', async () => {
    let answer = () => {};
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow = scriptedProvider(() => late.then(onTheWay), { name: 'slow', concurrency: 1 });
    const account = await world.account();
    const stuck = await world.watch(account, freshNumber(), { provider: 'slow' });
    const id = await world.watch(account, freshNumber(), { provider: 'quick' });
    start([slow, scriptedProvider(onTheWay, { name: 'quick' })], 50);
    await eventually(() => expect(slow.calls).toHaveLength(1));
    await eventually(async () => expect(await subStatus(id)).toBe('in_transit'));
    expect(await subStatus(stuck)).toBe('pending');
    answer();
    await eventually(async () => expect(await subStatus(stuck)).toBe('in_transit'));
  });

  test('two pollers share the work: every parcel is checked once', async () => {
    const carriers = [1, 2].map(() => scriptedProvider(onTheWay, { batchSize: 2 }));
    const account = await world.account();
    const ids = [];
    for (let n = 0; n < 21; n++) ids.push(await world.watch(account, freshNumber()));
    for (const carrier of carriers) start([carrier], 50);
    await eventually(async () =>
      expect(await world.db.tracking.count({ where: { subStatus: 'in_transit' } })).toBe(21),
    );
    expect(carriers.flatMap(({ calls }) => calls).flat()).toHaveLength(21);
  });

  test('after a fault of ours the check is retried, and the parcel gets its answer', async () => {
    let faults = 2;
    const carrier = scriptedProvider(() => {
      if (faults-- > 0) throw new Error('a bug of ours');
      return onTheWay();
    });
    const id = await world.watch(await world.account(), freshNumber());
    start([carrier], 50);
    await eventually(async () => {
      world.clock.pass(10);
      expect(await subStatus(id)).toBe('in_transit');
    });
    expect(carrier.calls).toHaveLength(3);
  });
});
