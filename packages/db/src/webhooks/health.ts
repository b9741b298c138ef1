import { type EndpointKey, OUTAGE_GAP_MS } from '@pts/core/webhook/endpoint';
import type { Db } from '../connection.ts';
import { column, columns, rows } from '../connection.ts';
import { Prisma, type Webhook } from '../generated/client.ts';

const FAILING_SINCE = columns({ failingSince: column<Webhook['failingSince']>('failing_since') });

/** Where a push was sent. Its result says nothing of another URL that the endpoint has by now. */
export type PushTarget = EndpointKey & { url: string };

/**
 * Records a failed attempt. Failures far apart are not one outage: after a long pause, a new one starts.
 * @returns since when the endpoint has been failing; null if it is deleted or disabled, or has another URL.
 */
export async function noteFailure(db: Db, { webhookId, accountId, url }: PushTarget, now: Date): Promise<Date | null> {
  const at = now.toISOString();
  const sameOutage = new Date(now.getTime() - OUTAGE_GAP_MS).toISOString();
  const [row] = await rows(
    db,
    FAILING_SINCE,
    (list) => Prisma.sql`
      UPDATE public.webhooks SET last_failed_at = ${at}::timestamptz,
        failing_since = CASE WHEN last_failed_at >= ${sameOutage}::timestamptz THEN COALESCE(failing_since, ${at}::timestamptz)
          ELSE ${at}::timestamptz END
      WHERE id = ${webhookId} AND account_id = ${accountId} AND url = ${url} AND enabled
      RETURNING ${list}`,
  );
  return row?.failingSince ?? null;
}

/** Records a success of an endpoint that was failing. A push that was in flight already does not end a requested delay. */
export async function noteRecovery(db: Db, { webhookId, accountId, url }: PushTarget): Promise<void> {
  await db.webhook.updateMany({
    where: { id: webhookId, accountId, url, failingSince: { not: null } },
    data: { failingSince: null },
  });
}

/** Delays deliveries until the time that the endpoint requested; never shortens an earlier delay. */
export async function holdEndpoint(db: Db, { webhookId, accountId, url }: PushTarget, until: Date): Promise<void> {
  await db.webhook.updateMany({
    where: { id: webhookId, accountId, url, OR: [{ notBefore: null }, { notBefore: { lt: until } }] },
    data: { notBefore: until },
  });
}

/** Ends such a delay: somebody knows that the endpoint accepts deliveries again. */
export async function releaseEndpoint(db: Db, { webhookId, accountId }: EndpointKey): Promise<void> {
  await db.webhook.updateMany({ where: { id: webhookId, accountId }, data: { notBefore: null } });
}

/**
 * Disables an endpoint and stores the reason for its owner.
 * @param endpoint.url only if it has this URL.
 * @returns whether it was enabled until now.
 */
export async function disableEndpoint(
  db: Db,
  { webhookId, accountId, url }: EndpointKey & { url?: string },
  reason: string,
  now: Date,
): Promise<boolean> {
  const { count } = await db.webhook.updateMany({
    where: { id: webhookId, accountId, enabled: true, ...(url === undefined ? {} : { url }) },
    data: { enabled: false, disabledReason: reason, disabledAt: now, dropBefore: now },
  });
  return count > 0;
}
