import {
  type FaultGroup,
  type Field,
  IMPORT_DAYS,
  MAX_IMPORTS,
  MAX_UNFINISHED,
  type WantedColumns,
} from '@pts/core/imports';
import type { EndedState } from '@pts/core/notices';
import { column, columns, type Db, hotExecute, hotRows, type Tx } from './connection.ts';
import { type Import as ImportRow, Prisma } from './generated/client.ts';
import { freshId } from './ids.ts';
import { storeNotice } from './notices.ts';
import { claimRun, leaseEnd, type Run, type RunKey } from './run-leases.ts';

type ImportState = 'uploading' | 'queued' | 'running' | EndedState;
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
/** States of imports that are to be run. */
const WORKABLE: ImportState[] = ['queued', 'running'];
type NewImport = Pick<Import, 'accountId' | 'dryRun' | 'fileName' | 'format' | 'wanted'> & { now: Date };

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

/** The properties that an upload turned out to have. */
type Uploaded = Pick<Import, 'fileBytes' | 'encoding' | 'columns'>;

/** The file is complete: the import may run. @returns false if the upload is no longer there. */
export async function queueImport(
  db: Pick<Tx, 'import'>,
  { accountId, id }: RunKey,
  { columns, ...more }: Uploaded,
): Promise<boolean> {
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
    const [ended] = await tx.import.updateManyAndReturn({
      where: { id, accountId, state: { in: WORKABLE } },
      data: { state: 'cancelled', finishedAt: now, leasedUntil: null },
    });
    if (ended) await afterEnd(tx, ended, 'cancelled', now);
  });
}

/** Deletes the file of an import that has ended, and stores the notice, unless it was a dry run. */
async function afterEnd(
  tx: Tx,
  { id, accountId, dryRun, fileName, registered, rejected }: ImportRow,
  state: EndedState,
  now: Date,
): Promise<void> {
  await tx.importChunk.deleteMany({ where: { importId: id, accountId } });
  if (dryRun) return;
  const details = { state, file_name: fileName, registered, rejected };
  await storeNotice(tx, { kind: 'import_ended', accountId, subject: id, details, since: now });
}

/** An import as it is stored. */
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

/** Stores how many rows and which columns a file has. @returns false if the run is no longer this process's. */
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

/**
 * Stores how far an import has come, with the rows that were rejected.
 * @returns false if the run is no longer this process's.
 */
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
    const [ended] = await tx.import.updateManyAndReturn({
      where: { ...run, state: 'running' },
      data: { state, error, finishedAt: now, leasedUntil: null },
    });
    if (ended) await afterEnd(tx, ended, state, now);
  });
}

/** The size of all parts of a file but the last. */
export const CHUNK_BYTES = 256 * 1024;

/** Stores a part of the file of an import. */
export async function insertChunk(db: Db, { accountId, id }: RunKey, seq: number, bytes: Buffer): Promise<void> {
  await hotExecute(
    db,
    Prisma.sql`
      INSERT INTO public.import_chunks (import_id, account_id, seq, bytes) VALUES (${id}, ${accountId}, ${seq}::int, ${bytes})`,
  );
}

const CHUNK = columns({ bytes: column<Buffer>('bytes') });

/**
 * The bytes of a file from `start` to before `end`, part by part.
 * @throws an Error if a part is missing: the file was deleted meanwhile.
 */
export async function* readChunks(
  db: Db,
  { accountId, id }: RunKey,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const seq = Math.floor(at / CHUNK_BYTES);
    const [chunk] = await hotRows(
      db,
      CHUNK,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.import_chunks
        WHERE import_id = ${id} AND account_id = ${accountId} AND seq = ${seq}::int`,
    );
    if (!chunk) throw new Error('a part of the file of an import is missing');
    const from = at - seq * CHUNK_BYTES;
    const part = chunk.bytes.subarray(from, from + end - at);
    yield part;
    at += part.length;
  }
}

/** Rejected rows as lines of CSV, with the number of the first. */
type RejectedRows = { firstRow: number; csv: Buffer };

/** The next rejected rows of an import after a row; null: there are no more. */
export async function nextRejects(db: Db, { accountId, id }: RunKey, afterRow: number): Promise<RejectedRows | null> {
  const page = await db.importReject.findFirst({
    where: { importId: id, accountId, firstRow: { gt: afterRow } },
    orderBy: { firstRow: 'asc' },
  });
  return page && { firstRow: page.firstRow, csv: Buffer.from(page.csv) };
}

/** An upload takes less. */
const UPLOAD_HOURS = 1;
const HOUR_MS = 3_600_000;

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
