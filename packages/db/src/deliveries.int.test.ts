import { testDatabase } from '@pts/testing/database';
import { newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { type Db, openDatabase } from './client.ts';
import {
  type AttemptOutcome,
  cancelUndeliverable,
  type DueDelivery,
  listAttempts,
  loadDue,
  recordAttempts,
  sweepOwed,
} from './deliveries.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolSize: 10 });
});
afterEach(async () => {
  await db.$disconnect();
  await database.close();
});

async function owed(count = 1) {
  const account = await newAccount(db, NOW);
  const webhook = await newWebhook(db, account, NOW);
  const deliveries = [];
  for (let n = 0; n < count; n++) deliveries.push(...(await newDeliveries(db, account, NOW)));
  return { account, webhook, deliveries };
}
async function due() {
  const { account, webhook, deliveries } = await owed();
  const [delivery] = await loadDue(db, deliveries, NOW);
  if (!delivery) throw new Error('nothing is due');
  return { account, webhook, delivery, deliveries };
}
const REFUSED = { statusCode: 500, error: 'the receiver answered 500', durationMs: 12, responseExcerpt: 'no' };
function refused(delivery: DueDelivery, attempt = 1, more: Partial<AttemptOutcome> = {}): AttemptOutcome {
  const { deliveryId, messageId, webhookId, accountId, event } = delivery;
  return {
    ...{ deliveryId, messageId, webhookId, accountId, event, attempt, startedAt: NOW, ...REFUSED },
    ...{ state: 'owed', nextAttemptAt: later(30), wakeAt: later(45), ...more },
  };
}
const accepted = (delivery: DueDelivery, attempt: number) =>
  refused(delivery, attempt, { statusCode: 200, error: null, state: 'delivered', nextAttemptAt: null, wakeAt: null });
const row = ({ deliveryId }: { deliveryId: string }) =>
  db.delivery.findUniqueOrThrow({ where: { id: BigInt(deliveryId) } });

test('a due delivery is loaded with all that sending it takes', async () => {
  const { account, webhook, delivery, deliveries } = await due();
  expect(deliveries).toEqual([{ deliveryId: delivery.deliveryId, attempt: 1 }]);
  expect(delivery).toMatchObject({ accountId: account, webhookId: webhook.id, url: webhook.url, attempt: 1 });
  expect(delivery).toMatchObject({ event: 'tracking_update', secretBox: 'sealed', previousSecretBox: null });
  expect(JSON.parse(delivery.body)).toMatchObject({ event: 'tracking_update', data: { status: '查询中' } });
});

test('only the very attempt that is due is loaded, and a little early counts as due', async () => {
  const { delivery } = await due();
  const { deliveryId } = delivery;
  expect(await loadDue(db, [{ deliveryId, attempt: 2 }], later(99))).toEqual([]);
  await recordAttempts(db, [refused(delivery)]);
  expect(await loadDue(db, [{ deliveryId, attempt: 1 }], later(99))).toEqual([]);
  expect(await loadDue(db, [{ deliveryId, attempt: 2 }], later(28.9))).toEqual([]);
  // The wake-up was timed by another machine's clock.
  expect(await loadDue(db, [{ deliveryId, attempt: 2 }], later(29.5))).toHaveLength(1);
  expect(await loadDue(db, [{ deliveryId, attempt: 2 }], later(30))).toMatchObject([{ deliveryId, attempt: 2 }]);
});

test('nothing is loaded for an endpoint that is disabled or gone', async () => {
  const { webhook, deliveries } = await due();
  await db.webhook.update({ where: { id: webhook.id }, data: { enabled: false } });
  expect(await loadDue(db, deliveries, NOW)).toEqual([]);
  await db.webhook.delete({ where: { id: webhook.id } });
  expect(await loadDue(db, deliveries, NOW)).toEqual([]);
});

test('a recorded attempt moves its delivery on, and is listed', async () => {
  const { account, delivery } = await due();
  await recordAttempts(db, [refused(delivery)]);
  expect(await row(delivery)).toMatchObject({
    state: 'owed',
    attempts: 1,
    nextAttemptAt: later(30),
    wakeAt: later(45),
  });
  await recordAttempts(db, [accepted(delivery, 2)]);
  expect(await row(delivery)).toMatchObject({ state: 'delivered', attempts: 2, nextAttemptAt: null, wakeAt: null });
  const { deliveryId: _, ...fields } = delivery;
  expect(await listAttempts(db, account, 50)).toMatchObject([
    { webhookId: fields.webhookId, event: fields.event, attempt: 2, statusCode: 200, error: null, nextAttemptAt: null },
    { messageId: fields.messageId, attempt: 1, startedAt: NOW, nextAttemptAt: later(30), ...REFUSED },
  ]);
});

