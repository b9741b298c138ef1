import { eventually } from '@pts/testing/eventually';
import { freshNumber, newTrackings } from '@pts/testing/factories';
import { query } from './ask.ts';
import { sweepDue, sweepExpired } from './sweeps.ts';
import {
  found,
  openPollerTest,
  type PollerTest,
  recordingLoop,
  scan,
  scriptedProvider,
} from './testing/test-poller.ts';

const DAY = 86_400;

describe('a sweep', () => {
  let poller: PollerTest;
  beforeAll(async () => {
    poller = await openPollerTest();
  });
  afterAll(() => poller.close());

  const carrier = (name: string, batchSize = 40) =>
    scriptedProvider(() => found(scan(0, 'in_transit')), { name, batchSize });
  const watchMany = async (provider: string, count: number) =>
    newTrackings(poller.db, await poller.account(), Array.from({ length: count }, freshNumber), poller.clock.now(), {
      provider,
    });
  const unclaimed = (provider: string) => poller.db.check.count({ where: { provider, claimedAt: null } });

  test('claims due checks in batches of one call each', async () => {
    await watchMany('lost', 7);
    const [deps, loop] = [poller.depsFor(carrier('lost', 3)), recordingLoop()];
    expect(await sweepDue(deps, loop)).toEqual({ more: false, calls: 3 });
    expect(loop.started).toHaveLength(3);
    // Claimed checks are not claimed again before their lease ends.
    await sweepDue(deps, loop);
    expect(loop.started).toHaveLength(3);
  });

  test.each([
    [1, 'by turns of the accounts', 1],
    [2, 'in their order', 0],
  ])('with %d call a second, due checks are taken %s', async (callsPerSecond, _how, taken) => {
    const name = `slow-${callsPerSecond}`;
    const [many, few] = [await poller.account(), await poller.account()];
    const watchAll = (account: string, count: number) =>
      newTrackings(poller.db, account, Array.from({ length: count }, freshNumber), poller.clock.now(), {
        provider: name,
      });
    await watchAll(many, 90);
    const [late = ''] = await watchAll(few, 1);
    const dueLater = new Date(poller.clock.now().getTime() - 1);
    await poller.db.check.updateMany({
      where: { accountId: many },
      data: { nextCheckAt: new Date(dueLater.getTime() - 1) },
    });
    await poller.db.check.update({ where: { trackingId: late }, data: { nextCheckAt: dueLater } });
    const provider = carrier(name, 2);
    await sweepDue(poller.depsFor({ ...provider, limits: { ...provider.limits, callsPerSecond } }), recordingLoop());
    expect(await poller.db.check.count({ where: { trackingId: late, claimedAt: { not: null } } })).toBe(taken);
  });

  test('claims no more than can be called for soon; the rest stays for others', async () => {
    const name = 'slow';
    await watchMany(name, 13);
    const answers: (() => void)[] = [];
    const slow = scriptedProvider(() => new Promise((resolve) => answers.push(() => resolve(found()))), {
      name,
      batchSize: 2,
      concurrency: 2,
    });
    const deps = poller.depsFor(slow);
    const loop = poller.loopFor(deps);
    // Two calls are made, and as many wait for their place.
    expect(await sweepDue(deps, loop)).toEqual({ more: true, calls: 4 });
    await eventually(() => expect(slow.calls.flat()).toHaveLength(4));
    const next = sweepDue(deps, loop);
    expect(await unclaimed(name)).toBe(5);
    for (const answer of answers.splice(0)) answer();
    expect(await next).toMatchObject({ more: true });
    await eventually(() => {
      for (const answer of answers.splice(0)) answer();
      expect(slow.calls.flat().length).toBeGreaterThan(8);
    });
    const closing = loop.close();
    for (const answer of answers) answer();
    await closing;
  });

  test('calls for wake-ups go before those of the sweep, which still get a share of the places', async () => {
    const name = 'flooded';
    const ids = await watchMany(name, 4);
    await poller.db.check.updateMany({ where: { trackingId: { in: ids } }, data: { fingerprint: 'seen' } });
    const order: string[] = [];
    const slow = scriptedProvider(() => found(), { name, batchSize: 2, concurrency: 1 });
    const deps = poller.depsFor(slow);
    const loop = poller.loopFor({
      ...deps,
      provider: {
        ...slow,
        ask: async (questions) => {
          order.push('swept');
          return slow.ask(questions);
        },
      },
    });
    await sweepDue(deps, loop);
    for (let n = 0; n < 20; n++) loop.start({ ids: ['somewhere'], accounts: ['somebody'] });
    await eventually(() => expect(order.filter((what) => what === 'swept')).toHaveLength(2));
    expect(loop.waiting('prompt')).toBeGreaterThan(10);
    await loop.close();
  });

  test('a call that has not begun when the process stops leaves its checks to others', async () => {
    const name = 'leaving';
    const id = await poller.watch(await poller.account(), freshNumber(), { provider: name });
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const requested = scriptedProvider(() => answered.then(() => found()), { name, batchSize: 1, concurrency: 1 });
    const other = await poller.watch(await poller.account(), freshNumber(), { provider: name });
    const deps = poller.depsFor(requested);
    const loop = poller.loopFor(deps);
    loop.start(await poller.parcels(other));
    await eventually(() => expect(requested.calls).toHaveLength(1));
    await poller.db.check.update({
      where: { trackingId: id },
      data: { nextCheckAt: poller.clock.now(), claimedAt: null },
    });
    await sweepDue(deps, loop);
    const closing = loop.close();
    answer();
    await closing;
    expect(requested.calls).toHaveLength(1);
    expect(await poller.check(id)).toMatchObject({ nextCheckAt: poller.clock.now() });
  });
});

describe('after 30 days without news', () => {
  let poller: PollerTest;
  beforeEach(async () => {
    poller = await openPollerTest();
  });
  afterEach(() => poller.close());

  async function parcelOnItsWay(answer = found(scan(0, 'in_transit'), scan(9, 'out_for_delivery'))) {
    const carrier = scriptedProvider(() => answer);
    const id = await poller.watch(await poller.account(['tracking_update']), freshNumber());
    await query(poller.depsFor(carrier), await poller.parcels(id));
    return { id, deps: poller.depsFor(carrier) };
  }

  test('a number that the carrier never knew expires as 查询中', async () => {
    const { id, deps } = await parcelOnItsWay();
    const unknown = await poller.watch(await poller.account(), freshNumber());
    poller.clock.pass(30 * DAY);
    await sweepExpired(deps);
    expect(await poller.tracking(unknown)).toMatchObject({ status: '查询中', subStatus: 'expired' });
    expect(await poller.check(id)).toBeNull();
  });
});
