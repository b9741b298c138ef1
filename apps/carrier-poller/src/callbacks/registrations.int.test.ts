import { claimChecks } from '@pts/db/checks/schedule';
import { listPauses, pauseByOperator } from '@pts/db/providers';
import { updateTracking } from '@pts/db/trackings/records';
import { freshNumber } from '@pts/testing/factories';
import { query } from '../check/query.ts';
import { learnOutage } from '../provider/outages.ts';
import { callbackProvider, callbackTest } from '../testing/test-callbacks.ts';
import { found, openPollerTest, type PollerTest, scan } from '../testing/test-poller.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
});
afterAll(() => poller.close());

const FORGOTTEN = { kind: 'not_found', isUnregistered: true } as const;

/** A number that is registered with its own provider, which answers only about registered numbers. */
async function registered(name: string) {
  const own = callbackProvider(name, { subscribe: 'before-reading' });
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const watch = async () => poller.watch(await poller.account(['tracking_update']), number, { provider: name });
  const id = await watch();
  await at.check(id);
  await at.subscribe();
  return { ...own, ...at, number, id, watch };
}

test('a registration is charged, so a second account and a repeated check do not register again', async () => {
  const { id, number, watch, check, subscribe, subscribed } = await registered('paid');
  const other = await watch();
  await check(other);
  poller.clock.pass(600);
  for (const each of [id, other]) await check(each);
  expect(await subscribe()).toBe(0);
  expect(subscribed).toEqual([number]);
});

test('the probe after a pause is made about a number that is not registered yet, if there is no other', async () => {
  const own = callbackProvider('recovering', { subscribe: 'before-reading' });
  own.said.answer = FORGOTTEN;
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const id = await poller.watch(await poller.account(['tracking_update']), number, { provider: 'recovering' });
  await pauseByOperator(poller.db, 'recovering', {
    until: poller.clock.now(),
    reason: 'contract',
    now: new Date(poller.clock.now().getTime() - 1000),
  });
  const pause = (await listPauses(poller.db)).find(({ provider }) => provider === 'recovering');
  learnOutage(at.deps, pause);
  const wanted = { provider: 'recovering', limit: 1, cadence: at.deps.cadence, now: poller.clock.now() };
  await query(at.deps, { claimed: await claimChecks(poller.db, { ...wanted, isProbe: true }) });
  expect(own.requested).toEqual([number]);
  expect(await listPauses(poller.db)).not.toContainEqual(expect.objectContaining({ provider: 'recovering' }));
  own.said.answer = found(scan(1, 'in_transit'));
  expect(await at.subscribe()).toBe(1);
  await at.check(id);
  expect((await poller.tracking(id)).subStatus).toBe('in_transit');
});

test('a number that was refused is offered again once its merchant gives other fields', async () => {
  const own = callbackProvider('needy', { subscribe: 'before-reading' });
  const at = callbackTest(poller, own);
  const [number, accountId] = [freshNumber(), await poller.account(['tracking_update'])];
  const id = await poller.watch(accountId, number, { provider: 'needy' });
  own.said.outcome = { kind: 'refused', message: 'the phone is missing' };
  await at.check(id);
  await at.subscribe();
  expect(await at.subscription(number)).toMatchObject({ state: 'refused' });
  own.said.outcome = { kind: 'subscribed' };
  const change = (title: string, phone?: string) =>
    updateTracking(at.deps.db, { accountId, id, change: { title, ...(phone && { phone }) }, now: poller.clock.now() });
  await change('shoes');
  expect(await at.subscribe()).toBe(0);
  await change('shoes', '5678');
  expect(await at.subscribe()).toBe(1);
  expect(await at.subscription(number)).toMatchObject({ state: 'active' });
  expect(own.subscribed).toEqual([number, number]);
});

test('a callback that arrives before its registration is answered loses neither the id nor the time of the registration', async () => {
  const own = callbackProvider('prompt', { subscribe: 'before-reading' });
  const at = callbackTest(poller, own);
  const number = freshNumber();
  const id = await poller.watch(await poller.account(['tracking_update']), number, { provider: 'prompt' });
  own.provider.subscribe = async () => {
    await at.sendCallback({ number });
    return [{ kind: 'subscribed', remoteId: 'its-id' }];
  };
  await at.check(id);
  await at.subscribe();
  const [state, subscribedAt] = ['active', poller.clock.now()];
  expect(await at.subscription(number)).toMatchObject({ state, subscribedAt, remoteId: 'its-id', awaitedSince: null });
});
