import type { Db } from '@pts/db/connection/client';
import { recordAttempts } from '@pts/db/deliveries/attempts';
import { storeMessages } from '@pts/db/deliveries/messages';
import { storeRegistrations } from '@pts/db/trackings/register';
import { enabledEndpoints } from '@pts/db/webhooks/endpoints';
import { EXAMPLE } from '../http/example.ts';
import { perSecond } from '../parts/figure.ts';

const BATCH = 40;
const BATCHES = 150;
const WIDTH = 8;

/** Registrations per second, 40 in a statement, of accounts in turn. */
export async function registrationRate(db: Db, accountIds: readonly string[]): Promise<number> {
  return BATCH * (await perSecond(BATCHES, WIDTH, (n) => register(db, accountIds[n % accountIds.length] ?? '', n)));
}

async function register(db: Db, accountId: string, n: number): Promise<void> {
  const registrations = Array.from({ length: BATCH }, (_, place) => ({
    trackingNumber: `RATE${n}X${place}`,
    carrier: 'yto',
    provider: 'scripted',
    detected: true,
  }));
  const result = await storeRegistrations(db, { accountId, quotaLimit: 1_000_000, registrations, now: new Date() });
  if (result.kind !== 'registered') throw new Error(result.kind);
}

/** Deliveries per second: an event with its delivery is stored, then the attempt is recorded; 40 in a statement. */
export async function deliveryRate(db: Db, accountIds: readonly string[]): Promise<number> {
  const endpoints = await enabledEndpoints(db, accountIds);
  const work = async (n: number) => {
    const accountId = accountIds[n % accountIds.length] ?? '';
    const now = new Date();
    const emitted = Array.from({ length: BATCH }, (_, place) => ({
      event: 'tracking_update' as const,
      accountId,
      tracking: { ...EXAMPLE, seq: n * BATCH + place },
    }));
    await db.$hotTransaction((tx) => storeMessages(tx, emitted, endpoints, now));
    const stored = await db.delivery.findMany({ where: { accountId, state: 'owed' }, take: BATCH });
    const outcomes = stored.map(({ messageId, webhookId }) => ({
      ...{ deliveryId: '1', messageId, webhookId, accountId, event: 'tracking_update', attempt: 1, round: 0 },
      ...{ startedAt: now, statusCode: 200, error: null, durationMs: 5, responseExcerpt: null, trace: null },
      ...{ state: 'delivered' as const, nextAttemptAt: null },
    }));
    await recordAttempts(db, outcomes);
  };
  return BATCH * (await perSecond(BATCHES, WIDTH, work));
}
