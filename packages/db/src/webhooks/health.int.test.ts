import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { newAccount, newWebhook } from '@pts/testing/factories';
import type { Db } from '../connection/client.ts';
import { disableEndpoint, holdEndpoint, noteFailure, noteRecovery } from './health.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const daysLater = (days: number) => new Date(NOW.getTime() + days * 86_400_000);

let database: OpenTestDatabase;
let db: Db;
let id: string;
beforeEach(async () => {
  database = await openTestDatabase(2);
  db = database.db;
  id = (await newWebhook(db, await newAccount(db, NOW), NOW)).id;
});
afterEach(() => database.close());
const row = () => db.webhook.findUniqueOrThrow({ where: { id } });

test('an outage lasts from its first failure until a success', async () => {
  expect(await noteFailure(db, id, NOW)).toEqual(NOW);
  expect(await noteFailure(db, id, daysLater(1))).toEqual(NOW);
  expect(await noteFailure(db, id, daysLater(3.5))).toEqual(NOW);
  await noteRecovery(db, id);
  expect(await row()).toMatchObject({ failingSince: null });
  expect(await noteFailure(db, id, daysLater(4))).toEqual(daysLater(4));
});

test('two failures far apart, with nothing between them, are two outages', async () => {
  await noteFailure(db, id, NOW);
  expect(await noteFailure(db, id, daysLater(3.1))).toEqual(daysLater(3.1));
});

test('an endpoint that is deleted or disabled is not marked as failing', async () => {
  await disableEndpoint(db, id, 'why', NOW);
  expect(await noteFailure(db, id, NOW)).toBeNull();
  await db.webhook.delete({ where: { id } });
  expect(await noteFailure(db, id, NOW)).toBeNull();
});

test('it is disabled once, with the reason', async () => {
  expect(await disableEndpoint(db, id, 'it is gone', NOW)).toBe(true);
  expect(await disableEndpoint(db, id, 'another', daysLater(1))).toBe(false);
  expect(await row()).toMatchObject({ enabled: false, disabledReason: 'it is gone', disabledAt: NOW });
});

test('the latest Retry-After counts, and a success ends it', async () => {
  for (const days of [1, 3, 2]) await holdEndpoint(db, id, daysLater(days));
  expect(await row()).toMatchObject({ notBefore: daysLater(3) });
  await noteFailure(db, id, NOW);
  await noteRecovery(db, id);
  expect(await row()).toMatchObject({ notBefore: null });
});
