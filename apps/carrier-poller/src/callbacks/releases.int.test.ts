import type { ReleaseTerms } from '@pts/carriers/provider';
import { subscribeAgainAt } from '@pts/core/tracking/subscription';
import { moveDueChecks } from '@pts/db/checks/schedule';
import { claimReleases } from '@pts/db/subscriptions';
import { updateTracking } from '@pts/db/trackings/records';
import { freshNumber } from '@pts/testing/factories';
import { sweepExpired } from '../schedule/sweep.ts';
import { callbackProvider, callbackTest } from '../testing/test-callbacks.ts';
import { failed, found, openPollerTest, type PollerTest, scan } from '../testing/test-poller.ts';
import { sweepForgotten } from './sweep-subscriptions.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
});
afterAll(() => poller.close());

const DAY = 86_400;
const FREE: ReleaseTerms = { batchSize: 1, holdSeconds: 0, restarts: 100 };

let names = 0;
/** A number that is registered with its own provider, and whose only parcel is `id`. */
async function registered(release: ReleaseTerms | null = FREE) {
  const own = callbackProvider(`releasing-${++names}`, { subscribe: 'before-reading', ...(release && { release }) });
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const watch = async (given: object = {}) => {
    const id = await poller.watch(await poller.account(['tracking_update']), number, {
      ...{ provider: own.provider.name, ...given },
    });
    await at.check(id);
    return id;
  };
  const id = await watch();
  await at.subscribe();
  const forget = (which = id) => poller.db.tracking.delete({ where: { id: which } });
  return { ...own, ...at, number, id, watch, forget };
}
type Registered = Awaited<ReturnType<typeof registered>>;

const MOVE = { carrier: 'zto', provider: 'another', detected: false, floorSeconds: 0 };
const ENDINGS: Record<string, (at: Registered) => Promise<unknown>> = {
  'is deleted': ({ forget }) => forget(),
  'was delivered and checked a last time': async ({ said, id, check }) => {
    said.answer = found(scan(1, 'delivered'));
    await check(id);
    poller.clock.pass(1.2 * DAY);
    await check(id);
    await check(id);
  },
  'has expired': async ({ deps }) => {
    poller.clock.pass(31 * DAY);
    await sweepExpired(deps);
  },
  'was given another carrier': async ({ id }) => {
    const { accountId } = await poller.tracking(id);
    await updateTracking(poller.db, { accountId, id, change: { move: MOVE }, now: poller.clock.now() });
  },
  'was moved to another provider': async ({ provider }) => {
    const to = [{ carrier: 'yto', provider: 'another', floorSeconds: 0 }];
    poller.clock.pass(DAY);
    const now = poller.clock.now();
    await moveDueChecks(poller.db, { provider: provider.name, to, overdueSeconds: 0, limit: 10, now });
  },
};

describe.each(Object.entries(ENDINGS))('the only parcel with a number %s', (_how, end) => {
  test('the number is released once', async () => {
    const at = await registered();
    await at.release();
    expect(at.released).toEqual([]);
    await end(at);
    await at.release();
    await at.release();
    expect(at.released).toEqual([[at.number]]);
    expect(await at.subscription(at.number)).toMatchObject({ state: 'released', stoppedAt: poller.clock.now() });
  });
});

test('a number that another account watches is not released', async () => {
  const { id, watch, forget, release, released, number } = await registered();
  const other = await watch();
  await forget(id);
  await release();
  expect(released).toEqual([]);
  await forget(other);
  await release();
  expect(released).toEqual([[number]]);
});

test('a number that comes back is resumed, and not registered and paid for again', async () => {
  const { forget, release, watch, check, subscribe, subscribed, resumed, number, subscription } = await registered();
  await forget();
  await release();
  poller.clock.pass(3 * DAY);
  const back = await watch();
  expect(await subscribe()).toBe(1);
  expect([subscribed, resumed]).toEqual([[number], [[number]]]);
  expect(await subscription(number)).toMatchObject({ state: 'active', stoppedAt: null, restarts: 1, retryAt: null });
  await check(back);
  expect((await poller.tracking(back)).subStatus).toBe('in_transit');
});

test('a parcel that is registered while its number is being released takes precedence', async () => {
  const at = await registered();
  await at.forget();
  at.said.release = async () => {
    await at.watch();
    return { kind: 'released' };
  };
  await at.release();
  expect(await at.subscription(at.number)).toMatchObject({ state: 'wanted', unwatchedSince: expect.any(Date) });
  await at.release();
  expect(await at.subscribe()).toBe(1);
  expect([at.released.length, at.resumed, at.subscribed]).toEqual([1, [[at.number]], [at.number]]);
  expect(await at.subscription(at.number)).toMatchObject({ state: 'active', unwatchedSince: null });
});

test('a failed release is retried with growing pauses, and stops neither queries nor subscriptions', async () => {
  const at = await registered();
  await at.forget();
  at.said.release = async () => failed('auth');
  await at.release();
  await at.release();
  expect(at.released).toHaveLength(1);
  expect(await at.subscription(at.number)).toMatchObject({ state: 'releasing', failures: 1 });
  const pauses = await poller.db.providerPause.findMany({ where: { provider: { startsWith: at.provider.name } } });
  expect(pauses.map(({ provider }) => provider)).toEqual([`${at.provider.name}:release`]);
  at.said.release = async () => ({ kind: 'released' });
  poller.clock.pass((subscribeAgainAt(1, poller.clock.now()).getTime() - poller.clock.now().getTime()) / 1000 + 900);
  await at.release();
  expect(at.released).toHaveLength(2);
  expect(await at.subscription(at.number)).toMatchObject({ state: 'released' });
});

test.each([
  ['is released by another one', false],
  ['is resumed if it is watched again', true],
])('a number whose release was lost with its process %s', async (_what, comesBack) => {
  const at = await registered();
  await at.forget();
  await at.release();
  at.released.length = 0;
  await poller.db.subscription.updateMany({ where: { trackingNumber: at.number }, data: { state: 'active' } });
  const terms = { ...FREE, provider: at.provider.name, limit: 10, now: poller.clock.now() };
  expect(await claimReleases(poller.db, terms)).toHaveLength(1);
  expect(await claimReleases(poller.db, terms)).toHaveLength(0);
  if (comesBack) await at.watch();
  poller.clock.pass(121);
  await at.release();
  await at.subscribe();
  expect([at.released, at.resumed]).toEqual(comesBack ? [[], [[at.number]]] : [[[at.number]], []]);
});

test('a number that comes back is registered again if the provider no longer has it', async () => {
  const { forget, release, watch, subscribe, subscribed, said, number } = await registered();
  await forget();
  await release();
  said.resume = { kind: 'unknown' };
  await watch();
  await subscribe();
  await subscribe();
  expect(subscribed).toEqual([number, number]);
});

test('a registration without callbacks is not forgotten while its number is watched, however long that is', async () => {
  const { deps, forget, number, subscription } = await registered();
  poller.clock.pass(91 * DAY);
  await sweepForgotten(deps);
  expect(await subscription(number)).toMatchObject({ state: 'active' });
  await forget();
  await sweepForgotten(deps);
  expect(await subscription(number)).toBeNull();
});
