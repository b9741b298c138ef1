import type { Db } from '../connection/client.ts';
import { freshId } from '../connection/ids.ts';

/** A lease that is not renewed ends after this long: its replica is gone. */
export const LEASE_SECONDS = 30;

/**
 * Takes a lease on one of the `most` streams of an account, over all replicas.
 * @returns the id of the lease; null if none is free.
 */
export async function takeStreamLease(
  db: Db,
  { accountId, most, now }: { accountId: string; most: number; now: Date },
): Promise<string | null> {
  const expiresAt = leaseEnd(now);
  return db.$transaction(async (tx) => {
    // Serializes the streams that one account starts, so that the count is right.
    await tx.$queryRaw`SELECT 1 FROM public.accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
    await tx.streamLease.deleteMany({ where: { accountId, expiresAt: { lte: now } } });
    if ((await tx.streamLease.count({ where: { accountId } })) >= most) return null;
    const id = freshId(now);
    await tx.streamLease.create({ data: { id, accountId, expiresAt } });
    return id;
  });
}

export async function renewStreamLease(db: Db, id: string, now: Date): Promise<void> {
  await db.streamLease.updateMany({ where: { id }, data: { expiresAt: leaseEnd(now) } });
}

export async function endStreamLease(db: Db, id: string): Promise<void> {
  await db.streamLease.deleteMany({ where: { id } });
}

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_SECONDS * 1000);
}
