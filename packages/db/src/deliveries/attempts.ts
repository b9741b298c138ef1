import type { HotTx } from '../connection/hot.ts';
import { column, columns, type RowOf } from '../connection/rows.ts';
import type { Delivery, Message, Webhook } from '../generated/client.ts';

/** The data that all deliveries of an endpoint share. */
const ENDPOINT = columns({
  webhookId: column<string>('e."webhookId"'),
  accountId: column<Webhook['accountId']>('e.account_id'),
  url: column<Webhook['url']>('e.url'),
  encryptedSecret: column<Webhook['encryptedSecret']>('e.secret_box'),
  previousEncryptedSecret: column<Webhook['previousEncryptedSecret']>('e.previous_secret_box'),
  previousUntil: column<Webhook['previousUntil']>('e.previous_secret_until'),
  retiredSecrets: column<Webhook['retiredSecrets']>('e.retired_secret_boxes'),
  retiredUntil: column<Webhook['retiredUntil']>('e.retired_secret_until'),
  failingSince: column<Webhook['failingSince']>('e.failing_since'),
});

const DUE = columns({
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
});

type EndpointRow = RowOf<typeof ENDPOINT> & { deliveryId: null };
type DueRow = RowOf<typeof DUE> & { webhookId: string };

/** A due attempt, with everything needed to send it. */
export type DueDelivery = RowOf<typeof ENDPOINT> & RowOf<typeof DUE>;

export type DeliveryState = 'owed' | 'delivered' | 'exhausted' | 'cancelled' | 'superseded';

/** The result of an attempt. */
export type AttemptOutcome = {
  deliveryId: string;
  messageId: string;
  webhookId: string;
  accountId: string;
  event: string;
  attempt: number;
  round: number;
  startedAt: Date;
  /** 0: no answer. */
  statusCode: number;
  error: string | null;
  durationMs: number;
  responseExcerpt: string | null;
  /** What was sent and received, for the debug view. */
  trace: object | null;
  state: DeliveryState;
  nextAttemptAt: Date | null;
};

/** Page sizes of first attempts and of late ones, for each endpoint. */
export type Page = { fresh: number; late: number };

/** An endpoint to load for, and the position reached so far. */
export type LoadRequest = {
  webhookId: string;
  /** The id of the last first attempt that was loaded: only later ones follow. Null: from the beginning. */
  after: string | null;
  /** Late ones that were loaded and are not yet recorded. */
  inFlight: readonly string[];
  page: Page;
};

/**
 * Loads a page of due deliveries for each endpoint: first attempts in the order of their events, and separately the
 * late ones. Nothing for an endpoint that is disabled, deleted, or asked to wait (Retry-After).
 * Hand-written: for many endpoints at once, each read is a range of a partial index, whatever the backlog, and begins
 * after the last row read. What all deliveries of an endpoint share comes in a separate row.
 */
export async function loadDue({ $hot }: HotTx, requests: readonly LoadRequest[], now: Date): Promise<DueDelivery[]> {
  const flat = requests.map(({ page, ...request }) => ({ ...request, ...page }));
  const rows = (await $hot(LOAD_DUE, [JSON.stringify(flat), now.toISOString()])) as (EndpointRow | DueRow)[];
  const endpoints = new Map<string, EndpointRow>();
  for (const row of rows) if (row.deliveryId === null) endpoints.set(row.webhookId, row);
  return rows.flatMap((row) => {
    const endpoint = endpoints.get(row.webhookId);
    return row.deliveryId === null || !endpoint ? [] : dueDelivery(row, endpoint);
  });
}

/** Field by field: spreading two objects into one takes as long as signing. */
function dueDelivery(row: DueRow, endpoint: EndpointRow): DueDelivery {
  return {
    deliveryId: row.deliveryId,
    messageId: row.messageId,
    webhookId: row.webhookId,
    accountId: endpoint.accountId,
    trackingId: row.trackingId,
    event: row.event,
    body: row.body,
    attempt: row.attempt,
    round: row.round,
    fresh: row.fresh,
    url: endpoint.url,
    encryptedSecret: endpoint.encryptedSecret,
    previousEncryptedSecret: endpoint.previousEncryptedSecret,
    previousUntil: endpoint.previousUntil,
    retiredSecrets: endpoint.retiredSecrets,
    retiredUntil: endpoint.retiredUntil,
    failingSince: endpoint.failingSince,
  };
}

