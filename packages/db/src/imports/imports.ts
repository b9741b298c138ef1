import { type FaultGroup, type Field, MAX_IMPORTS, MAX_UNFINISHED, type WantedColumns } from '@pts/core/imports';
import type { Db, Tx } from '../connection.ts';
import type { Import as ImportRow } from '../generated/client.ts';
import { freshId } from '../ids.ts';
import type { RunKey } from '../runs/leases.ts';

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
/** Those that are to be run. */
const WORKABLE: ImportState[] = ['queued', 'running'];
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
    await tx.import.deleteMany({ where: { accountId, id: { in: ids }, state: { notIn: UNFINISHED } } });
    const id = freshId(now);
    await tx.import.create({ data: { ...given, id, createdAt: now } });
    return id;
  });
}

/** What an upload turned out to be. */
type Uploaded = { fileBytes: number; encoding: string | null; columns: ImportColumn[] | null };

/** The file is complete: the import may run. @returns false if the upload is no longer there. */
export async function queueImport(db: Db, { accountId, id }: RunKey, { columns, ...more }: Uploaded): Promise<boolean> {
  const { count } = await db.import.updateMany({
    where: { id, accountId, state: 'uploading' },
    data: { ...more, state: 'queued', ...(columns && { columns }) },
  });
  return count > 0;
}

/** Forgets an upload that did not become an import. */
export async function discardUpload(db: Db, { accountId, id }: RunKey): Promise<void> {
  await db.import.deleteMany({ where: { id, accountId, state: 'uploading' } });
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
export async function cancelImport(db: Db, { accountId, id }: RunKey, now: Date) {
  await db.$transaction(async (tx) => {
    const { count } = await tx.import.updateMany({
      where: { id, accountId, state: { in: WORKABLE } },
      data: { state: 'cancelled', finishedAt: now, leasedUntil: null },
    });
    if (count > 0) await deleteFile(tx, { accountId, id });
  });
}

/** Deletes the file of an import that has ended. */
export async function deleteFile(tx: Tx, { accountId, id }: RunKey): Promise<void> {
  await tx.importChunk.deleteMany({ where: { importId: id, accountId } });
}

/** An import as it is stored. */
export function toImport(row: ImportRow): Import {
  return {
    ...row,
    state: row.state as ImportState,
    format: row.format as ImportFormat,
    wanted: row.wanted as WantedColumns,
    columns: row.columns as ImportColumn[] | null,
    faults: row.faults as FaultGroup[],
  };
}
