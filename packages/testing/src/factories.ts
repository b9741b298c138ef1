import { toUtcSeconds } from '@pts/core/time';
import type { Found } from '@pts/core/tracking/answer';
import type { EventKind } from '@pts/core/tracking/status';
import type { EndpointKey, PendingEndpoint } from '@pts/core/webhook/endpoint';
import { takeStreamLease } from '@pts/db/accounts/accounts';
import { type Db, openDatabase } from '@pts/db/connection';
import type { AttemptOutcome, DueDelivery, LoadRequest } from '@pts/db/deliveries/attempts';
import { freshId } from '@pts/db/ids';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { type Registration, storeRegistrations } from '@pts/db/trackings/register';
import { insertWebhook, type PushTarget, type Webhook } from '@pts/db/webhooks';
import { createAccount } from '@pts/service/accounts';
import { PATIENT } from './database.ts';

/** A new account for one test. @returns its id. */
export async function newAccount(db: Db, now: Date): Promise<string> {
  const { account } = await createAccount({ db, now: () => now }, { name: 'Merchant', plan: 'enterprise' });
  return account.id;
}

/**
 * Registers numbers, due now, of `yto` at a provider named `scripted` unless `more` says otherwise. @returns their ids,
 * in order.
 */
export async function newTrackings(
  db: Db,
  accountId: string,
  numbers: readonly string[],
  now: Date,
  more: Partial<Registration> = {},
): Promise<string[]> {
  const registrations = numbers.map((trackingNumber) => ({
    trackingNumber,
    carrier: 'yto',
    provider: 'scripted',
    detected: true,
    ...more,
  }));
  const result = await storeRegistrations(db, { accountId, quotaLimit: 1_000_000, registrations, now });
  if (result.kind !== 'registered') throw new Error(`the factory could not register: ${result.kind}`);
  return result.trackings.map(({ id }) => id);
}

let endpoints = 0;

/** An enabled endpoint, with its own URL and all events unless `more` says otherwise. */
export async function newWebhook(
  db: Db,
  accountId: string,
  now: Date,
  more: { url?: string; events?: EventKind[]; encryptedSecret?: string } = {},
): Promise<Webhook> {
  endpoints += 1;
  return insertWebhook(db, {
    id: freshId(now),
    accountId,
    url: `https://example.com/${endpoints}`,
    events: ['tracking_update', 'tracking_delivered', 'tracking_exception'],
    encryptedSecret: 'sealed',
    createdAt: now,
    ...more,
  });
}

let numbers = 0;

/** A tracking number that no other test of this process has. */
export function freshNumber(): string {
  numbers += 1;
  return `YT${String(numbers).padStart(13, '0')}`;
}

/**
 * Adds a parcel of the account with its first scan, so that an update is pending for its endpoints. @returns the
 * endpoints to wake.
 */
export async function newDeliveries(db: Db, accountId: string, now: Date): Promise<PendingEndpoint[]> {
  const [trackingId = ''] = await newTrackings(db, accountId, [freshNumber()], now);
  const time = toUtcSeconds(now);
  const scan = {
    time,
    timeRaw: time,
    zoneSource: 'carrier',
    location: '云溪市',
    description: '已取件',
    status: 'in_transit',
  };
  const answer = { kind: 'found', scans: [scan] } as Found;
  const cadence = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
  return saveAnswers(db, [{ trackingId, answer, fingerprint: 'first', finalLook: false }], cadence, now);
}

/** How the dispatcher names an endpoint. */
export function keyOf({ id, accountId }: Pick<Webhook, 'id' | 'accountId'>): EndpointKey {
  return { webhookId: id, accountId };
}

/** Where a push to an endpoint goes. */
export function targetOf(webhook: Pick<Webhook, 'id' | 'accountId' | 'url'>): PushTarget {
  return { ...keyOf(webhook), url: webhook.url };
}

/** A request for `loadDue`: everything due to an endpoint, from the start. */
export function allDue(webhook: Pick<Webhook, 'id' | 'accountId'>): LoadRequest {
  return { ...keyOf(webhook), after: null, inFlight: [], page: { fresh: 96, late: 32 } };
}

/** The outcome of a due attempt: delivered with a 200, unless `more` says otherwise. */
export function attemptOf(
  { deliveryId, messageId, webhookId, accountId, event, attempt, round }: DueDelivery,
  more: Partial<AttemptOutcome> & Pick<AttemptOutcome, 'startedAt'>,
): AttemptOutcome {
  return {
    deliveryId,
    messageId,
    webhookId,
    accountId,
    event,
    attempt,
    round,
    statusCode: 200,
    error: null,
    durationMs: 12,
    responseExcerpt: null,
    trace: null,
    state: 'delivered',
    nextAttemptAt: null,
    ...more,
  };
}

/** Has an account with a running stream: somebody waits for first answers, until its lease ends after half a minute. */
export async function leaseStream(databaseUrl: string, now = new Date()): Promise<void> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1, ...PATIENT });
  try {
    await takeStreamLease(db, { accountId: await newAccount(db, now), max: 1, now });
  } finally {
    await db.$disconnect();
  }
}

/** The same for as long as any test takes. */
export const leaseLongStream = (databaseUrl: string) => leaseStream(databaseUrl, new Date(Date.now() + 86_400_000));
