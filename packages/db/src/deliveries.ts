import type { Db } from './client.ts';
import { type OwedDelivery, WAKE_GRACE_SECONDS } from './messages.ts';

/** A delivery whose attempt is due, with all that sending it takes. */
export type DueDelivery = {
  deliveryId: string;
  messageId: string;
  webhookId: string;
  accountId: string;
  event: string;
  body: string;
  /** The attempt that is due, 1 = first. */
  attempt: number;
  url: string;
  secretBox: string;
  previousSecretBox: string | null;
  previousUntil: Date | null;
};

export type DeliveryState = 'owed' | 'delivered' | 'exhausted' | 'cancelled';

/** What came of an attempt. */
export type AttemptOutcome = {
  deliveryId: string | null;
  messageId: string;
  webhookId: string;
  accountId: string;
  event: string;
  attempt: number;
  startedAt: Date;
  /** 0: no answer. */
  statusCode: number;
  error: string | null;
  durationMs: number;
  responseExcerpt: string | null;
  state: DeliveryState;
  nextAttemptAt: Date | null;
  /** When the sweep is to look after it; null once nothing more is owed. */
  wakeAt: Date | null;
};

/**
 * A wake-up may come this much early: it was timed by another machine's clock. Without the tolerance it would find
 * nothing due, and the attempt would wait for the sweep.
 */
const CLOCK_DRIFT_MS = 1000;

/** Loads those of the deliveries whose very attempt is due now; all others are done, later, or not to be sent at all. */
export async function loadDue(db: Db, wanted: readonly OwedDelivery[], now: Date): Promise<DueDelivery[]> {
  const rows = JSON.stringify(wanted.map(({ deliveryId, attempt }) => ({ id: deliveryId, attempt })));
  const latest = new Date(now.getTime() + CLOCK_DRIFT_MS).toISOString();
  return db.$queryRaw<DueDelivery[]>`
    SELECT d.id::text AS "deliveryId", d.message_id AS "messageId", d.webhook_id AS "webhookId", d.account_id AS "accountId",
      m.event, m.body, d.attempts + 1 AS attempt, w.url, w.secret_box AS "secretBox",
      w.previous_secret_box AS "previousSecretBox", w.previous_secret_until AS "previousUntil"
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(id bigint, attempt int)
    JOIN deliveries d ON d.id = r.id AND d.attempts = r.attempt - 1
    JOIN messages m ON m.id = d.message_id
    JOIN webhooks w ON w.id = d.webhook_id AND w.enabled
    WHERE d.state = 'owed' AND d.next_attempt_at <= ${latest}::timestamptz`;
}

/**
 * Records attempts and what is owed after them. The attempt number decides races: of two records of the same attempt
 * only the first counts. An attempt that was under way when its delivery was cancelled is recorded all the same.
 */
export async function recordAttempts(db: Db, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const rows = JSON.stringify(firstOfEach(outcomes));
  await db.$executeRaw`
    WITH made AS (
      SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS r(
        "deliveryId" bigint, "messageId" text, "webhookId" text, "accountId" text, event text, attempt int, "startedAt" timestamptz,
        "statusCode" int, error text, "durationMs" int, "responseExcerpt" text, state text, "nextAttemptAt" timestamptz, "wakeAt" timestamptz)
    ), moved AS (
      UPDATE deliveries d SET attempts = made.attempt,
        state = CASE WHEN made.state = 'owed' THEN d.state ELSE made.state END,
        next_attempt_at = CASE WHEN d.state = 'owed' THEN made."nextAttemptAt" END,
        wake_at = CASE WHEN d.state = 'owed' THEN made."wakeAt" END
      FROM made WHERE d.id = made."deliveryId" AND d.attempts = made.attempt - 1 AND d.state IN ('owed', 'cancelled')
      RETURNING d.id
    )
    INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code,
      error, duration_ms, response_excerpt, next_attempt_at)
    SELECT "deliveryId", "messageId", "webhookId", "accountId", event, attempt, "startedAt", "statusCode", error, "durationMs",
      "responseExcerpt", "nextAttemptAt"
    FROM made WHERE "deliveryId" IS NULL OR "deliveryId" IN (SELECT id FROM moved)`;
}

/** Two records of one attempt in the same batch would be one update but two rows. */
function firstOfEach(outcomes: readonly AttemptOutcome[]): AttemptOutcome[] {
  const seen = new Set<string>();
  return outcomes.filter(({ deliveryId, attempt }) => {
    const key = `${deliveryId} ${attempt}`;
    return deliveryId === null || (!seen.has(key) && seen.add(key));
  });
}

/** A swept delivery: its next attempt is due at `dueAt`, which may lie a little ahead. */
export type SweptDelivery = OwedDelivery & { dueAt: Date };

/**
 * Takes up to `limit` deliveries that nobody has looked after: a lost wake-up, or a later attempt whose time is near.
 * Taking one leaves it alone until shortly after it is due.
 */
export async function sweepOwed(db: Db, limit: number, now: Date): Promise<SweptDelivery[]> {
  const at = now.toISOString();
  return db.$queryRaw<SweptDelivery[]>`
    WITH due AS (
      SELECT id FROM deliveries WHERE state = 'owed' AND wake_at <= ${at}::timestamptz
      ORDER BY wake_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE deliveries d
    SET wake_at = GREATEST(d.next_attempt_at, ${at}::timestamptz) + make_interval(secs => ${WAKE_GRACE_SECONDS}::float8)
    FROM due WHERE d.id = due.id
    RETURNING d.id::text AS "deliveryId", d.attempts + 1 AS attempt, d.next_attempt_at AS "dueAt"`;
}

/** Drops what is owed to endpoints that are disabled or gone. @returns how many deliveries. */
export async function cancelUndeliverable(db: Db): Promise<number> {
  return db.$executeRaw`
    UPDATE deliveries d SET state = 'cancelled', wake_at = NULL, next_attempt_at = NULL
    WHERE d.state = 'owed' AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = d.webhook_id AND w.enabled)`;
}

/** The newest attempts of an account (spec section 4.1). */
export async function listAttempts(db: Db, accountId: string, limit: number) {
  return db.deliveryAttempt.findMany({ where: { accountId }, orderBy: { id: 'desc' }, take: limit });
}
