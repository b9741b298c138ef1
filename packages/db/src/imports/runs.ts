import type { Db } from '../connection.ts';
import { claimRun, leaseEnd, type Run, type RunKey } from '../runs/leases.ts';
import { deleteFile, type Import, type ImportColumn, toImport } from './imports.ts';
import type { RejectedRows } from './rejects.ts';

/** Takes an import that is due (`claimRun`). @returns null if it is not. */
export async function claimImport(
  db: Db,
  key: RunKey,
  now: Date,
): Promise<{ run: Run; leasedBefore: Date | null; found: Import } | null> {
  const claimed = await claimRun(db, 'imports', key, now);
  if (!claimed) return null;
  const { run, leasedBefore, isLost } = claimed;
  const [row] = await db.import.updateManyAndReturn({
    where: { ...run, state: 'running' },
    data: { lostRuns: { increment: isLost ? 1 : 0 } },
  });
  return row ? { run, leasedBefore, found: toImport(row) } : null;
}

/** What a file has. @returns false if the run is no longer this process's. */
export async function saveScan(
  db: Db,
  run: Run,
  { rowsTotal, columns }: { rowsTotal: number; columns: ImportColumn[] },
): Promise<boolean> {
  const { count } = await db.import.updateMany({ where: { ...run, state: 'running' }, data: { rowsTotal, columns } });
  return count > 0;
}

/** The counts of an import up to a row. */
export type ImportProgress = Pick<
  Import,
  'position' | 'read' | 'registered' | 'known' | 'updated' | 'rejected' | 'faults'
>;

/** Stores how far an import has come, with the rows that were rejected. @returns false if the run is no longer this process's. */
export async function saveProgress(
  db: Db,
  run: Run,
  { faults, ...counts }: ImportProgress,
  rejects: RejectedRows | null,
  now: Date,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.import.updateMany({
      where: { ...run, state: 'running' },
      data: { ...counts, faults, progressAt: now, lostRuns: 0, leasedUntil: leaseEnd(now) },
    });
    if (count === 0) return false;
    if (rejects) {
      const key = { importId: run.id, firstRow: rejects.firstRow };
      const csv = Uint8Array.from(rejects.csv);
      // A poller of version 0.3 or older begins a dry run again.
      await tx.importReject.upsert({
        where: { importId_firstRow: key },
        create: { ...key, accountId: run.accountId, csv },
        update: { csv },
      });
    }
    return true;
  });
}

/** Ends the run of an import, and deletes its file. */
export async function endImport(
  db: Db,
  run: Run,
  { state, error = null, now }: { state: 'done' | 'failed'; error?: string | null; now: Date },
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.import.updateMany({
      where: { ...run, state: 'running' },
      data: { state, error, finishedAt: now, leasedUntil: null },
    });
    if (count > 0) await deleteFile(tx, run);
  });
}
