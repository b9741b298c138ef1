import { type BulkActionName, type BulkCounts, type BulkReasonGroup, MAX_BULK_ACTIONS } from '@pts/core/bulk-actions';
import { ENDED_STATES, type EndedState } from '@pts/core/notices';
import type { Db, Tx } from './connection.ts';
import { isDuplicate } from './errors.ts';
import type { BulkAction as BulkActionRow, Prisma } from './generated/client.ts';
import { freshId } from './ids.ts';
import { storeNotice } from './notices.ts';
import { claimRun, leaseEnd, type Run, type RunKey } from './run-leases.ts';

type BulkActionState = 'queued' | 'running' | EndedState;

/**
 * The batch that is worked on: those that may not match any more are left out. `next`: where the next one starts; null:
 * none. Of a dry run, only how many it has counted before that one.
 */
export type BulkPlace = { ids: string[]; changed: string[]; next: string | null; counted?: number };

export type BulkAction = Omit<BulkActionRow, 'action' | 'state' | 'filter' | 'place' | 'reasons'> & {
  action: BulkActionName;
  state: BulkActionState;
  filter: Record<string, string>;
  place: BulkPlace | null;
  reasons: BulkReasonGroup[];
};

export type NewBulkAction = Pick<
  BulkAction,
  'accountId' | 'action' | 'filter' | 'dryRun' | 'asOf' | 'matched' | 'isLowerBound' | 'ceiling'
> & { now: Date };

const ENDED: BulkActionState[] = [...ENDED_STATES];
const NEWEST_FIRST: Prisma.BulkActionOrderByWithRelationInput[] = [{ createdAt: 'desc' }, { id: 'desc' }];

/**
 * Stores a bulk action, or a dry run, which has ended if its count is exact; and forgets the oldest ones beyond those
 * that are kept.
 * @param keep called in the transaction of one that was stored.
 * @returns null if it has not ended, and another of the account has not, either.
 */
export async function insertBulkAction(
  db: Db,
  { now, ...given }: NewBulkAction,
  keep: (tx: Tx, stored: BulkAction) => Promise<void> = async () => {},
): Promise<BulkAction | null> {
  const { accountId, dryRun, isLowerBound } = given;
  const ended = dryRun && !isLowerBound && { state: 'done', startedAt: now, finishedAt: now };
  try {
    return await db.$transaction(async (tx) => {
      const row = await tx.bulkAction.create({ data: { ...given, ...ended, id: freshId(now), createdAt: now } });
      const old = await tx.bulkAction.findMany({
        where: { accountId, dryRun, state: { in: ENDED }, NOT: { id: row.id } },
        orderBy: NEWEST_FIRST,
        skip: MAX_BULK_ACTIONS - 1,
        select: { id: true },
      });
      await tx.bulkAction.deleteMany({ where: { accountId, id: { in: old.map(({ id }) => id) } } });
      const stored = toBulkAction(row);
      await keep(tx, stored);
      return stored;
    });
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}

/** @returns null if the account has no such bulk action. */
export async function findBulkAction(db: Db, accountId: string, id: string): Promise<BulkAction | null> {
  const row = await db.bulkAction.findFirst({ where: { id, accountId } });
  return row && toBulkAction(row);
}

/** The bulk action of an account that has not ended; null if all have. */
export async function findUnfinished(db: Db, accountId: string): Promise<BulkAction | null> {
  const row = await db.bulkAction.findFirst({ where: { accountId, state: { notIn: ENDED } } });
  return row && toBulkAction(row);
}

/** The bulk actions and dry runs of an account, newest first. */
export async function listBulkActions(db: Db, accountId: string): Promise<BulkAction[]> {
  const found = await db.bulkAction.findMany({ where: { accountId }, orderBy: NEWEST_FIRST });
  return found.map(toBulkAction);
}

/** Ends a bulk action that has not ended. */
export async function cancelBulkAction(db: Db, { accountId, id }: RunKey, now: Date): Promise<void> {
  await db.$transaction(async (tx) => {
    const [ended] = await tx.bulkAction.updateManyAndReturn({
      where: { accountId, id, state: { notIn: ENDED } },
      data: { state: 'cancelled', finishedAt: now, leasedUntil: null },
    });
    if (ended) await notice(tx, ended, 'cancelled', now);
  });
}

/** Stores the notice that a bulk action has ended, unless it was a dry run. */
async function notice(
  tx: Tx,
  { id, accountId, dryRun, action, done, skipped, failed }: BulkActionRow,
  state: EndedState,
  now: Date,
): Promise<void> {
  if (dryRun) return;
  const details = { state, action, done, skipped, failed };
  await storeNotice(tx, { kind: 'bulk_action_ended', accountId, subject: id, details, since: now });
}

/** Deletes up to `batch` bulk actions that ended before a time. @returns their number. */
export async function forgetBulkActions(db: Db, { before, batch }: { before: Date; batch: number }): Promise<number> {
  return db.$executeRaw`
    DELETE FROM public.bulk_actions WHERE id = ANY (ARRAY(
      SELECT id FROM public.bulk_actions WHERE finished_at < ${before.toISOString()}::timestamptz
      ORDER BY finished_at LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
}

/** A bulk action as it is stored. */
function toBulkAction(row: BulkActionRow): BulkAction {
  return {
    ...row,
    action: row.action as BulkActionName,
    state: row.state as BulkActionState,
    filter: row.filter as Record<string, string>,
    place: row.place as BulkPlace | null,
    reasons: row.reasons as BulkReasonGroup[],
  };
}

/** Takes a bulk action that is due (`claimRun`). @returns null if it is not. */
export async function claimBulkAction(db: Db, key: RunKey, now: Date): Promise<{ run: Run; found: BulkAction } | null> {
  const claimed = await claimRun(db, 'bulk_actions', key, now);
  const row = claimed && (await db.bulkAction.findUnique({ where: { id: key.id, accountId: key.accountId } }));
  return row && { run: claimed.run, found: toBulkAction(row) };
}

/** The counts of what was done or, in a dry run, of what matched. */
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

/**
 * Ends the run of a bulk action; of one that was cancelled meanwhile, stores what was done. Without counts, the stored
 * ones stay.
 */
export async function endBulkAction(
  db: Db,
  run: Run,
  { counts, error = null, now }: { counts?: BulkProgress; error?: string | null; now: Date },
): Promise<void> {
  const state = error === null ? 'done' : 'failed';
  const hasEnded = await db.$transaction(async (tx) => {
    const [ended] = await tx.bulkAction.updateManyAndReturn({
      where: { ...run, state: 'running' },
      data: { ...counts, state, error, finishedAt: now, leasedUntil: null },
    });
    if (ended) await notice(tx, ended, state, now);
    return ended !== undefined;
  });
  if (!hasEnded && counts) await db.bulkAction.updateMany({ where: { ...run, state: 'cancelled' }, data: counts });
}
