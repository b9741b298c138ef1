import type { Db } from '../connection.ts';
import { ASKED, askedOf } from './asked.ts';

/** What a stop has come to. `stoppedAt` of a tracking that is not polled anyway: when it was stopped; null if it ended by itself. */
export type StopResult =
  | { kind: 'stopped' }
  | { kind: 'not_polled'; stoppedAt: Date | null }
  | { kind: 'not_registered' };

/** Ends the polling of a tracking; its state, its history and the time of its last check stay. */
export async function stopTracking(
  db: Db,
  { accountId, id, now }: { accountId: string; id: string; now: Date },
): Promise<StopResult> {
  return db.$transaction(async (tx) => {
    // The lock keeps answers out, which write the check.
    await tx.$queryRaw`SELECT 1 FROM public.trackings WHERE id = ${id} AND account_id = ${accountId} FOR UPDATE`;
    const found = await tx.tracking.findFirst({ where: { id, accountId }, select: { ...ASKED, stoppedAt: true } });
    if (!found) return { kind: 'not_registered' };
    const askedBefore = await askedOf(tx, found);
    const { count } = await tx.check.deleteMany({ where: { trackingId: id, accountId } });
    if (count === 0) return { kind: 'not_polled', stoppedAt: found.stoppedAt };
    await tx.tracking.update({ where: { id, accountId }, data: { stoppedAt: now, askedBefore } });
    return { kind: 'stopped' };
  });
}
