import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { newAccount, newWebhook, targetOf } from '@pts/testing/factories';
import type { Db } from './connection.ts';
import { disableEndpoint, holdEndpoint, noteFailure, noteRecovery, type PushTarget } from './webhooks.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const daysLater = (days: number) => new Date(NOW.getTime() + days * 86_400_000);

let database: OpenTestDatabase;
let db: Db;
let id: string;
let key: PushTarget;
beforeEach(async () => {
  database = await openTestDatabase(2);
  db = database.db;
  const webhook = await newWebhook(db, await newAccount(db, NOW), NOW);
  id = webhook.id;
  key = targetOf(webhook);
});
afterEach(() => database.close());
const row = () => db.webhook.findUniqueOrThrow({ where: { id } });

test('an outage lasts from its first failure until a success', async () => {
  expect(await noteFailure(db, key, NOW)).toEqual(NOW);
  expect(await noteFailure(db, key, daysLater(1))).toEqual(NOW);
  expect(await noteFailure(db, key, daysLater(3.5))).toEqual(NOW);
  await noteRecovery(db, key);
  expect(await row()).toMatchObject({ failingSince: null });
  expect(await noteFailure(db, key, daysLater(4))).toEqual(daysLater(4));
});

test('two failures far apart, with nothing between them, are two outages', async () => {
  await noteFailure(db, key, NOW);
  expect(await noteFailure(db, key, daysLater(3.1))).toEqual(daysLater(3.1));
});

test('an endpoint that is deleted or disabled is not marked as failing', async () => {
  await disableEndpoint(db, key, 'why', NOW);
  expect(await noteFailure(db, key, NOW)).toBeNull();
  await db.webhook.delete({ where: { id } });
  expect(await noteFailure(db, key, NOW)).toBeNull();
});

test('it is disabled once, with the reason', async () => {
  expect(await disableEndpoint(db, key, 'it is gone', NOW)).toBe(true);
  expect(await disableEndpoint(db, key, 'another', daysLater(1))).toBe(false);
  expect(await row()).toMatchObject({ enabled: false, disabledReason: 'it is gone', disabledAt: NOW });
});

test('the latest Retry-After counts, also after the success of a push that was in flight', async () => {
  for (const days of [1, 3, 2]) await holdEndpoint(db, key, daysLater(days));
  expect(await row()).toMatchObject({ notBefore: daysLater(3) });
  await noteFailure(db, key, NOW);
  await noteRecovery(db, key);
  expect(await row()).toMatchObject({ failingSince: null, notBefore: daysLater(3) });
});

test('what a receiver answers says nothing of the URL that the endpoint has by now', async () => {
  const url = 'https://example.com/moved';
  await db.webhook.update({ where: { id }, data: { url } });
  expect(await noteFailure(db, key, NOW)).toBeNull();
  await holdEndpoint(db, key, daysLater(1));
  expect(await disableEndpoint(db, key, 'it is gone', NOW)).toBe(false);
  expect(await row()).toMatchObject({ enabled: true, failingSince: null, notBefore: null });
  await noteFailure(db, { ...key, url }, NOW);
  await noteRecovery(db, key);
  expect(await row()).toMatchObject({ failingSince: NOW });
});
