import { lowestId, timeOfId } from '@pts/core/id';
import { CLOCK_SLACK_MS, lowestAttemptOf } from '@pts/core/webhook/push';
import { Prisma } from '../generated/client.ts';

// The attempts to deliver a message are those of its deliveries, with an id that is not lower than the message's time, so that
// earlier partitions are not read. A message whose clock was fast has its attempts around the real time.

/** The conditions for the attempts of a delivery named `d`. @param lowest the lowest id that they can have, by their message */
export function areOfDelivery(lowest: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`delivery_id = d.id AND id >= LEAST(${lowest}, public.history_id_at(now() - interval '1 hour'))`;
}

/** Of which messages: one, or those of a parcel; both together are one that must be the parcel's. */
export type MessageFilter = { messageId?: string | undefined; trackingId?: string | undefined };

/** What a statement selects from: an account's attempts for such messages, named `a`, before one of them. */
export function attemptsOfMessages(
  accountId: string,
  { messageId, trackingId }: MessageFilter,
  before: string,
): Prisma.Sql {
  const isThisOne = (id: string) =>
    messageId === undefined ? Prisma.empty : Prisma.sql`AND ${Prisma.raw(id)} = ${messageId}`;
  const attempts = (lowest: Prisma.Sql) => Prisma.sql`CROSS JOIN LATERAL (
        SELECT * FROM public.delivery_attempts WHERE account_id = ${accountId} AND ${areOfDelivery(lowest)}) a`;
  const isWanted = Prisma.sql`d.account_id = ${accountId} ${isThisOne('d.message_id')} AND a.id < ${before}`;
  if (trackingId === undefined)
    return Prisma.sql`public.deliveries d ${attempts(Prisma.sql`${lowestAttemptOf(messageId ?? '')}::text`)} WHERE ${isWanted}`;
  return Prisma.sql`(
        SELECT id, created_at FROM public.messages WHERE account_id = ${accountId} AND ${areOfTracking(trackingId)}
          ${isThisOne('id')}) m
      CROSS JOIN LATERAL (SELECT * FROM public.deliveries WHERE message_id = m.id AND account_id = ${accountId}) d
      ${attempts(Prisma.sql`public.history_id_at(m.created_at - interval '1 hour')`)} WHERE ${isWanted}`;
}

/**
 * The condition for the messages of a parcel. The id of a tracking begins with the period of its registration, which
 * those of its messages do not precede, unless the clock was fast then.
 */
export function areOfTracking(trackingId: string): Prisma.Sql {
  return Prisma.sql`tracking_id = ${trackingId}
    AND id >= LEAST(left(${trackingId}, 4), public.history_id_at(now() - interval '1 day'))`;
}

/** The same for Prisma: the attempts of a delivery beside a known one, which tells the real time. */
export function besideAttempt({ id, deliveryId, messageId }: { id: string; deliveryId: bigint; messageId: string }) {
  const [lowest, near] = [lowestAttemptOf(messageId), lowestId(new Date(timeOfId(id) - CLOCK_SLACK_MS))];
  const from = lowest < near ? lowest : near;
  return { deliveryId, id: { not: id, gte: from } };
}
