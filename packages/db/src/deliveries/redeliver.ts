import type { Db } from '../connection/client.ts';
import { column, columns, type RowOf, rows } from '../connection/rows.ts';
import { type Delivery, type DeliveryAttempt, Prisma } from '../generated/client.ts';
import type { DeliveryState } from './attempts.ts';

/** How often a delivery may be begun again: what its column holds. */
export const MAX_ROUNDS = 32_767;

const REDELIVERY = columns({
  messageId: column<DeliveryAttempt['messageId']>('a.message_id'),
  webhookId: column<DeliveryAttempt['webhookId']>('a.webhook_id'),
  event: column<DeliveryAttempt['event']>('a.event'),
  state: column<DeliveryState>('d.state'),
  attempts: column<Delivery['attempts']>('d.attempts'),
  round: column<Delivery['round']>('d.round'),
  nextAttemptAt: column<Delivery['nextAttemptAt']>('d.next_attempt_at'),
  isFailing: column<boolean>('COALESCE(w.failing_since IS NOT NULL, false)'),
  ofEvent: column<boolean>('a.delivery_id IS NOT NULL'),
  hasEndpoint: column<boolean>('w.id IS NOT NULL'),
  isEnabled: column<boolean>('COALESCE(w.enabled, false)'),
  isKept: column<boolean>('d.id IS NOT NULL'),
});

type Row = RowOf<typeof REDELIVERY>;

export type Redelivered = Omit<Row, 'ofEvent' | 'hasEndpoint' | 'isEnabled' | 'isKept'>;

/** Why an attempt's message is not sent again. */
export type NotRedelivered = 'unknown' | 'ping' | 'deleted' | 'disabled' | 'pruned' | 'too_often';

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
    FROM kept, public.delivery_attempts a, public.webhooks w
    WHERE a.id = ${attemptId} AND d.id = a.delivery_id AND d.message_id = kept.id AND w.id = d.webhook_id AND w.enabled
      AND d.state <> 'owed' AND d.round < ${MAX_ROUNDS}`;
  return count > 0;
}

async function find(db: Db, accountId: string, attemptId: bigint): Promise<Row | undefined> {
  const [row] = await rows(
    db,
    REDELIVERY,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.delivery_attempts a
      LEFT JOIN public.deliveries d ON d.id = a.delivery_id LEFT JOIN public.webhooks w ON w.id = a.webhook_id
      WHERE a.id = ${attemptId} AND a.account_id = ${accountId}`,
  );
  return row;
}
