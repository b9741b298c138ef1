import type { Db } from './client.ts';

/** An attempt that is due, with all that making it takes. */
export type DueDelivery = {
  deliveryId: string;
  messageId: string;
  webhookId: string;
  accountId: string;
  trackingId: string | null;
  event: string;
  body: string;
  /** The attempt that is due, 1 = first. */
  attempt: number;
  /** How often it was redelivered; each time the ladder begins again. */
  round: number;
  /** Whether this is the first attempt of a live event. */
  fresh: boolean;
  url: string;
  secretBox: string;
  previousSecretBox: string | null;
  previousUntil: Date | null;
  failingSince: Date | null;
};

export type DeliveryState = 'owed' | 'delivered' | 'exhausted' | 'cancelled' | 'superseded';

/** What came of an attempt. */
export type AttemptOutcome = {
  deliveryId: string | null;
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
  /** How it went on the wire, for the debug view. */
  trace: object | null;
  state: DeliveryState;
  nextAttemptAt: Date | null;
};

/** An endpoint to load for, and what it has in hand already. */
export type LoadRequest = { webhookId: string; inHand: readonly string[] };

/** How many first attempts and how many late ones are loaded at once for an endpoint. */
export type Page = { fresh: number; late: number };
/** An endpoint that takes little at once is loaded for in small pages, so that a thousand of them need little memory. */
export const PAGES = { small: { fresh: 12, late: 4 }, full: { fresh: 96, late: 32 } } as const satisfies Record<
  string,
  Page
>;

/**
 * Loads a page of what is due to each endpoint: first attempts in the order of their events, and apart from them what
 * comes late. Nothing for an endpoint that is disabled, gone, or asked to be left alone for now.
 * Hand-written: for many endpoints at once, each read is a range of a partial index, whatever the backlog. The limits
 * and the one-row subquery keep the planner from reading whole tables.
 */
export async function loadDue(
  db: Db,
  requests: readonly LoadRequest[],
  now: Date,
  page: Page = PAGES.full,
): Promise<DueDelivery[]> {
  const at = now.toISOString();
  return db.$queryRaw<DueDelivery[]>`
    SELECT d.id::text AS "deliveryId", d.message_id AS "messageId", d.webhook_id AS "webhookId", d.account_id AS "accountId",
      m.tracking_id AS "trackingId", m.event, m.body, d.attempts + 1 AS attempt, d.round, d.fresh, w.url,
      w.secret_box AS "secretBox", w.previous_secret_box AS "previousSecretBox", w.previous_secret_until AS "previousUntil",
      w.failing_since AS "failingSince"
    FROM jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) AS r("webhookId" text, "inHand" bigint[])
    JOIN webhooks w ON w.id = r."webhookId" AND w.enabled AND (w.not_before IS NULL OR w.not_before <= ${at}::timestamptz)
    CROSS JOIN LATERAL (
      (SELECT * FROM deliveries WHERE webhook_id = r."webhookId" AND state = 'owed' AND fresh AND id <> ALL (r."inHand")
       ORDER BY id LIMIT ${page.fresh})
      UNION ALL
      (SELECT * FROM deliveries WHERE webhook_id = r."webhookId" AND state = 'owed' AND NOT fresh
         AND next_attempt_at <= ${at}::timestamptz AND id <> ALL (r."inHand")
       ORDER BY next_attempt_at LIMIT ${page.late})
    ) d
    CROSS JOIN LATERAL (SELECT tracking_id, event, body FROM messages WHERE id = d.message_id LIMIT 1) m`;
}

/**
 * Records attempts and what is owed after them. The attempt number decides races: of two records of the same attempt
 * only the first counts. An attempt that was under way when its delivery was cancelled is recorded all the same.
 */
export async function recordAttempts(db: Db, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const rows = JSON.stringify(firstOfEach(outcomes));
  const ids = outcomes.flatMap(({ deliveryId }) => deliveryId ?? []);
  // The ids are named twice so that the rows are found by their key, also where the planner knows nothing of the table.
  await db.$executeRaw`
    WITH made AS (
      SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS r(
        "deliveryId" bigint, "messageId" text, "webhookId" text, "accountId" text, event text, attempt int, round int,
        "startedAt" timestamptz, "statusCode" int, error text, "durationMs" int, "responseExcerpt" text, trace jsonb,
        state text, "nextAttemptAt" timestamptz)
    ), moved AS (
      UPDATE deliveries d SET attempts = made.attempt, fresh = false,
        state = CASE WHEN made.state = 'owed' THEN d.state ELSE made.state END,
        next_attempt_at = CASE WHEN d.state = 'owed' THEN made."nextAttemptAt" END
      FROM made
      WHERE d.id = made."deliveryId" AND d.id = ANY (${ids}::bigint[]) AND d.attempts = made.attempt - 1 AND d.round = made.round
        AND d.state IN ('owed', 'cancelled')
      RETURNING d.id
    )
    INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, round, started_at,
      status_code, error, duration_ms, response_excerpt, trace, next_attempt_at)
    SELECT "deliveryId", "messageId", "webhookId", "accountId", event, attempt, round, "startedAt", "statusCode", error,
      "durationMs", "responseExcerpt", trace, "nextAttemptAt"
    FROM made WHERE "deliveryId" IS NULL OR "deliveryId" IN (SELECT id FROM moved)`;
}

