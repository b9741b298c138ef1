import type { Db } from '../connection.ts';

/** Which account has a tracking. */
export type Located = { id: string; accountId: string };

/** The trackings with an id or a normalised number, of whichever account, oldest first. */
export async function locateTrackings(
  db: Db,
  { id, number, limit }: { id: string; number: string | null; limit: number },
): Promise<Located[]> {
  return db.tracking.findMany({
    where: { OR: [{ id }, ...(number === null ? [] : [{ trackingNumber: number }])] },
    select: { id: true, accountId: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    take: limit,
  });
}
