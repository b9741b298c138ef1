import { JITTER } from '@pts/core/tracking/schedule';
import { freshNumber } from '@pts/testing/factories';
import { sweepSubscriptions } from './callbacks.ts';
import { callbackProvider, callbackTest, SAFETY_NET } from './testing/test-callbacks.ts';
import { failed, found, openPollerTest, type PollerTest, scan } from './testing/test-poller.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
});
afterAll(() => poller.close());

const COLLECTED = scan(1, 'in_transit');
const MOVED = scan(2, 'in_transit', 'moved');
const DELIVERED = scan(3, 'delivered');

let names = 0;
/** A number that its own provider has answered about and sends callbacks about. */
async function subscribed({
  isIdle = false,
  ...more
}: Parameters<typeof callbackProvider>[1] & { isIdle?: boolean } = {}) {
  const own = callbackProvider(`calling-${++names}`, more);
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const watch = async (given: object = {}) =>
    poller.watch(await (isIdle ? poller.account() : poller.account(['tracking_update'])), number, {
      provider: own.provider.name,
      ...given,
    });
  const id = await watch();
  await at.check(id);
  await at.subscribe();
  return { ...own, ...at, number, id, watch };
}

function expectSafetyNet(seconds: number): void {
  expect(seconds).toBeGreaterThanOrEqual(SAFETY_NET * (1 - JITTER) - 1);
  expect(seconds).toBeLessThanOrEqual(SAFETY_NET * (1 + JITTER) + 10);
}

test('a wrong guess of the carrier costs nothing: a number is subscribed to once its carrier has answered with a history', async () => {
  const own = callbackProvider('careful');
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const id = await poller.watch(await poller.account(), number, { provider: 'careful' });
  own.said.answer = { kind: 'not_found' };
  await at.check(id);
  expect(await at.subscribe()).toBe(0);
  own.said.answer = found(COLLECTED);
  poller.clock.pass(4000);
  await at.check(id);
  expect(await at.subscribe()).toBe(1);
  expect(own.subscribed).toEqual([number]);
  expect(await at.subscription(number)).toMatchObject({ state: 'active', retryAt: null });
});

test('numbers that are due are subscribed to by the sweep itself', async () => {
  const own = callbackProvider('swept');
  const at = callbackTest(poller, own);
  const number = freshNumber();
  await at.check(await poller.watch(await poller.account(), number, { provider: own.provider.name }));
  const loop = poller.loopFor(at.deps);
  await sweepSubscriptions(at.deps, loop);
  await loop.close();
  expect(own.subscribed).toEqual([number]);
  expect(await at.subscription(number)).toMatchObject({ state: 'active' });
});

test('from its first callback on a parcel is checked every six hours', async () => {
  const { id, number, sendCallback, nextCheck, check } = await subscribed();
  expect(await nextCheck(id)).toBeLessThanOrEqual(330);
  poller.clock.pass(60);
  await sendCallback({ number });
  expectSafetyNet(await nextCheck(id));
  poller.clock.pass(SAFETY_NET * (1 + JITTER));
  await check(id);
  expectSafetyNet(await nextCheck(id));
});

test('a parcel whose first callback does not arrive is checked when it is overdue', async () => {
  const { id, nextCheck, subscription, number, overdue } = await subscribed({ floor: 600, isIdle: true });
  expect(await nextCheck(id)).toBeLessThanOrEqual(900);
  expect((await subscription(number))?.awaitedSince).not.toBeNull();
  expect(await overdue()).toBe(0);
  poller.clock.pass(901);
  expect(await overdue()).toBe(1);
  await poller.db.tracking.delete({ where: { id } });
  expect(await overdue()).toBe(0);
});

test('two accounts with a number share one subscription, and a callback is news for both', async () => {
  const { id, number, watch, check, subscribe, sendCallback, subscribed: calls, nextCheck } = await subscribed();
  await sendCallback({ number });
  const other = await watch();
  await check(other);
  expect(await subscribe()).toBe(0);
  expect(calls).toEqual([number]);
  expectSafetyNet(await nextCheck(other));
  await sendCallback({ number, answer: found(COLLECTED, MOVED) });
  for (const each of [id, other]) {
    expect((await poller.tracking(each)).events).toHaveLength(2);
    expect(await poller.emitted(each)).toEqual(['tracking_update', 'tracking_update']);
  }
});

test('a subscription that is given up is made again after half an hour, and checks continue until then', async () => {
  const { id, number, sendCallback, subscribe, nextCheck, subscription, subscribed: calls } = await subscribed();
  await sendCallback({ number });
  await sendCallback({ number, watch: 'aborted', answer: { kind: 'not_found' }, reason: 'no news' });
  expect(await nextCheck(id)).toBeLessThanOrEqual(330);
  expect(await subscription(number)).toMatchObject({ state: 'wanted', reason: 'no news' });
  expect((await poller.tracking(id)).events).toHaveLength(1);
  poller.clock.pass(1790);
  expect(await subscribe()).toBe(0);
  poller.clock.pass(20);
  expect(await subscribe()).toBe(1);
  expect(calls).toEqual([number, number]);
  expect(await subscription(number)).toMatchObject({ state: 'active' });
});

