import type { Db } from '../connection.ts';
import { freshId } from '../ids.ts';

/** The streams that are limited: the results of a batch, an export, or the feed of events. */
export type StreamKind = 'batch' | 'export' | 'events';

/** A lease that is not renewed ends after this long: its replica is gone. Streams of events last longer, and are many. */
export const LEASE_SECONDS = { batch: 30, export: 30, events: 90 } as const satisfies Record<StreamKind, number>;

/**
 * Takes a lease on one of the `most` streams of a kind of an account, over all replicas.
 * @returns the id of the lease; null if none is free.
 */
export async function takeStreamLease(
  db: Db,
  { accountId, kind = 'batch', max, now }: { accountId: string; kind?: StreamKind; max: number; now: Date },
): Promise<string | null> {
  const expiresAt = leaseEnd(kind, now);
  return db.$transaction(async (tx) => {
    // Serializes the streams that one account starts, so that the count is right.
    await tx.$queryRaw`SELECT 1 FROM public.accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
    await tx.streamLease.deleteMany({ where: { accountId, expiresAt: { lte: now } } });
    if ((await tx.streamLease.count({ where: { accountId, kind } })) >= max) return null;
    const id = freshId(now);
    await tx.streamLease.create({ data: { id, accountId, kind, expiresAt } });
    return id;
  });
}

/** A lease, and the account that has it. */
type Lease = { accountId: string; id: string };

export async function renewStreamLease(db: Db, { accountId, id }: Lease, kind: StreamKind, now: Date): Promise<void> {
  await db.streamLease.updateMany({ where: { id, accountId }, data: { expiresAt: leaseEnd(kind, now) } });
}

export async function endStreamLease(db: Db, { accountId, id }: Lease): Promise<void> {
  await db.streamLease.deleteMany({ where: { id, accountId } });
}

function leaseEnd(kind: StreamKind, now: Date): Date {
  return new Date(now.getTime() + LEASE_SECONDS[kind] * 1000);
}