/** Two records of one attempt in the same batch would be one update but two rows. */
function firstOfEach(outcomes: readonly AttemptOutcome[]): AttemptOutcome[] {
  const seen = new Set<string>();
  return outcomes.filter(({ deliveryId, attempt, round }) => {
    const key = `${deliveryId} ${round} ${attempt}`;
    return deliveryId === null || (!seen.has(key) && seen.add(key));
  });
}

/** An endpoint to which something is owed, and when the first of it is due. */
export type OwedTo = {
  webhookId: string;
  dueAt: Date;
  isFailing: boolean;
  /** Whether nothing may be sent there any more: it is disabled or gone. */
  isClosed: boolean;
};

/**
 * Every endpoint to which something is owed. Hand-written: a loose scan, one step of a partial index per endpoint, so
 * that it costs the same whether an endpoint is owed one delivery or a million.
 */
export async function owedEndpoints(db: Db): Promise<OwedTo[]> {
  return db.$queryRaw<OwedTo[]>`
    WITH RECURSIVE fresh AS (
      (SELECT webhook_id, created_at AS due_at FROM deliveries WHERE state = 'owed' AND fresh ORDER BY webhook_id, id LIMIT 1)
      UNION ALL
      SELECT n.* FROM fresh CROSS JOIN LATERAL (
        SELECT webhook_id, created_at FROM deliveries
        WHERE state = 'owed' AND fresh AND webhook_id > fresh.webhook_id ORDER BY webhook_id, id LIMIT 1) n
    ), late AS (
      (SELECT webhook_id, next_attempt_at AS due_at FROM deliveries WHERE state = 'owed' AND NOT fresh
       ORDER BY webhook_id, next_attempt_at LIMIT 1)
      UNION ALL
      SELECT n.* FROM late CROSS JOIN LATERAL (
        SELECT webhook_id, next_attempt_at FROM deliveries
        WHERE state = 'owed' AND NOT fresh AND webhook_id > late.webhook_id ORDER BY webhook_id, next_attempt_at LIMIT 1) n
    ), owed AS (
      SELECT webhook_id, min(due_at) AS due_at FROM (SELECT * FROM fresh UNION ALL SELECT * FROM late) e GROUP BY webhook_id
    )
    SELECT o.webhook_id AS "webhookId", GREATEST(o.due_at, w.not_before) AS "dueAt",
      w.failing_since IS NOT NULL AS "isFailing", NOT COALESCE(w.enabled, false) AS "isClosed"
    FROM owed o LEFT JOIN webhooks w ON w.id = o.webhook_id`;
}

/** Drops up to `limit` of what is owed to an endpoint, if it is disabled or gone. @returns how many deliveries. */
export async function cancelOwed(db: Db, webhookId: string, limit: number): Promise<number> {
  return db.$executeRaw`
    UPDATE deliveries SET state = 'cancelled', next_attempt_at = NULL
    WHERE id = ANY (ARRAY(
      SELECT id FROM deliveries
      WHERE webhook_id = ${webhookId} AND state = 'owed'
        AND NOT EXISTS (SELECT 1 FROM webhooks WHERE id = ${webhookId} AND enabled)
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
}

/**
 * Drops what newer updates have made pointless, for a failing endpoint that wants it so: of a parcel's undelivered
 * `tracking_update`s only the newest stays owed, since each is a snapshot. The log shows what was dropped, and for what.
 * @returns how many deliveries were dropped.
 */
export async function supersede(db: Db, webhookId: string, now: Date): Promise<number> {
  return db.$executeRaw`
    WITH updates AS (
      SELECT d.id, d.message_id, d.attempts, d.round,
        first_value(d.message_id) OVER newest_first AS newest, row_number() OVER newest_first AS place
      FROM deliveries d JOIN messages m ON m.id = d.message_id
      JOIN webhooks w ON w.id = d.webhook_id AND w.supersede AND w.failing_since IS NOT NULL
      WHERE d.webhook_id = ${webhookId} AND d.state = 'owed' AND m.event = 'tracking_update'
      WINDOW newest_first AS (PARTITION BY m.tracking_id ORDER BY m.seq DESC)
    ), dropped AS (
      UPDATE deliveries d SET state = 'superseded', next_attempt_at = NULL
      FROM updates u WHERE d.id = u.id AND u.place > 1 AND d.state = 'owed' AND d.attempts = u.attempts
      RETURNING d.id, d.message_id, d.webhook_id, d.account_id, d.attempts, d.round, u.newest
    )
    INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, round, started_at,
      status_code, error, duration_ms)
    SELECT id, message_id, webhook_id, account_id, 'tracking_update', attempts + 1, round, ${now.toISOString()}::timestamptz,
      0, 'superseded: not sent, message ' || newest || ' has a newer state of this parcel', 0
    FROM dropped ON CONFLICT DO NOTHING`;
}
