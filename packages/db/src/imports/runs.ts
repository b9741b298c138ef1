import type { Db } from '../connection/client.ts';
import { freshId } from '../connection/ids.ts';
import { column, columns, rows } from '../connection/rows.ts';
import { type Import as ImportRow, Prisma } from '../generated/client.ts';
import { deleteFile, type Import, type ImportColumn, toImport, WORKABLE } from './imports.ts';
import type { RejectedRows } from './rejects.ts';

/** A run of this process. */
export type ImportRun = { id: string; holder: string };

/** How long a run is left alone that does not renew its lease: its process is gone. */
const LEASE_MS = 15_000;

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

const DUE = columns({ id: column<ImportRow['id']>('i.id') });

/** Imports that no process works on and that wait for no earlier one of their account, oldest first. */
export async function dueImports(db: Db, now: Date, limit: number): Promise<string[]> {
  const due = await rows(
    db,
    DUE,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.imports i
      WHERE i.state IN ('uploading', 'queued', 'running') AND i.state <> 'uploading'
        AND (i.leased_until IS NULL OR i.leased_until <= ${now.toISOString()}::timestamptz)
        AND NOT EXISTS (SELECT 1 FROM public.imports e WHERE e.account_id = i.account_id
          AND e.state IN ('queued', 'running') AND (e.created_at, e.id) < (i.created_at, i.id))
      ORDER BY i.created_at LIMIT ${limit}`,
  );
  return due.map(({ id }) => id);
}

/**
 * Takes an import that no process works on, unless an earlier one of its account has not ended.
 * @returns the import as it was before: `state` says whether another run has begun it.
 */
export async function claimImport(db: Db, id: string, now: Date): Promise<{ run: ImportRun; found: Import } | null> {
  const holder = freshId(now);
  return db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM public.imports WHERE id = ${id} FOR UPDATE`;
    const row = await tx.import.findFirst({
      where: { id, state: { in: WORKABLE }, OR: [{ leasedUntil: null }, { leasedUntil: { lte: now } }] },
    });
    if (!row) return null;
    const { accountId, createdAt } = row;
    const earlier = await tx.import.count({
      where: {
        accountId,
        state: { in: WORKABLE },
        OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }],
      },
    });
    if (earlier > 0) return null;
    await tx.import.update({
      where: { id },
      data: { state: 'running', holder, leasedUntil: leaseEnd(now), startedAt: row.startedAt ?? now },
    });
    return { run: { id, holder }, found: toImport(row) };
  });
}

/** Continues the lease of a run. @returns false if the run is no longer this process's, or its import was cancelled. */
export async function renewImport(db: Db, run: ImportRun, now: Date): Promise<boolean> {
  const { count } = await db.import.updateMany({
    where: { ...run, state: 'running' },
    data: { leasedUntil: leaseEnd(now) },
  });
  return count > 0;
}

/** Gives the import to any process, now. */
export async function releaseImport(db: Db, run: ImportRun): Promise<void> {
  await db.import.updateMany({ where: { ...run, state: 'running' }, data: { leasedUntil: null } });
}

/** What a file has. @returns false if the run is no longer this process's. */
export async function saveScan(
  db: Db,
  run: ImportRun,
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
  run: ImportRun,
  { faults, ...counts }: ImportProgress,
  rejects: RejectedRows | null,
  now: Date,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.import.updateMany({
      where: { ...run, state: 'running' },
      data: { ...counts, faults, progressAt: now, leasedUntil: leaseEnd(now) },
    });
    if (count === 0) return false;
    if (rejects) {
      const key = { importId: run.id, firstRow: rejects.firstRow };
      const csv = Uint8Array.from(rejects.csv);
      // A dry run that was interrupted begins again.
      await tx.importReject.upsert({ where: { importId_firstRow: key }, create: { ...key, csv }, update: { csv } });
    }
    return true;
  });
}

/** Ends the run of an import, and deletes its file. */
export async function endImport(
  db: Db,
  run: ImportRun,
  { state, error = null, now }: { state: 'done' | 'failed'; error?: string | null; now: Date },
): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.import.updateMany({
      where: { ...run, state: 'running' },
      data: { state, error, finishedAt: now, leasedUntil: null },
    });
    if (count > 0) await deleteFile(tx, run.id);
  });
}
