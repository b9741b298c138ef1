import { column, columns, type Db, type RowOf, rows } from '../connection.ts';
import { type Delivery, type DeliveryAttempt, Prisma } from '../generated/client.ts';
import type { DeliveryState } from './attempts.ts';

/** The maximum number of rounds: what the column can store. */
export const MAX_ROUNDS = 32_767;

const REDELIVERY = columns({
  messageId: column<DeliveryAttempt['messageId']>('a.message_id'),
  webhookId: column<DeliveryAttempt['webhookId']>('a.webhook_id'),
  event: column<DeliveryAttempt['event']>('a.event'),
  state: column<DeliveryState>('d.state'),
  attempts: column<Delivery['attempts']>('d.attempts'),
  round: column<Delivery['round']>('d.round'),
  /** Of the record. */
  recordRound: column<DeliveryAttempt['round']>('a.round'),
  nextAttemptAt: column<Delivery['nextAttemptAt']>('d.next_attempt_at'),
  isFailing: column<boolean>('COALESCE(w.failing_since IS NOT NULL, false)'),
  /** False for a ping. */
  isOfEvent: column<boolean>('a.delivery_id IS NOT NULL'),
  hasWebhook: column<boolean>('w.id IS NOT NULL'),
  isEnabled: column<boolean>('COALESCE(w.enabled, false)'),
  /** Whether message and delivery are still kept. */
  isKept: column<boolean>('d.id IS NOT NULL'),
});

/** The message of a delivery record: its state, and which rows that a redelivery needs still exist. */
export type Redelivery = RowOf<typeof REDELIVERY>;

/**
 * Whether a new round of a delivery `d` may begin: once it is settled, or while it waits for a later attempt. One that has just begun has no
 * attempt yet, which tells it apart also where the clock of this call is behind that of another.
 */
export function mayBegin(at: string): Prisma.Sql {
  return Prisma.sql`(d.state <> 'owed' OR (d.attempts > 0 AND d.next_attempt_at > ${at}::timestamptz)) AND d.round < ${MAX_ROUNDS}`;
}

/**
 * Makes the message of a record pending again, even if it waits for a later attempt: a new round of the retry schedule, due now.
 * One conditional statement, so concurrent calls start one round; it locks the message so that it is not pruned during the call.
 * @param input.isOnce only if no other round has begun since the record.
 * @returns false if it is already due or cannot be sent again; `findRedelivery` says why.
 */
export async function beginRound(
  db: Db,
  { accountId, recordId, isOnce = false, now }: { accountId: string; recordId: string; isOnce?: boolean; now: Date },
): Promise<boolean> {
  const at = now.toISOString();
  const count = await db.$executeRaw`
    WITH kept AS (
      SELECT m.id, a.webhook_id, a.account_id, a.round FROM public.delivery_attempts a CROSS JOIN LATERAL (
        SELECT id FROM public.messages WHERE id = a.message_id AND account_id = a.account_id LIMIT 1 FOR KEY SHARE) m
      WHERE a.id = ${recordId} AND a.account_id = ${accountId} AND a.delivery_id IS NOT NULL
    )
    UPDATE public.deliveries d SET state = 'owed', attempts = 0, round = d.round + 1, fresh = false,
      next_attempt_at = ${at}::timestamptz
    FROM kept, public.webhooks w
    WHERE d.message_id = kept.id AND d.webhook_id = kept.webhook_id AND d.account_id = kept.account_id
      AND w.id = d.webhook_id AND w.account_id = d.account_id AND w.enabled
      AND ${mayBegin(at)} AND (NOT ${isOnce}::boolean OR d.round = kept.round)`;
  return count > 0;
}

/**
 * The message of a delivery record. The limit keeps PostgreSQL from looking for the account's deliveries in all partitions.
 * @returns null when the account has no such record.
 */
export async function findRedelivery(db: Db, accountId: string, recordId: string): Promise<Redelivery | null> {
  const [redelivery] = await rows(
    db,
    REDELIVERY,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.delivery_attempts a
      LEFT JOIN LATERAL (
        SELECT * FROM public.deliveries
        WHERE message_id = a.message_id AND webhook_id = a.webhook_id AND account_id = a.account_id LIMIT 1
      ) d ON a.delivery_id IS NOT NULL
      LEFT JOIN public.webhooks w ON w.id = a.webhook_id AND w.account_id = a.account_id
      WHERE a.id = ${recordId} AND a.account_id = ${accountId}`,
  );
  return redelivery ?? null;
}
