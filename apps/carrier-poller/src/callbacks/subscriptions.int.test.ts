import { JITTER } from '@pts/core/tracking/schedule';
import { moveTracking } from '@pts/db/trackings/changes';
import { freshNumber } from '@pts/testing/factories';
import { createCadenceSweep } from '../schedule/sweep-cadence.ts';
import { callbackProvider, callbackTest, SAFETY_NET } from '../testing/test-callbacks.ts';
import { CADENCE, failed, found, openPollerTest, type PollerTest, scan } from '../testing/test-poller.ts';

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

test.each([
  ['is away', null],
  ['takes no jobs', 0],
])('numbers are subscribed to also while the queue %s', async (state, waiting) => {
  const own = callbackProvider(`queue ${state}`);
  const producer = { ...poller.producer, waiting: async () => waiting, subscribe: async () => false };
  const at = callbackTest(poller, own, { producer });
  const number = freshNumber();
  await at.check(await poller.watch(await poller.account(), number, { provider: own.provider.name }));
  await at.subscribe();
  await at.deps.executor.close();
  expect(own.subscribed).toEqual([number]);
  expect(await at.subscription(number)).toMatchObject({ state: 'active' });
});

test('nothing is subscribed to where no callback can reach the installation', async () => {
  const own = callbackProvider('unreachable');
  const at = callbackTest(poller, own, { callback: null });
  const number = freshNumber();
  const id = await poller.watch(await poller.account(), number, { provider: 'unreachable' });
  await at.check(id);
  expect(await at.subscription(number)).toBeNull();
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

test('parcels do not wait for their safety net once callbacks cannot reach the installation any more', async () => {
  const own = await subscribed();
  await own.sendCallback({ number: own.number });
  poller.clock.pass(SAFETY_NET * (1 + JITTER));
  await own.check(own.id);
  const number = freshNumber();
  const other = await poller.watch(await poller.account(['tracking_update']), number, { provider: own.provider.name });
  await own.check(other);
  await own.subscribe();
  await own.sendCallback({ number });
  // One waits for its slot, the other has a time of its own.
  for (const id of [own.id, other]) expectSafetyNet(await own.nextCheck(id));
  const { deps } = callbackTest(poller, own, { callback: null, cadence: { ...CADENCE, floorSeconds: 0 } });
  await createCadenceSweep(deps)();
  for (const id of [own.id, other]) expect(await own.nextCheck(id)).toBeLessThanOrEqual(2 * CADENCE.monitoredSeconds);
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

test('a callback is not overdue from a provider that its parcel has left', async () => {
  const { id, overdue } = await subscribed();
  poller.clock.pass(901);
  expect(await overdue()).toBe(1);
  const where = { accountId: (await poller.tracking(id)).accountId, id };
  const move = { carrier: 'yto', provider: 'elsewhere', detected: false, floorSeconds: 0 };
  await poller.db.$transaction(async (tx) => {
    await moveTracking(tx, await tx.tracking.findUniqueOrThrow({ where }), move, poller.clock.now());
  });
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

test('a parcel with the number of an earlier one is subscribed to again, because the subscription may have ended', async () => {
  const { number, watch, check, sendCallback, subscribe, subscribed: calls, nextCheck } = await subscribed();
  await sendCallback({ number });
  poller.clock.pass(8 * 86_400);
  const later = await watch();
  await check(later);
  expect(await nextCheck(later)).toBeLessThanOrEqual(330);
  expect(await subscribe()).toBe(1);
  expect(calls).toEqual([number, number]);
});

test('a history of another parcel, from long before the registration, confirms no carrier', async () => {
  const own = callbackProvider('recycled');
  own.said.answer = found({ ...COLLECTED, time: '2030-01-01T00:00:00Z' });
  const at = callbackTest(poller, own);
  await at.check(await poller.watch(await poller.account(), freshNumber(), { provider: 'recycled' }));
  expect(await at.subscribe()).toBe(0);
});

test('a repeated callback changes only the safety net', async () => {
  const { id, number, sendCallback, nextCheck } = await subscribed();
  const answer = found(COLLECTED, MOVED);
  expect(await sendCallback({ number, answer })).toMatchObject({ kind: 'accepted', changed: 1 });
  const before = await poller.tracking(id);
  poller.clock.pass(1000);
  expect(await sendCallback({ number, answer })).toMatchObject({ kind: 'accepted', changed: 0 });
  expect(await poller.tracking(id)).toEqual(before);
  expectSafetyNet(await nextCheck(id));
});

test('a check that finds news before a callback has the parcel checked regularly, until a callback arrives again', async () => {
  const { id, number, said, sendCallback, check, nextCheck, subscription } = await subscribed();
  await sendCallback({ number });
  said.answer = found(COLLECTED, MOVED);
  poller.clock.pass(SAFETY_NET * (1 + JITTER));
  await check(id);
  expect(await nextCheck(id)).toBeLessThanOrEqual(330);
  expect((await subscription(number))?.awaitedSince).toEqual(poller.clock.now());
  await sendCallback({ number, answer: found(COLLECTED, MOVED) });
  expectSafetyNet(await nextCheck(id));
  expect((await subscription(number))?.awaitedSince).toBeNull();
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

test('a callback after the delivery leaves the final check where it is', async () => {
  const { id, number, sendCallback, nextCheck } = await subscribed();
  const answer = found(COLLECTED, DELIVERED);
  await sendCallback({ number, watch: 'ended', answer });
  expect(await nextCheck(id)).toBe(86_400);
  const before = await poller.check(id);
  poller.clock.pass(600);
  await sendCallback({ number, watch: 'ended', answer });
  expect(await poller.check(id)).toEqual(before);
});

test('an old callback that arrives late undoes nothing: a check decides', async () => {
  const { id, number, sendCallback, nextCheck } = await subscribed();
  await sendCallback({ number, answer: found(COLLECTED, MOVED) });
  await sendCallback({ number, answer: found(COLLECTED) });
  expect((await poller.tracking(id)).events).toHaveLength(2);
  expect(await nextCheck(id)).toBeLessThanOrEqual(0);
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

test('a callback about another parcel is quarantined, and the parcel is checked', async () => {
  const { id, number, sendCallback, nextCheck } = await subscribed();
  await sendCallback({ number, answer: found(COLLECTED, MOVED) });
  await sendCallback({ number, answer: found(scan(0, 'in_transit', 'elsewhere')) });
  const { events, annotations } = await poller.tracking(id);
  expect(events).toHaveLength(2);
  expect(annotations).toHaveProperty('quarantine');
  expect(await nextCheck(id)).toBeLessThanOrEqual(0);
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

test('an account that is not allowed to subscribe still queries', async () => {
  const own = callbackProvider('forbidding');
  own.said.outcome = failed('auth') as never;
  const at = callbackTest(poller, own);
  const ids = [];
  for (let n = 0; n < 2; n++)
    ids.push(await poller.watch(await poller.account(), freshNumber(), { provider: 'forbidding' }));
  for (const id of ids) await at.check(id);
  await at.subscribe();
  expect(own.subscribed).toHaveLength(1);
  expect(await poller.db.providerPause.findUnique({ where: { provider: 'forbidding' } })).toBeNull();
  poller.clock.pass(4000);
  for (const id of ids) await at.check(id);
  expect(own.requested).toHaveLength(4);
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

test('a job that was lost is found again', async () => {
  const own = callbackProvider('losing');
  const at = callbackTest(poller, own);
  const number = freshNumber();
  await at.check(await poller.watch(await poller.account(), number, { provider: 'losing' }));
  expect(await callbackTest(poller, own, { stopCalls: AbortSignal.abort() }).subscribe()).toBe(1);
  expect(own.subscribed).toEqual([]);
  poller.clock.pass(121);
  await at.subscribe();
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

test('a carrier that is corrected back is the first one again', async () => {
  const { id, number, sendCallback, subscription } = await subscribed();
  const [there, back] = [MOVED, scan(3, 'in_transit', 'moved on')];
  await sendCallback({ number, carriers: ['yto', 'zto'], movedTo: 'zto', answer: found(COLLECTED, there) });
  await sendCallback({ number, carriers: ['zto', 'yto'], movedTo: 'yto', answer: found(COLLECTED, there, back) });
  await sendCallback({ number, carriers: ['yto'], answer: found(COLLECTED, there, back, scan(4, 'out_for_delivery')) });
  expect(await poller.tracking(id)).toMatchObject({ carrier: 'yto', subStatus: 'out_for_delivery' });
  expect((await poller.tracking(id)).events).toHaveLength(4);
  expect([(await subscription(number))?.movedTo, (await subscription(number, 'zto'))?.movedTo]).toEqual([null, 'yto']);
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

test('a callback for a number that nobody watches is accepted, and counted', async () => {
  const { sendCallback } = await subscribed();
  expect(await sendCallback({ number: freshNumber() })).toEqual({
    kind: 'accepted',
    numbers: 1,
    unwatched: 1,
    changed: 0,
  });
});