/** The limits and the one-row subqueries keep the planner from reading whole tables, also if it plans while they are empty. */
const LOAD_DUE = `
  WITH endpoint AS MATERIALIZED (
    SELECT r.*, w.account_id, w.url, w.secret_box, w.previous_secret_box, w.previous_secret_until,
      w.retired_secret_boxes, w.retired_secret_until, w.failing_since
    FROM jsonb_to_recordset($1::jsonb) AS r("webhookId" text, after bigint, "inFlight" bigint[], fresh int, late int)
    CROSS JOIN LATERAL (SELECT * FROM public.webhooks WHERE id = r."webhookId" LIMIT 1) w
    WHERE w.enabled AND (w.not_before IS NULL OR w.not_before <= $2::timestamptz)
  )
  SELECT ${ENDPOINT.list}, NULL AS "deliveryId", NULL AS "messageId", NULL AS "trackingId", NULL AS event, NULL AS body,
    NULL::int AS attempt, NULL::int AS round, NULL::bool AS fresh
  FROM endpoint e
  UNION ALL
  SELECT e."webhookId", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ${DUE.list}
  FROM endpoint e
  CROSS JOIN LATERAL (
    (SELECT * FROM public.deliveries WHERE webhook_id = e."webhookId" AND state = 'owed' AND fresh AND id > COALESCE(e.after, 0)
     ORDER BY id LIMIT e.fresh)
    UNION ALL
    (SELECT * FROM public.deliveries WHERE webhook_id = e."webhookId" AND state = 'owed' AND NOT fresh
       AND next_attempt_at <= $2::timestamptz AND id <> ALL (e."inFlight")
     ORDER BY next_attempt_at LIMIT e.late)
  ) d
  CROSS JOIN LATERAL (SELECT tracking_id, event, body FROM public.messages WHERE id = d.message_id LIMIT 1) m`;

/**
 * Records attempts and the deliveries that are pending after them. The attempt number decides races: of two records of the same
 * attempt only the first counts. An attempt that was in flight when its delivery was cancelled is still recorded.
 */
export async function recordAttempts({ $hot }: HotTx, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const rows = firstOfEach(outcomes);
  const ids = rows.map(({ deliveryId }) => deliveryId);
  await $hot(RECORD_ATTEMPTS, [JSON.stringify(rows.map(made)), ids]);
}

/** What the row of the delivery does not contain; nulls are omitted. */
function made(outcome: AttemptOutcome): object {
  return {
    deliveryId: outcome.deliveryId,
    event: outcome.event,
    attempt: outcome.attempt,
    round: outcome.round,
    startedAt: outcome.startedAt,
    statusCode: outcome.statusCode,
    error: outcome.error ?? undefined,
    durationMs: outcome.durationMs,
    responseExcerpt: outcome.responseExcerpt ?? undefined,
    trace: outcome.trace ?? undefined,
    state: outcome.state,
    nextAttemptAt: outcome.nextAttemptAt ?? undefined,
  };
}

/** The ids appear twice so that the planner finds the rows by key, even without statistics of the table. */
const RECORD_ATTEMPTS = `
  WITH moved AS (
    UPDATE public.deliveries d SET attempts = made.attempt, fresh = false,
      state = CASE WHEN made.state = 'owed' THEN d.state ELSE made.state END,
      next_attempt_at = CASE WHEN d.state = 'owed' THEN made."nextAttemptAt" END
    FROM jsonb_to_recordset($1::jsonb) AS made(
      "deliveryId" bigint, event text, attempt int, round int, "startedAt" timestamptz, "statusCode" int, error text,
      "durationMs" int, "responseExcerpt" text, trace jsonb, state text, "nextAttemptAt" timestamptz)
    WHERE d.id = made."deliveryId" AND d.id = ANY ($2::bigint[]) AND d.attempts = made.attempt - 1 AND d.round = made.round
      AND d.state IN ('owed', 'cancelled')
    RETURNING d.id, d.message_id, d.webhook_id, d.account_id, made.event, made.attempt, made.round, made."startedAt",
      made."statusCode", made.error, made."durationMs", made."responseExcerpt", made.trace, made."nextAttemptAt"
  )
  INSERT INTO public.delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, round, started_at,
    status_code, error, duration_ms, response_excerpt, trace, next_attempt_at)
  SELECT * FROM moved`;

/** Two records of one attempt in the same batch would become one update, by an arbitrary one of them. */
function firstOfEach(outcomes: readonly AttemptOutcome[]): AttemptOutcome[] {
  const seen = new Set<string>();
  return outcomes.filter(({ deliveryId, attempt, round }) => {
    const key = `${deliveryId} ${round} ${attempt}`;
    return !seen.has(key) && seen.add(key);
  });
}
