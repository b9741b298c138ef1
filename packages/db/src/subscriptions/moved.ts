import { accountsOf, idsOf, type ParcelKey } from '@pts/core/tracking/schedule';
import type { Db } from '../connection.ts';
import { column, columns, rows } from '../connection.ts';
import { Prisma, type Tracking } from '../generated/client.ts';

const MOVED = columns({ id: column<Tracking['id']>('t.id') });

/**
 * Gives parcels whose carrier was detected the carrier that their provider has corrected them to. Their history, their
 * check and their subscription's callbacks continue; a parcel whose account has the number with that carrier already stays.
 * @returns the ids of those that were moved.
 */
export async function correctCarrier(
  db: Db,
  parcels: readonly ParcelKey[],
  { provider, carrier }: { provider: string; carrier: string },
): Promise<string[]> {
  const accounts = accountsOf(parcels);
  return db.$transaction(async (tx) => {
    const moved = await rows(
      tx,
      MOVED,
      (list) => Prisma.sql`
      UPDATE public.trackings t SET carrier = ${carrier}
      WHERE t.id = ANY(${idsOf(parcels)}::text[]) AND t.account_id = ANY(${accounts}::text[]) AND t.detected AND t.provider = ${provider} AND t.carrier <> ${carrier}
        AND NOT EXISTS (SELECT 1 FROM public.trackings o
          WHERE o.account_id = t.account_id AND o.tracking_number = t.tracking_number AND o.carrier = ${carrier})
      RETURNING ${list}`,
    );
    const ids = moved.map(({ id }) => id);
    if (ids.length > 0)
      await tx.check.updateMany({
        where: { trackingId: { in: ids }, accountId: { in: accounts } },
        data: { carrier },
      });
    return ids;
  });
}

/** Notifies merchants who named the carrier that their provider has another one. */
export async function noteOtherCarrier(db: Db, parcels: readonly ParcelKey[], notice: string): Promise<void> {
  await db.tracking.updateMany({
    where: {
      id: { in: idsOf(parcels) },
      accountId: { in: accountsOf(parcels) },
      OR: [{ notice: null }, { notice: { not: notice } }],
    },
    data: { notice },
  });
}
