import { freshNumber } from '@pts/testing/factories';
import { callbackProvider, callbackTest, SAFETY_NET } from './testing/test-callbacks.ts';
import { found, openPollerTest, type PollerTest, scan } from './testing/test-poller.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
});
afterAll(() => poller.close());

const DAY = 86_400;
const NOTICE = { answer: { kind: 'not_found' }, isThin: true, watch: 'going_on' } as const;

let names = 0;
/** A number at a provider whose callbacks only announce news, and whose subscriptions lapse. */
async function subscribed(more: Parameters<typeof callbackProvider>[1] = {}) {
  const own = callbackProvider(`noticing-${++names}`, { isThin: true, renewSeconds: 12 * DAY, ...more });
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const watch = async () =>
    poller.watch(await poller.account(['tracking_update']), number, { provider: own.provider.name });
  const id = await watch();
  await at.check(id);
  await at.subscribe();
  return { ...own, ...at, number, id, watch, notify: () => at.sendCallback({ number, ...NOTICE }) };
}

test('a callback that only announces news has the parcel read at once; from then on, callbacks update it', async () => {
  const { id, notify, said, check, nextCheck } = await subscribed();
  await notify();
  expect(await nextCheck(id)).toBe(0);
  said.answer = found(scan(1, 'in_transit'), scan(2, 'out_for_delivery'));
  await check(id);
  expect((await poller.tracking(id)).subStatus).toBe('out_for_delivery');
  expect((await poller.check(id))?.pushed).toBe(true);
  expect(await nextCheck(id)).toBeGreaterThan(SAFETY_NET / 2);
});

test('news that no callback announced has the parcel checked regularly again', async () => {
  const { id, notify, said, check, nextCheck, subscription, number } = await subscribed();
  await notify();
  await check(id);
  poller.clock.pass(1.2 * SAFETY_NET);
  said.answer = found(scan(1, 'in_transit'), scan(2, 'out_for_delivery'));
  await check(id);
  expect(await nextCheck(id)).toBeLessThanOrEqual(330);
  expect((await subscription(number))?.awaitedSince).toEqual(poller.clock.now());
});

test('a subscription is renewed before it lapses, retried until that succeeds, and keeps its callbacks in between', async () => {
  const { number, notify, renew, subscribe, subscribed: calls, subscription, id } = await subscribed();
  await notify();
  for (const days of [12.1, 12.1]) {
    await renew();
    expect(await subscribe()).toBe(0);
    poller.clock.pass(days * DAY);
    await renew();
    await notify();
    await renew();
    expect(await subscribe()).toBe(1);
    expect(await subscription(number)).toMatchObject({ state: 'active', retryAt: null, awaitedSince: null });
    expect((await subscription(number))?.subscribedAt).toEqual(poller.clock.now());
  }
  expect(calls).toEqual([number, number, number]);
  expect((await poller.check(id))?.pushed).toBe(true);
});

test('a parcel whose subscription is not renewed is checked regularly', async () => {
  const { id, notify, renew, subscribe, said, nextCheck, check } = await subscribed();
  await notify();
  await check(id);
  poller.clock.pass(12.1 * DAY);
  await renew();
  said.outcome = { kind: 'refused', message: 'no longer' };
  await subscribe();
  expect((await poller.check(id))?.pushed).toBe(false);
  expect(await nextCheck(id)).toBeLessThanOrEqual(0);
});