test('a delivery ends the subscription, and one final check follows', async () => {
  const { id, number, sendCallback, subscribe, subscription } = await subscribed();
  await sendCallback({ number, watch: 'ended', answer: found(COLLECTED, DELIVERED) });
  expect(await subscription(number)).toMatchObject({ state: 'ended', retryAt: null });
  expect(await poller.check(id)).toMatchObject({ finalLook: true });
  poller.clock.pass(3600);
  expect(await subscribe()).toBe(0);
});

test('a check that is in flight when a callback arrives undoes nothing', async () => {
  const { id, number, sendCallback, check, provider } = await subscribed();
  poller.clock.pass(400);
  provider.ask = async () => {
    poller.clock.pass(1);
    await sendCallback({ number, answer: found(COLLECTED, DELIVERED) });
    return [found(COLLECTED, MOVED)];
  };
  await check(id);
  expect(await poller.tracking(id)).toMatchObject({ subStatus: 'delivered', events: [COLLECTED, DELIVERED] });
});

test('a refused number is polled as before, and not retried', async () => {
  const own = callbackProvider('refusing');
  own.said.outcome = { kind: 'refused', message: 'not this company' };
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const id = await poller.watch(await poller.account(['tracking_update']), number, { provider: 'refusing' });
  await at.check(id);
  await at.subscribe();
  expect(await at.subscription(number)).toMatchObject({ state: 'refused', reason: 'not this company' });
  poller.clock.pass(90_000);
  await at.check(id);
  expect(await at.subscribe()).toBe(0);
  expect(await at.nextCheck(id)).toBeLessThanOrEqual(331);
});

test('a subscription whose call failed is retried later', async () => {
  const own = callbackProvider('failing');
  own.said.outcome = failed('temporary') as never;
  const at = callbackTest(poller, own);
  const number = freshNumber();
  await at.check(await poller.watch(await poller.account(), number, { provider: 'failing' }));
  await at.subscribe();
  expect(await at.subscription(number)).toMatchObject({ state: 'wanted', failures: 1 });
  expect(await at.subscribe()).toBe(0);
  own.said.outcome = { kind: 'already' };
  poller.clock.pass(301);
  expect(await at.subscribe()).toBe(1);
  expect(await at.subscription(number)).toMatchObject({ state: 'active' });
});

test('a number that nobody watches is not subscribed to', async () => {
  const own = callbackProvider('leaving');
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const id = await poller.watch(await poller.account(), number, { provider: 'leaving' });
  await at.check(id);
  await poller.db.tracking.delete({ where: { id } });
  await at.subscribe();
  expect(own.subscribed).toEqual([]);
  expect(await at.subscription(number)).toMatchObject({ state: 'ended' });
});

test('a corrected carrier moves the parcels that were detected, with their history; a named one gets a notice', async () => {
  const { id, number, watch, check, sendCallback, nextCheck, subscription } = await subscribed();
  const named = await watch({ detected: false });
  await check(named);
  await sendCallback({ number, carriers: ['yto', 'zto'], movedTo: 'zto', answer: found(COLLECTED, MOVED) });
  expect(await poller.tracking(id)).toMatchObject({ carrier: 'zto', status: '查询中', seq: 2 });
  expect((await poller.tracking(id)).events).toHaveLength(2);
  expect(await poller.check(id)).toMatchObject({ carrier: 'zto', pushed: true });
  expect(await poller.tracking(named)).toMatchObject({ carrier: 'yto', notice: expect.stringContaining('"zto"') });
  expect(await subscription(number, 'zto')).toMatchObject({ state: 'active' });
  // Later callbacks name the new carrier only.
  await sendCallback({ number, carriers: ['zto'], answer: found(COLLECTED, MOVED, scan(4, 'out_for_delivery')) });
  for (const each of [id, named]) {
    expect((await poller.tracking(each)).events).toHaveLength(3);
    expectSafetyNet(await nextCheck(each));
  }
});

test('a provider that answers only about subscribed numbers is subscribed to first, and read at once', async () => {
  const own = callbackProvider('registering', { subscribe: 'before-reading', floor: 600 });
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const id = await poller.watch(await poller.account(), number, { provider: 'registering' });
  await at.check(id);
  expect(own.requested).toEqual([]);
  expect(await at.subscribe()).toBe(1);
  await at.check(id);
  expect(own.requested).toEqual([number]);
});
