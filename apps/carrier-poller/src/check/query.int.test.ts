import { claimChecks } from '@pts/db/checks/schedule';
import { eventually } from '@pts/testing/eventually';
import { freshNumber } from '@pts/testing/factories';
import {
  CADENCE,
  failed,
  found,
  openPollerTest,
  type PollerTest,
  scan,
  scriptedProvider,
  untouchable,
} from '../testing/test-poller.ts';
import { query } from './query.ts';

let poller: PollerTest;
beforeAll(async () => {
  poller = await openPollerTest();
});
afterAll(() => poller.close());
const onTheWay = found(scan(0, 'info_received'), scan(5, 'in_transit'));

/** Claims the carrier's due checks, like the sweep, and queries them. */
async function check(carrier: ReturnType<typeof scriptedProvider>) {
  const { db, clock, depsFor } = poller;
  const claimed = await claimChecks(db, { provider: carrier.name, limit: 40, cadence: CADENCE, now: clock.now() });
  await query(depsFor(carrier), { claimed });
  return claimed;
}

test('the carrier’s answer becomes the snapshot, its events and the status', async () => {
  const number = freshNumber();
  const id = await poller.watch(await poller.account(), number, { provider: 'snapshot' });
  await check(scriptedProvider(() => found(scan(9, 'out_for_delivery'), scan(0, 'in_transit')), { name: 'snapshot' }));
  const tracking = await poller.tracking(id);
  expect(tracking).toMatchObject({ status: '派送中', subStatus: 'out_for_delivery', notice: null, seq: 1 });
  expect(tracking.events).toEqual([scan(0, 'in_transit'), scan(9, 'out_for_delivery')]);
  expect(tracking.latestEvent).toEqual({
    time: '2031-04-01T00:09:00Z',
    location: 'Fennbrook',
    description: 'out_for_delivery',
    status: 'out_for_delivery',
  });
  expect(tracking.answeredAt).toEqual(poller.clock.now());
});

test('an unchanged answer touches no database', async () => {
  const carrier = scriptedProvider(() => onTheWay, { name: 'unchanged' });
  await poller.watch(await poller.account(['tracking_update']), freshNumber(), { provider: 'unchanged' });
  await check(carrier);
  poller.clock.pass(400);
  const claimed = await claimChecks(poller.db, {
    provider: 'unchanged',
    limit: 1,
    cadence: CADENCE,
    now: poller.clock.now(),
  });
  expect(claimed).toHaveLength(1);
  await query(poller.depsFor(carrier, { db: untouchable }), { claimed });
  expect(carrier.calls).toHaveLength(2);
  // The control: a changed answer needs the database.
  const changed = scriptedProvider(() => found(scan(7, 'in_transit')), { name: 'unchanged' });
  await expect(query(poller.depsFor(changed, { db: untouchable }), { claimed })).rejects.toThrow(
    'database was touched',
  );
});

test('an answer that arrives after one to a later query withdraws nothing', async () => {
  const account = await poller.account(['tracking_update', 'tracking_delivered']);
  const id = await poller.watch(account, freshNumber(), { provider: 'overtaken' });
  await check(scriptedProvider(() => found(scan(0, 'info_received')), { name: 'overtaken' }));
  poller.clock.pass(400);
  let answer = (_answer: ReturnType<typeof found>) => {};
  const slow = scriptedProvider(() => new Promise((resolve) => (answer = resolve)), { name: 'overtaken' });
  const slowCheck = check(slow);
  await eventually(() => expect(slow.calls).toHaveLength(1));
  poller.clock.pass(400);
  await check(scriptedProvider(() => found(scan(0, 'info_received'), scan(9, 'delivered')), { name: 'overtaken' }));
  answer(onTheWay);
  await slowCheck;
  expect(await poller.tracking(id)).toMatchObject({ subStatus: 'delivered', seq: 3 });
  expect(await poller.emitted(id)).toEqual(['tracking_update', 'tracking_update', 'tracking_delivered']);
});

test('each endpoint gets exactly the event types it subscribed to, the update first', async () => {
  const account = await poller.account(
    ['tracking_update', 'tracking_delivered'],
    ['tracking_delivered', 'tracking_exception'],
  );
  const id = await poller.watch(account, freshNumber(), { provider: 'kinds' });
  await check(scriptedProvider(() => found(scan(0, 'in_transit'), scan(9, 'delivered')), { name: 'kinds' }));
  expect(await poller.emitted(id)).toEqual(['tracking_update', 'tracking_delivered']);
  const endpoints = await poller.db.webhook.findMany({ where: { accountId: account }, orderBy: { createdAt: 'asc' } });
  const pending = await poller.db.delivery.findMany({
    where: { accountId: account },
    orderBy: { id: 'asc' },
    include: { message: true },
  });
  const received = endpoints.map(({ id, events }) => [
    events.join(),
    pending.filter((delivery) => delivery.webhookId === id).map(({ message }) => message.event),
  ]);
  expect(Object.fromEntries(received)).toEqual({
    'tracking_update,tracking_delivered': ['tracking_update', 'tracking_delivered'],
    'tracking_delivered,tracking_exception': ['tracking_delivered'],
  });
  expect(pending[0]?.message.event).toBe('tracking_update');
  expect(pending).toHaveLength(3);
});

test.each([
  { name: 'needs-input', answer: failed('needs_input'), notice: 'the carrier said needs_input' },
  { name: 'not-found', answer: { kind: 'not_found' } as const, notice: null },
  { name: 'temporary', answer: failed('temporary'), notice: null },
  { name: 'unreadable', answer: failed('unreadable'), notice: null },
])('$name stays 查询中 and is checked again at the regular interval', async ({ name, answer, notice }) => {
  const carrier = scriptedProvider(() => answer, { name });
  const monitored = await poller.watch(await poller.account(['tracking_update']), freshNumber(), { provider: name });
  const idle = await poller.watch(await poller.account(), freshNumber(), { provider: name });
  for (let round = 0; round < 2; round++) {
    await check(carrier);
    expect(await poller.tracking(monitored)).toMatchObject({ status: '查询中', subStatus: 'pending', notice, seq: 0 });
    const next = [await poller.dueIn(monitored), await poller.dueIn(idle)];
    expect(next[0]).toBeGreaterThanOrEqual(270);
    expect(next[0]).toBeLessThanOrEqual(331);
    expect(next[1]).toBeGreaterThanOrEqual(3240);
    expect(next[1]).toBeLessThanOrEqual(3962);
    poller.clock.pass(3962);
  }
  expect(await poller.emitted(monitored)).toEqual([]);
});

test('a job that runs twice changes nothing the second time and creates no second delivery', async () => {
  const carrier = scriptedProvider(() => found(scan(0, 'in_transit'), scan(9, 'delivered')), { name: 'twice' });
  const account = await poller.account(['tracking_update', 'tracking_delivered']);
  const id = await poller.watch(account, freshNumber(), { provider: 'twice' });
  const claimed = await check(carrier);
  // Only the duration of the call may differ.
  const state = async () => {
    const { lastAnswer, ...tracking } = await poller.tracking(id);
    return [tracking, { ...(lastAnswer as object), latencyMs: null }, await poller.check(id)];
  };
  const before = await state();
  await query(poller.depsFor(carrier), { claimed });
  await Promise.all([1, 2, 3].map(() => query(poller.depsFor(carrier), { claimed })));
  expect(await state()).toEqual(before);
  expect(await poller.emitted(id)).toEqual(['tracking_update', 'tracking_delivered']);
  expect(await poller.db.delivery.count({ where: { accountId: account } })).toBe(2);
});
