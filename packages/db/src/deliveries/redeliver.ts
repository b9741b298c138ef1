import type { Db } from '../connection/client.ts';
import type { DeliveryState } from './attempts.ts';

/** How often a delivery may be begun again: what its column holds. */
export const MAX_ROUNDS = 32_767;

/** Where the message of a delivery record stands, and what there still is of all that sending it again takes. */
export type Redelivery = {
  messageId: string;
  webhookId: string;
  event: string;
  state: DeliveryState;
  attempts: number;
  round: number;
  nextAttemptAt: Date | null;
  isFailing: boolean;
  /** Not of a ping. */
  isOfEvent: boolean;
  hasWebhook: boolean;
  isEnabled: boolean;
  /** Whether message and delivery are still kept. */
  isKept: boolean;
};

/**
 * Makes the message of a record pending again: a new round on the ladder, due now. One conditional statement, so that of two
 * at once one begins a round; it holds the message, lest it be pruned meanwhile.
 * @returns false when it is pending already, or cannot be sent again; `findRedelivery` tells why.
 */
export async function beginRound(
  db: Db,
  { accountId, recordId, now }: { accountId: string; recordId: bigint; now: Date },
): Promise<boolean> {
  const count = await db.$executeRaw`
    WITH kept AS (
      SELECT m.id FROM public.delivery_attempts a JOIN public.deliveries d ON d.id = a.delivery_id JOIN public.messages m ON m.id = d.message_id
      WHERE a.id = ${recordId} AND a.account_id = ${accountId} FOR KEY SHARE OF m
    )
    UPDATE public.deliveries d SET state = 'owed', attempts = 0, round = d.round + 1, fresh = false,
      next_attempt_at = ${now.toISOString()}::timestamptz
    FROM kept, delivery_attempts a, webhooks w
    WHERE a.id = ${recordId} AND d.id = a.delivery_id AND d.message_id = kept.id AND w.id = d.webhook_id AND w.enabled
      AND d.state <> 'owed' AND d.round < ${MAX_ROUNDS}`;
  return count > 0;
}

/** The message of a delivery record. @returns null when the account has no such record. */
export async function findRedelivery(db: Db, accountId: string, recordId: bigint): Promise<Redelivery | null> {
  const rows = await db.$queryRaw<Redelivery[]>`
    SELECT a.message_id AS "messageId", a.webhook_id AS "webhookId", a.event, d.state, d.attempts, d.round,
      d.next_attempt_at AS "nextAttemptAt", COALESCE(w.failing_since IS NOT NULL, false) AS "isFailing",
      a.delivery_id IS NOT NULL AS "isOfEvent", w.id IS NOT NULL AS "hasWebhook", COALESCE(w.enabled, false) AS "isEnabled",
      d.id IS NOT NULL AS "isKept"
    FROM public.delivery_attempts a LEFT JOIN public.deliveries d ON d.id = a.delivery_id LEFT JOIN public.webhooks w ON w.id = a.webhook_id
    WHERE a.id = ${recordId} AND a.account_id = ${accountId}`;
  return rows[0] ?? null;
}
