import type { ClaimedCheck } from '@pts/core/tracking/check';
import { expireTrackings } from '@pts/db/checks/answers';
import { keysOf } from '@pts/db/testing/parcel-keys';
import type { QueryJob } from '@pts/queue/catalog';
import { createProducer } from '@pts/queue/producer';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newTrackings } from '@pts/testing/factories';
import { query } from '../check/query.ts';
import { found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { sweepDue, sweepExpired } from './sweep.ts';

const DAY = 86_400;

/** A check as the queue holds it, answered before. */
function regular(trackingId: string): ClaimedCheck {
  const check = { trackingId, trackingNumber: trackingId, carrier: 'yto', fingerprint: 'seen', finalLook: false };
  return { ...check, accountId: 'somebody', hints: null };
}

describe('with a queue', () => {
  let poller: PollerTest;
  beforeAll(async () => {
    poller = await openPollerTest('redis');
  });
  afterAll(() => poller.close());

  const carrier = (name: string, batchSize = 40) =>
    scriptedProvider(() => found(scan(0, 'in_transit')), { name, batchSize });
  const waiting = (name: string) => poller.producer.waiting(`query-${name}`);

  test('due checks without a job are enqueued in batches of one call each', async () => {
    const account = await poller.account();
    await newTrackings(poller.db, account, Array.from({ length: 7 }, freshNumber), poller.clock.now(), {
      provider: 'lost',
    });
    const deps = poller.depsFor(carrier('lost', 3));
    expect(await sweepDue(deps)).toEqual({ more: false, calls: 3 });
    expect(await waiting('lost')).toBe(3);
    // Claimed checks are not claimed again before their lease ends.
    await sweepDue(deps);
    expect(await waiting('lost')).toBe(3);
  });

  test('jobs are spread over a time, unless more checks are due', async () => {
    const account = await poller.account();
    const portionsOf = async (name: string, parcels: number, callsPerSecond?: number) => {
      const numbers = Array.from({ length: parcels }, freshNumber);
      await newTrackings(poller.db, account, numbers, poller.clock.now(), { provider: name });
      const provider = carrier(name, 2);
      const limits = { ...provider.limits, ...(callsPerSecond && { callsPerSecond }) };
      const portions: { jobs: number; ms: number }[] = [];
      const query = async (_provider: string, jobs: readonly unknown[]) => {
        portions.push({ jobs: jobs.length, ms: performance.now() });
        return true;
      };
      const deps = poller.depsFor({ ...provider, limits });
      await sweepDue({ ...deps, producer: { ...poller.producer, query } }, 100);
      return portions;
    };
    const spread = await portionsOf('spread', 12);
    expect(spread.map(({ jobs }) => jobs)).toEqual([2, 2, 2]);
    expect((spread.at(-1)?.ms ?? 0) - (spread[0]?.ms ?? 0)).toBeGreaterThanOrEqual(60);
    expect((await portionsOf('crammed', 12, 0.1)).map(({ jobs }) => jobs)).toEqual([1]);
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
    await sweepDue(poller.depsFor({ ...provider, limits: { ...provider.limits, callsPerSecond } }));
    expect(await poller.db.check.count({ where: { trackingId: late, claimedAt: { not: null } } })).toBe(taken);
  });

  test('no check of a paused provider is claimed', async () => {
    const name = 'paused';
    await poller.watch(await poller.account(), freshNumber(), { provider: name });
    const at = poller.clock.now();
    const pausedUntil = new Date(at.getTime() + 60_000);
    await poller.db.providerPause.create({
      data: { provider: name, failures: 5, pausedUntil, reason: 'test', updatedAt: at },
    });
    await sweepDue(poller.depsFor(carrier(name)));
    expect(await waiting(name)).toBe(0);
    expect(await poller.db.check.count({ where: { provider: name, claimedAt: null } })).toBe(1);
  });

  test('while many jobs of the sweep wait, nothing more is claimed', async () => {
    const name = 'full';
    const id = await poller.watch(await poller.account(), freshNumber(), { provider: name });
    const claimed = [regular('somewhere')];
    await poller.producer.query(
      name,
      Array.from({ length: 200 }, () => ({ claimed })),
    );
    await sweepDue(poller.depsFor(carrier(name)));
    expect(await waiting(name)).toBe(200);
    expect(await poller.check(id)).toMatchObject({ claimedAt: null });
  });

  test('while a flood of wake-ups waits, regular checks get half of the places, one after another', async () => {
    const name = 'flooded';
    const account = await poller.account();
    const ids = await newTrackings(poller.db, account, Array.from({ length: 9 }, freshNumber), poller.clock.now(), {
      provider: name,
    });
    await poller.db.check.updateMany({ where: { trackingId: { in: ids } }, data: { fingerprint: 'seen' } });
    await poller.producer.query(
      name,
      Array.from({ length: 200 }, () => ({ ids: ['somewhere'], accounts: ['somebody'] })),
    );
    const answers: (() => void)[] = [];
    const slow = scriptedProvider(
      () => new Promise((resolve) => answers.push(() => resolve(found(scan(0, 'in_transit'))))),
      { name, batchSize: 2, concurrency: 4 },
    );
    const deps = poller.depsFor(slow);
    const round = sweepDue(deps);
    await eventually(() => expect(slow.calls.flat()).toHaveLength(4));
    // The other places are free for the jobs that wait.
    expect(await deps.executor.run(async () => 'a job')).toBe('a job');
    for (const answer of answers) answer();
    expect(await round).toEqual({ more: true, calls: 2 });
    expect(slow.calls).toHaveLength(2);
    expect(await waiting(name)).toBe(200);
  });

  test('a first check that the sweep finds is in front of its regular checks', async () => {
    const name = 'in front';
    const account = await poller.account();
    const ids = await newTrackings(poller.db, account, Array.from({ length: 3 }, freshNumber), poller.clock.now(), {
      provider: name,
    });
    await poller.db.check.updateMany({ where: { trackingId: { in: ids.slice(0, 2) } }, data: { fingerprint: 'seen' } });
    const jobs: QueryJob[] = [];
    const query = async (_provider: string, some: readonly QueryJob[]) => jobs.push(...some) > 0;
    await sweepDue({ ...poller.depsFor(carrier(name, 1)), producer: { ...poller.producer, query } });
    expect(jobs.map((job) => ('claimed' in job ? job.claimed.map(({ trackingId }) => trackingId) : []))[0]).toEqual([
      ids[2],
    ]);
  });

  test('while the queue is away, as many calls as the provider allows are made directly', async () => {
    const name = 'away';
    const accountId = await poller.account();
    for (let n = 0; n < 5; n++) await poller.watch(accountId, freshNumber(), { provider: name });
    let answer = () => {};
    const until = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow = scriptedProvider(() => until.then(() => found()), { name, batchSize: 2, concurrency: 2 });
    const deps = poller.depsFor(slow);
    const away = { ...deps, producer: { ...poller.producer, load: async () => null } };
    expect(await sweepDue(away)).toEqual({ more: true, calls: 2 });
    const next = sweepDue(away);
    await eventually(() => expect(slow.calls.flat()).toHaveLength(4));
    expect(await unclaimed(name)).toBe(1);
    answer();
    await next;
    await eventually(() => expect(slow.calls.flat()).toHaveLength(5));
    expect(await waiting(name)).toBe(0);
    await deps.executor.close();
  });

  test('a direct call that has not begun when the process stops leaves its checks to others', async () => {
    const name = 'leaving';
    const id = await poller.watch(await poller.account(), freshNumber(), { provider: name });
    const requested = carrier(name);
    const deps = poller.depsFor(requested);
    let free = () => {};
    const busy = deps.executor.run(() => new Promise<void>((resolve) => (free = resolve)));
    const others = [2, 3, 4].map(() => deps.executor.run(async () => busy));
    const producer = { ...poller.producer, load: async () => null };
    const whenFree = async () => true;
    await sweepDue({ ...deps, producer, executor: { ...deps.executor, whenFree } });
    expect(await unclaimed(name)).toBe(0);
    const closing = deps.executor.close();
    free();
    await Promise.all([closing, ...others]);
    expect(requested.calls).toEqual([]);
    expect(await poller.check(id)).toMatchObject({ nextCheckAt: poller.clock.now() });
  });

  test('a queue that answers, but takes no jobs, delays a check by 10 s: then it is made directly', async () => {
    const name = 'takes none';
    const accountId = await poller.account(['tracking_update']);
    await poller.watch(accountId, freshNumber(), { provider: name });
    const requested = carrier(name);
    const deps = poller.depsFor(requested);
    const refused = { ...deps, producer: { ...poller.producer, query: async () => false } };
    await sweepDue(refused);
    poller.clock.pass(10);
    await sweepDue(refused);
    await eventually(() => expect(requested.calls).toHaveLength(1));
    await deps.executor.close();
    poller.clock.pass(50);
    await poller.watch(accountId, freshNumber(), { provider: name });
    await sweepDue(deps);
    expect(await waiting(name)).toBe(1);
  });

  const unclaimed = (provider: string) => poller.db.check.count({ where: { provider, claimedAt: null } });
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

  test('polling ends and an update says so, with the status unchanged', async () => {
    const { id, deps } = await parcelOnItsWay();
    poller.clock.pass(30 * DAY - 1);
    await sweepExpired(deps);
    expect(await poller.check(id)).not.toBeNull();
    poller.clock.pass(1);
    await sweepExpired(deps);
    expect(await poller.check(id)).toBeNull();
    expect(await poller.tracking(id)).toMatchObject({ status: '派送中', subStatus: 'expired' });
    expect(await poller.emitted(id)).toEqual(['tracking_update', 'tracking_update']);
    expect(await poller.producer.waiting('deliver')).toBe(1);
  });

  test('two processes that sweep at once emit it once', async () => {
    const { id, deps } = await parcelOnItsWay();
    poller.clock.pass(30 * DAY);
    await Promise.all([1, 2, 3, 4].map(() => sweepExpired(deps)));
    expect(await poller.emitted(id)).toEqual(['tracking_update', 'tracking_update']);
  });

  test('news postpones it, even if it arrives between finding the parcel and ending its polling', async () => {
    const { id, deps } = await parcelOnItsWay();
    poller.clock.pass(30 * DAY);
    const news = scriptedProvider(() => found(scan(20, 'exception')));
    await query(poller.depsFor(news), await poller.parcels(id));
    expect(await expireTrackings(poller.db, await keysOf(poller.db, [id]), deps.cadence, poller.clock.now())).toEqual(
      [],
    );
    expect(await poller.tracking(id)).toMatchObject({ subStatus: 'exception' });
    expect(await poller.check(id)).not.toBeNull();
  });

  test('a number that the carrier never knew expires as 查询中', async () => {
    const { id, deps } = await parcelOnItsWay();
    const unknown = await poller.watch(await poller.account(), freshNumber());
    poller.clock.pass(30 * DAY);
    await sweepExpired(deps);
    expect(await poller.tracking(unknown)).toMatchObject({ status: '查询中', subStatus: 'expired' });
    expect(await poller.check(id)).toBeNull();
  });
});

test('a sweep that loses the queue does not throw', async () => {
  const poller = await openPollerTest();
  try {
    await poller.watch(await poller.account(), freshNumber());
    const lost: unknown[] = [];
    const producer = createProducer(
      {
        ...poller.queue,
        queue: () => ({
          add: fail,
          addBulk: fail,
          getJob: fail,
          getJobs: fail,
          getJobCounts: fail,
          getCountsPerPriority: fail,
          remove: fail,
          pause: fail,
          resume: fail,
          isPaused: fail,
          drain: fail,
          close: async () => {},
        }),
      },
      (error) => lost.push(error),
    );
    const deps = poller.depsFor(scriptedProvider(() => found()));
    expect(await sweepDue({ ...deps, producer })).toEqual({ more: false, calls: 1 });
    expect(lost).toHaveLength(1);
    await deps.executor.close();
  } finally {
    await poller.close();
  }
});

const fail = () => Promise.reject(new Error('the queue is away'));
