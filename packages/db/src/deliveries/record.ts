import { MOST_OTHER_ATTEMPTS } from '@pts/core/webhook/limits';
import type { Db } from '../connection/client.ts';
import type { DeliveryState } from './attempts.ts';

/** How the wire was, as the dispatcher has written it down. */
export type StoredTrace = Partial<{
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  reused: boolean | null;
  head: string | null;
}>;

/** An attempt, and what there still is of the delivery, the message and the endpoint it belongs to. */
export type AttemptRecord = NonNullable<Awaited<ReturnType<typeof findAttempt>>>;

/** One attempt of an account with all that is known about it. @returns null when the account has none of this id. */
export async function findAttempt(db: Db, accountId: string, id: bigint) {
  const attempt = await db.deliveryAttempt.findFirst({ where: { id, accountId } });
  if (!attempt) return null;
  const { deliveryId, messageId, webhookId } = attempt;
  const [webhook, message, delivery, others] = await Promise.all([
    db.webhook.findFirst({ where: { id: webhookId, accountId } }),
    db.message.findUnique({ where: { id: messageId }, select: { body: true } }),
    deliveryId === null ? null : db.delivery.findUnique({ where: { id: deliveryId } }),
    deliveryId === null
      ? []
      : db.deliveryAttempt.findMany({
          where: { deliveryId, id: { not: id } },
          orderBy: [{ round: 'desc' }, { attempt: 'desc' }],
          take: MOST_OTHER_ATTEMPTS,
        }),
  ]);
  const trace = attempt.trace as StoredTrace | null;
  const standing = delivery && { ...delivery, state: delivery.state as DeliveryState };
  return { attempt, trace, webhook, body: message?.body ?? null, delivery: standing, others };
}
