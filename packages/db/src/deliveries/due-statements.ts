import { column, columns } from '../connection.ts';
import type { Delivery, Message, Webhook } from '../generated/client.ts';
import { TAKE_FREE_LEASES } from './endpoint-leases.ts';

/** The data that all deliveries of an endpoint share. */
export const ENDPOINT = columns({
  webhookId: column<string>('e."webhookId"'),
  accountId: column<Webhook['accountId']>('e.account_id'),
  url: column<Webhook['url']>('e.url'),
  encryptedSecret: column<Webhook['encryptedSecret']>('e.secret_box'),
  retiredSecrets: column<Webhook['retiredSecrets']>('e.retired_secret_boxes'),
  retiredUntil: column<Webhook['retiredUntil']>('e.retired_secret_until'),
  failingSince: column<Webhook['failingSince']>('e.failing_since'),
});

export const DUE = columns({
  deliveryId: column<string>('d.id::text'),
  messageId: column<Delivery['messageId']>('d.message_id'),
  trackingId: column<Message['trackingId']>('m.tracking_id'),
  event: column<Message['event']>('m.event'),
  body: column<Message['body']>('m.body'),
  /** The attempt that is due, 1 = first. */
  attempt: column<number>('d.attempts + 1'),
  /** The number of redeliveries; each restarts the retry schedule. */
  round: column<Delivery['round']>('d.round'),
  /** Whether this is the first attempt of a live event. */
  fresh: column<Delivery['fresh']>('d.fresh'),
  requestId: column<Message['requestId']>('m.request_id'),
  traceparent: column<Message['traceparent']>('m.traceparent'),
  /** When the event was stored, or this delivery of it by a replay. */
  storedAt: column<Delivery['createdAt']>('d.created_at'),
});

/**
 * The limits and the one-row subqueries keep the planner from reading whole tables, also if it plans while they are empty; "IS TRUE",
 * from reading all messages of an account.
 */
const loadFrom = (before: string, requests: string) => `
  WITH ${before} endpoint AS MATERIALIZED (
    SELECT r.*, w.account_id, w.url, w.secret_box,
      w.retired_secret_boxes, w.retired_secret_until, w.failing_since
    FROM jsonb_to_recordset($1::jsonb) AS r("webhookId" text, "accountId" text, after bigint, "inFlight" bigint[], fresh int, late int) ${requests}
    LEFT JOIN LATERAL (SELECT * FROM public.webhooks WHERE id = r."webhookId" AND (account_id = r."accountId") IS TRUE LIMIT 1) w
      ON w.enabled AND w.drop_before IS NULL AND (w.not_before IS NULL OR w.not_before <= $2::timestamptz)
  )
  SELECT ${ENDPOINT.list}, NULL AS "deliveryId", NULL AS "messageId", NULL AS "trackingId", NULL AS event, NULL AS body,
    NULL::int AS attempt, NULL::int AS round, NULL::bool AS fresh, NULL AS "requestId", NULL AS traceparent,
    NULL::timestamptz AS "storedAt"
  FROM endpoint e
  UNION ALL
  SELECT e."webhookId", NULL, NULL, NULL, NULL, NULL, NULL, ${DUE.list}
  FROM (SELECT * FROM endpoint WHERE account_id IS NOT NULL) e
  CROSS JOIN LATERAL (
    (SELECT * FROM public.deliveries WHERE webhook_id = e."webhookId" AND account_id = e.account_id
       AND state = 'owed' AND fresh AND id > COALESCE(e.after, 0)
     ORDER BY id LIMIT e.fresh)
    UNION ALL
    (SELECT * FROM public.deliveries WHERE webhook_id = e."webhookId" AND account_id = e.account_id
       AND state = 'owed' AND NOT fresh AND next_attempt_at <= $2::timestamptz AND id <> ALL (e."inFlight")
     ORDER BY next_attempt_at LIMIT e.late)
  ) d
  CROSS JOIN LATERAL (SELECT tracking_id, event, body, request_id, traceparent FROM public.messages
    WHERE id = d.message_id AND (account_id = d.account_id) IS TRUE LIMIT 1) m`;
export const LOAD_DUE = loadFrom('', '');
export const TAKE_AND_LOAD = loadFrom(`${TAKE_FREE_LEASES},`, 'JOIN taken ON taken.webhook_id = r."webhookId"');
