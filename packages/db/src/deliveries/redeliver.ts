import type { Db } from '../connection/client.ts';
import type { DeliveryState } from './attempts.ts';

/** How often a delivery may be begun again: what its column holds. */
export const MAX_ROUNDS = 32_767;

export type Redelivered = {
  messageId: string;
  webhookId: string;
  event: string;
  state: DeliveryState;
  attempts: number;
  round: number;
  nextAttemptAt: Date | null;
  isFailing: boolean;
};

/** Why an attempt's message is not sent again. */
export type NotRedelivered = 'unknown' | 'ping' | 'deleted' | 'disabled' | 'pruned' | 'too_often';

type Row = Redelivered & { event: string; ofEvent: boolean; hasEndpoint: boolean; isEnabled: boolean; isKept: boolean };

/**
 * Makes the message of an attempt owed to its endpoint again: a new round on the ladder, due now. A message that is owed
 * already stays as it is.
 */
export async function redeliver(
  db: Db,
  { accountId, attemptId, now }: { accountId: string; attemptId: bigint; now: Date },
): Promise<{ delivery: Redelivered; isNew: boolean } | NotRedelivered> {
  const isNew = await beginRound(db, accountId, attemptId, now);
  const row = await find(db, accountId, attemptId);
  if (!row) return 'unknown';
  const { ofEvent, hasEndpoint, isEnabled, isKept, ...delivery } = row;
  if (isNew || (isKept && isEnabled && delivery.state === 'owed')) return { delivery, isNew };
  if (!ofEvent) return 'ping';
  if (!hasEndpoint) return 'deleted';
  if (!isKept) return 'pruned';
  return isEnabled ? 'too_often' : 'disabled';
}

/** One conditional statement, so that of two at once one begins a round; it holds the message, lest it be pruned meanwhile. */
async function beginRound(db: Db, accountId: string, attemptId: bigint, now: Date): Promise<boolean> {
  const count = await db.$executeRaw`
    WITH kept AS (
      SELECT m.id FROM public.delivery_attempts a JOIN public.deliveries d ON d.id = a.delivery_id JOIN public.messages m ON m.id = d.message_id
      WHERE a.id = ${attemptId} AND a.account_id = ${accountId} FOR KEY SHARE OF m
    )
    UPDATE public.deliveries d SET state = 'owed', attempts = 0, round = d.round + 1, fresh = false,
      next_attempt_at = ${now.toISOString()}::timestamptz
    FROM kept, delivery_attempts a, webhooks w
    WHERE a.id = ${attemptId} AND d.id = a.delivery_id AND d.message_id = kept.id AND w.id = d.webhook_id AND w.enabled
      AND d.state <> 'owed' AND d.round < ${MAX_ROUNDS}`;
  return count > 0;
}

async function find(db: Db, accountId: string, attemptId: bigint): Promise<Row | undefined> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT a.message_id AS "messageId", a.webhook_id AS "webhookId", a.event, d.state, d.attempts, d.round,
      d.next_attempt_at AS "nextAttemptAt", COALESCE(w.failing_since IS NOT NULL, false) AS "isFailing",
      a.delivery_id IS NOT NULL AS "ofEvent", w.id IS NOT NULL AS "hasEndpoint", COALESCE(w.enabled, false) AS "isEnabled",
      d.id IS NOT NULL AS "isKept"
    FROM public.delivery_attempts a LEFT JOIN public.deliveries d ON d.id = a.delivery_id LEFT JOIN public.webhooks w ON w.id = a.webhook_id
    WHERE a.id = ${attemptId} AND a.account_id = ${accountId}`;
  return rows[0];
}
