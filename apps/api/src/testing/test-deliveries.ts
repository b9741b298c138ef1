import { type AttemptOutcome, type DueDelivery, loadDue, recordAttempts } from '@pts/db/deliveries/attempts';
import { allDue, attemptOf, newDeliveries } from '@pts/testing/factories';
import type { TestApi } from './test-api.ts';

export type TestWebhook = { id: string; accountId: string; secret: string; url: string };
export type TestMerchant = { accountId: string; key: string; webhook: TestWebhook };

export const ALL_EVENTS = ['tracking_update', 'tracking_delivered', 'tracking_exception'];

let urls = 0;

/** An account with a webhook that gets every event. */
export async function newMerchant(api: TestApi): Promise<TestMerchant> {
  const { id: accountId, key } = await api.account();
  return { accountId, key, webhook: await newTestWebhook(api, key) };
}

export async function newTestWebhook(api: TestApi, key: string, more: object = {}): Promise<TestWebhook> {
  urls += 1;
  const body = { url: `https://example.com/${urls}`, events: ALL_EVENTS, ...more };
  const { data } = (await api.call('POST', '/webhooks', { key, body })).body;
  const { accountId } = await api.db.webhook.findUniqueOrThrow({ where: { id: data.id } });
  return { ...data, accountId };
}

/** Moves parcels of a merchant. @returns the pending deliveries of its webhook. */
export async function addPending(
  { db }: TestApi,
  { accountId, webhook }: TestMerchant,
  count = 1,
  at = new Date(),
): Promise<DueDelivery[]> {
  for (let n = 0; n < count; n++) await newDeliveries(db, accountId, at);
  return loadDue(db, [allDue(webhook)], at);
}

/** Records an attempt of a pending delivery: delivered, unless `more` says otherwise. @returns the id of its record. */
export async function attempted(
  { db }: TestApi,
  delivery: DueDelivery,
  more: Partial<AttemptOutcome> = {},
): Promise<string> {
  const { messageId, webhookId } = delivery;
  await recordAttempts(db, [attemptOf(delivery, { startedAt: new Date(), ...more })]);
  const row = await db.deliveryAttempt.findFirstOrThrow({ where: { messageId, webhookId }, orderBy: { id: 'desc' } });
  return row.id;
}

/** A message that a merchant's webhook has accepted. @returns the id of its record. */
export async function newRecord(api: TestApi, merchant: TestMerchant, more: Partial<AttemptOutcome> = {}) {
  const [delivery] = await addPending(api, merchant);
  if (!delivery) throw new Error('nothing is pending');
  return { delivery, id: await attempted(api, delivery, more) };
}

export const FAILED = {
  statusCode: 500,
  error: 'the receiver responded with 500; only 200 to 299 counts as success',
} as const;
