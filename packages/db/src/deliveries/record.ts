import { MAX_OTHER_ATTEMPTS } from '@pts/core/webhook/endpoint';
import type { Db } from '../connection.ts';
import type { DeliveryState } from './attempts.ts';
import { besideAttempt } from './of-message.ts';

/** The connection details of an attempt, as they were recorded. */
export type StoredTrace = Partial<{
  /** Where it was sent: the webhook may have another URL by now. */
  url: string;
  /** Of a test push, whose event and time may be others than those of its record. */
  headers: Record<string, string>;
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  reused: boolean | null;
  head: string | null;
}>;

/** An attempt, with its delivery, message and endpoint as far as they still exist. */
export type AttemptRecord = NonNullable<Awaited<ReturnType<typeof findAttempt>>>;

/** One attempt of an account with all its details. @returns null if the account has none with this id. */
export async function findAttempt(db: Db, accountId: string, id: string) {
  const attempt = await db.deliveryAttempt.findFirst({ where: { id, accountId } });
  if (!attempt) return null;
  const { deliveryId, messageId, webhookId } = attempt;
  const [webhook, message, delivery, others] = await Promise.all([
    db.webhook.findFirst({ where: { id: webhookId, accountId } }),
    db.message.findUnique({ where: { id: messageId, accountId }, select: { body: true } }),
    deliveryId === null
      ? null
      : db.delivery.findUnique({ where: { messageId_webhookId: { messageId, webhookId }, accountId } }),
    deliveryId === null
      ? []
      : db.deliveryAttempt.findMany({
          where: { accountId, ...besideAttempt({ id, deliveryId, messageId }) },
          orderBy: [{ round: 'desc' }, { attempt: 'desc' }],
          take: MAX_OTHER_ATTEMPTS,
        }),
  ]);
  const trace = attempt.trace as StoredTrace | null;
  const standing = delivery && { ...delivery, state: delivery.state as DeliveryState };
  return { attempt, trace, webhook, body: message?.body ?? null, delivery: standing, others };
}
