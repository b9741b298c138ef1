import { lowestId, timeOfId } from '@pts/core/id';
import { CLOCK_SLACK_MS, lowestAttemptOf } from '@pts/core/webhook/message-id';
import { Prisma } from '../generated/client.ts';

// The attempts to deliver a message are those of its deliveries, with an id that is not lower than the message's time, so that
// earlier partitions are not read. A message whose clock was fast has its attempts around the real time.

/** The conditions for the attempts of a delivery named `d`. @param lowest the lowest id that they can have, by their message */
export function areOfDelivery(lowest: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`delivery_id = d.id AND id >= LEAST(${lowest}, public.history_id_at(now() - interval '1 hour'))`;
}

/** What a statement selects from: an account's attempts for a message, named `a`, before one of them. */
export function attemptsOfMessage(accountId: string, messageId: string, before: string): Prisma.Sql {
  return Prisma.sql`public.deliveries d CROSS JOIN LATERAL (
        SELECT * FROM public.delivery_attempts WHERE account_id = ${accountId}
          AND ${areOfDelivery(Prisma.sql`${lowestAttemptOf(messageId)}::text`)}) a
      WHERE d.message_id = ${messageId} AND d.account_id = ${accountId} AND a.id < ${before}`;
}

/** The same for Prisma: the attempts of a delivery beside a known one, which tells the real time. */
export function besideAttempt({ id, deliveryId, messageId }: { id: string; deliveryId: bigint; messageId: string }) {
  const [lowest, near] = [lowestAttemptOf(messageId), lowestId(new Date(timeOfId(id) - CLOCK_SLACK_MS))];
  const from = lowest < near ? lowest : near;
  return { deliveryId, id: { not: id, gte: from } };
}