test('of records of the same attempt that race, only the first counts', async () => {
  const { account, delivery } = await due();
  const outcomes = Array.from({ length: 8 }, (_, n) => refused(delivery, 1, { statusCode: 500 + n }));
  await Promise.all(outcomes.map((outcome) => recordAttempts(db, [outcome])));
  const [attempt, ...others] = await listAttempts(db, account, 50);
  expect(others).toEqual([]);
  expect(attempt?.attempt).toBe(1);
  expect(await row(delivery)).toMatchObject({ attempts: 1, nextAttemptAt: later(30) });
});

test('also in one batch, without harm to the other records of the batch', async () => {
  const { account, deliveries } = await owed(2);
  const [one, two] = await loadDue(db, deliveries, NOW);
  if (!one || !two) throw new Error('nothing is due');
  await recordAttempts(db, [refused(one), accepted(one, 1), refused(two)]);
  expect(await listAttempts(db, account, 50)).toHaveLength(2);
  expect(await row(one)).toMatchObject({ state: 'owed', attempts: 1 });
});

test('a late record of an attempt undoes nothing', async () => {
  const { account, delivery } = await due();
  await recordAttempts(db, [accepted(delivery, 1)]);
  await recordAttempts(db, [refused(delivery, 1), refused(delivery, 2), refused(delivery, 3)]);
  expect(await row(delivery)).toMatchObject({ state: 'delivered', attempts: 1 });
  expect(await listAttempts(db, account, 50)).toHaveLength(1);
});

test('attempts that belong to no delivery, as pings, are all listed', async () => {
  const { account, delivery } = await due();
  const ping = refused(delivery, 1, { deliveryId: null, event: 'ping', nextAttemptAt: null, wakeAt: null });
  await recordAttempts(db, [ping, ping]);
  expect((await listAttempts(db, account, 50)).map(({ event }) => event)).toEqual(['ping', 'ping']);
  expect(await listAttempts(db, account, 1)).toHaveLength(1);
  expect(await listAttempts(db, await newAccount(db, NOW), 50)).toEqual([]);
});

test('the sweep takes what nobody looked after, once per grace period, whoever sweeps', async () => {
  const { deliveries } = await owed(60);
  const sweep = async (seconds: number) =>
    (await Promise.all([1, 2, 3, 4].map(() => sweepOwed(db, 20, later(seconds))))).flat();
  expect(await sweep(14)).toEqual([]);
  const swept = await sweep(15);
  expect(swept.map(({ deliveryId }) => deliveryId).sort()).toEqual(
    deliveries.map(({ deliveryId }) => deliveryId).sort(),
  );
  expect(swept[0]).toMatchObject({ attempt: 1, dueAt: NOW });
  expect(await sweep(29)).toEqual([]);
  expect(await sweep(30)).toHaveLength(60);
});

test('a later attempt is swept a little ahead of its time, and then left alone until it is due', async () => {
  const { delivery } = await due();
  await recordAttempts(db, [refused(delivery, 1, { nextAttemptAt: later(600), wakeAt: later(580) })]);
  expect(await sweepOwed(db, 9, later(579))).toEqual([]);
  expect(await sweepOwed(db, 9, later(580))).toEqual([
    { deliveryId: delivery.deliveryId, attempt: 2, dueAt: later(600) },
  ]);
  expect(await sweepOwed(db, 9, later(614))).toEqual([]);
  expect(await sweepOwed(db, 9, later(615))).toHaveLength(1);
});

test('what is owed to endpoints that are disabled or gone is cancelled, nothing else', async () => {
  const [disabled, gone, kept] = [await owed(2), await owed(1), await owed(1)];
  await db.webhook.update({ where: { id: disabled.webhook.id }, data: { enabled: false } });
  await db.webhook.delete({ where: { id: gone.webhook.id } });
  expect(await cancelUndeliverable(db)).toBe(3);
  expect(await cancelUndeliverable(db)).toBe(0);
  expect((await sweepOwed(db, 99, later(99))).map(({ deliveryId }) => deliveryId)).toEqual(
    kept.deliveries.map(({ deliveryId }) => deliveryId),
  );
});

test('an attempt under way when its delivery is cancelled is recorded, and no other is owed', async () => {
  const { account, webhook, delivery } = await due();
  await db.webhook.update({ where: { id: webhook.id }, data: { enabled: false } });
  await cancelUndeliverable(db);
  await recordAttempts(db, [refused(delivery)]);
  expect(await row(delivery)).toMatchObject({ state: 'cancelled', attempts: 1, nextAttemptAt: null, wakeAt: null });
  expect(await listAttempts(db, account, 50)).toHaveLength(1);
});
