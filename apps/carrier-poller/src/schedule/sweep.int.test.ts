import { createProducer } from '@pts/queue/producer';
import { eventually } from '@pts/testing/eventually';
import { freshNumber, newTrackings } from '@pts/testing/factories';
import { query } from '../check/query.ts';
import { found, openPollerTest, type PollerTest, scan, scriptedProvider } from '../testing/test-poller.ts';
import { sweepDue, sweepExpired } from './sweep.ts';

const DAY = 86_400;

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
