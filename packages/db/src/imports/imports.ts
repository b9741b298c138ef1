import type { Field, WantedColumns } from '@pts/core/imports/columns';
import type { FaultGroup } from '@pts/core/imports/faults';
import { IMPORT_DAYS, MAX_IMPORTS, MAX_UNFINISHED } from '@pts/core/imports/limits';
import type { Db, Tx } from '../connection/client.ts';
import { freshId } from '../connection/ids.ts';
import { column, columns, rows } from '../connection/rows.ts';
import { type Import as ImportRow, Prisma } from '../generated/client.ts';

export type ImportState = 'uploading' | 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
/** A column of a file, and the field that it is read as. */
export type ImportColumn = { header: string; field: Field | null };
export type ImportFormat = 'csv' | 'ndjson' | 'xlsx';

export type Import = Omit<ImportRow, 'state' | 'format' | 'wanted' | 'columns' | 'faults'> & {
  state: ImportState;
  format: ImportFormat;
  wanted: WantedColumns;
  columns: ImportColumn[] | null;
  faults: FaultGroup[];
};

const UNFINISHED: ImportState[] = ['uploading', 'queued', 'running'];
const WORKABLE: ImportState[] = ['queued', 'running'];
/** An upload takes less. */
const UPLOAD_HOURS = 1;
const HOUR_MS = 3_600_000;

type NewImport = {
  accountId: string;
  dryRun: boolean;
  fileName: string | null;
  format: ImportFormat;
  wanted: WantedColumns;
  now: Date;
};

/**
 * Stores an import whose file is about to be uploaded, and forgets the oldest ended ones beyond those that are kept.
 * @returns its id; null if too many of the account have not ended.
 */
export async function insertImport(db: Db, { now, ...given }: NewImport): Promise<string | null> {
  const { accountId } = given;
  return db.$transaction(async (tx) => {
    // Serializes the imports that one account starts, so that the counts are right.
    await tx.$queryRaw`SELECT 1 FROM public.accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
    if ((await tx.import.count({ where: { accountId, state: { in: UNFINISHED } } })) >= MAX_UNFINISHED) return null;
    const old = await tx.import.findMany({
      where: { accountId },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: MAX_IMPORTS - 1,
      select: { id: true },
    });
    const ids = old.map(({ id }) => id);
    await tx.import.deleteMany({ where: { id: { in: ids }, state: { notIn: UNFINISHED } } });
    const id = freshId(now);
    await tx.import.create({ data: { ...given, id, createdAt: now } });
    return id;
  });
}

/** What an upload turned out to be. */
type Uploaded = { fileBytes: number; encoding: string | null; columns: ImportColumn[] | null };

/** The file is complete: the import may run. @returns false if the upload is no longer there. */
export async function queueImport(db: Db, id: string, { columns, ...more }: Uploaded): Promise<boolean> {
  const { count } = await db.import.updateMany({
    where: { id, state: 'uploading' },
    data: { ...more, state: 'queued', ...(columns && { columns }) },
  });
  return count > 0;
}

/** Forgets an upload that did not become an import. */
export async function discardUpload(db: Db, id: string): Promise<void> {
  await db.import.deleteMany({ where: { id, state: 'uploading' } });
}

/** @returns null if the account has no such import. */
export async function findImport(db: Pick<Tx, 'import'>, accountId: string, id: string): Promise<Import | null> {
  const row = await db.import.findFirst({ where: { id, accountId, state: { not: 'uploading' } } });
  return row && toImport(row);
}

/** The imports of an account, newest first. */
export async function listImports(db: Db, accountId: string): Promise<Import[]> {
  const found = await db.import.findMany({
    where: { accountId, state: { not: 'uploading' } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MAX_IMPORTS,
  });
  return found.map(toImport);
}

/** Ends an import that has not ended, and deletes its file. */
export async function cancelImport(db: Db, { accountId, id }: { accountId: string; id: string }, now: Date) {
  await db.$transaction(async (tx) => {
    const { count } = await tx.import.updateMany({
      where: { id, accountId, state: { in: WORKABLE } },
      data: { state: 'cancelled', finishedAt: now, leasedUntil: null },
    });
    if (count > 0) await deleteFile(tx, id);
  });
}

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
/** Lines of CSV, with the number of their first row. */
export type RejectedRows = { firstRow: number; csv: Buffer };

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

async function deleteFile(tx: Tx, importId: string): Promise<void> {
  await tx.importChunk.deleteMany({ where: { importId } });
}

/** The next rejected rows of an import after a row; null: there are no more. */
export async function nextRejects(db: Db, importId: string, afterRow: number): Promise<RejectedRows | null> {
  const page = await db.importReject.findFirst({
    where: { importId, firstRow: { gt: afterRow } },
    orderBy: { firstRow: 'asc' },
  });
  return page && { firstRow: page.firstRow, csv: Buffer.from(page.csv) };
}

/** Deletes up to `batch` imports that ended long ago, and uploads that were never completed. @returns their number. */
export async function forgetImports(db: Db, { now, batch }: { now: Date; batch: number }): Promise<number> {
  const ended = new Date(now.getTime() - IMPORT_DAYS * 24 * HOUR_MS).toISOString();
  const uploaded = new Date(now.getTime() - UPLOAD_HOURS * HOUR_MS).toISOString();
  const forgotten = await db.$executeRaw`
    DELETE FROM public.imports WHERE id = ANY (ARRAY(
      SELECT id FROM public.imports WHERE finished_at < ${ended}::timestamptz
      ORDER BY finished_at LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
  const abandoned = await db.$executeRaw`
    DELETE FROM public.imports WHERE id = ANY (ARRAY(
      SELECT id FROM public.imports WHERE state IN ('uploading', 'queued', 'running') AND state = 'uploading'
        AND created_at < ${uploaded}::timestamptz
      ORDER BY created_at LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
  return Math.max(forgotten, abandoned);
}

function toImport(row: ImportRow): Import {
  return {
    ...row,
    state: row.state as ImportState,
    format: row.format as ImportFormat,
    wanted: row.wanted as WantedColumns,
    columns: row.columns as ImportColumn[] | null,
    faults: row.faults as FaultGroup[],
  };
}
