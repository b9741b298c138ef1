import type { Origin } from '@pts/core/process/origin';
import type { EventKind } from '@pts/core/tracking/status';
import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import { type PushedTracking, trackingMessage } from '@pts/core/webhook/push';
import type { HotTx } from '../connection.ts';
import { hotExecute } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import type { WebhookEndpoint } from '../webhooks/endpoints.ts';

/** An event that a change emitted, and what it goes back to, if that is known. */
export type Emitted = { event: EventKind; accountId: string; tracking: PushedTracking; origin?: Origin };

/**
 * Stores each event's exact body once, and a delivery for every enabled endpoint that subscribed to it. All deliveries
 * of one call are in the order of `emitted`, so a parcel's update is sent before the events that follow from it. An event
 * that is stored already, as in tables that were restored from different times, is left as it is.
 * @returns the endpoints to wake, each once.
 */
export async function storeMessages(
  tx: HotTx,
  emitted: readonly Emitted[],
  endpoints: readonly WebhookEndpoint[],
  now: Date,
): Promise<PendingEndpoint[]> {
  if (emitted.length === 0) return [];
  const messages = emitted.map((entry) => ({
    account_id: entry.accountId,
    tracking_id: entry.tracking.id,
    event: entry.event,
    seq: entry.tracking.seq,
    request_id: entry.origin?.requestId,
    traceparent: entry.origin?.traceparent,
    expected: entry.event === 'tracking_delivered' ? entry.tracking.annotations?.firstEstimate : undefined,
    ...trackingMessage(entry.event, now, entry.tracking),
  }));
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const storing = Prisma.sql`
    INSERT INTO public.messages (id, account_id, tracking_id, event, seq, body, request_id, traceparent, expected, created_at)
    SELECT id, account_id, tracking_id, event, seq, body, request_id, traceparent, expected, ${at}
    FROM jsonb_to_recordset(${JSON.stringify(messages)}::jsonb)
      AS r(id text, account_id text, tracking_id text, event text, seq int, body text, request_id text, traceparent text,
        expected jsonb)
    ON CONFLICT DO NOTHING`;
  const pending = messages.flatMap((message) =>
    endpoints
      .filter((endpoint) => endpoint.accountId === message.account_id && endpoint.events.includes(message.event))
      .map((endpoint) => ({ message_id: message.id, webhook_id: endpoint.id, account_id: message.account_id })),
  );
  await hotExecute(
    tx,
    pending.length === 0 ? storing : Prisma.sql`WITH stored AS (${storing}) ${delivering(pending, at)}`,
  );
  const pendingFor = new Set(pending.map(({ webhook_id }) => webhook_id));
  return endpoints.flatMap(({ id, accountId, failingSince }) =>
    pendingFor.delete(id) ? [{ webhookId: id, accountId, isFailing: failingSince !== null }] : [],
  );
}

function delivering(
  pending: readonly { message_id: string; webhook_id: string; account_id: string }[],
  at: Prisma.Sql,
): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO public.deliveries (message_id, webhook_id, account_id, next_attempt_at, created_at)
    SELECT message_id, webhook_id, account_id, ${at}, ${at}
    FROM jsonb_to_recordset(${JSON.stringify(pending)}::jsonb) AS r(message_id text, webhook_id text, account_id text)
    ON CONFLICT (message_id, webhook_id) DO NOTHING`;
}
