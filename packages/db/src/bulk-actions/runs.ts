import type { BulkCounts } from '@pts/core/bulk-actions';
import type { Db } from '../connection.ts';
import { claimRun, leaseEnd, type Run, type RunKey } from '../runs/leases.ts';
import { type BulkAction, type BulkPlace, toBulkAction } from './bulk-actions.ts';

/** Takes a bulk action that is due (`claimRun`). @returns null if it is not. */
export async function claimBulkAction(db: Db, key: RunKey, now: Date): Promise<{ run: Run; found: BulkAction } | null> {
  const claimed = await claimRun(db, 'bulk_actions', key, now);
  const row = claimed && (await db.bulkAction.findUnique({ where: { id: key.id, accountId: key.accountId } }));
  return row && { run: claimed.run, found: toBulkAction(row) };
}

/** What was done or, of a dry run, counted. */
type BulkProgress = BulkCounts | { matched: number; isLowerBound?: boolean };

/**
 * Stores what was done, also if it was cancelled meanwhile, and the batch that comes next.
 * @returns false if the run is no longer this process's, or was cancelled.
 */
export async function savePlace(
  db: Db,
  run: Run,
  { counts, place, now }: { counts: BulkProgress; place: BulkPlace; now: Date },
): Promise<boolean> {
  const [stored] = await db.bulkAction.updateManyAndReturn({
    where: { ...run, state: { in: ['running', 'cancelled'] } },
    data: { ...counts, place, leasedUntil: leaseEnd(now) },
    select: { state: true },
  });
  return stored?.state === 'running';
}

/** Ends the run of a bulk action; of one that was cancelled meanwhile, stores what was done. Without counts, the stored ones stay. */
export async function endBulkAction(
  db: Db,
  run: Run,
  { counts, error = null, now }: { counts?: BulkProgress; error?: string | null; now: Date },
): Promise<void> {
  const state = error === null ? 'done' : 'failed';
  const { count } = await db.bulkAction.updateMany({
    where: { ...run, state: 'running' },
    data: { ...counts, state, error, finishedAt: now, leasedUntil: null },
  });
  if (count === 0 && counts) await db.bulkAction.updateMany({ where: { ...run, state: 'cancelled' }, data: counts });
}
