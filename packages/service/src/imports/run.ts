import { addFault, type Columns, MAX_ROWS } from '@pts/core/imports';
import { findAccount } from '@pts/db/accounts/accounts';
import { readChunks } from '@pts/db/imports/chunks';
import type { Import, ImportColumn } from '@pts/db/imports/imports';
import { claimImport, endImport, type ImportProgress, saveProgress, saveScan } from '@pts/db/imports/runs';
import type { RunKey } from '@pts/db/runs/leases';
import type { Encoding } from '@pts/tabular/encoding';
import { FileFault, type TableRow } from '@pts/tabular/table';
import { modesOf } from '../accounts/mode.ts';
import { type BackgroundContext, rest, type Stops, withLease } from '../runs/background.ts';
import { openTable, type Table, textOf } from './open-table.ts';
import {
  type ImportContext,
  type Processed,
  previewRows,
  type Reject,
  registerRows,
  rememberCharged,
} from './process-batch.ts';
import { rowReader } from './read-row.ts';
import { rejectedLines } from './rejected-csv.ts';

export type RunContext = ImportContext & BackgroundContext;

/** How many rows are registered together, and how many characters they may have. */
const BATCH = { rows: 200, characters: 256 * 1024 };
const INTERNAL_ERROR =
  'An internal error has stopped the import. What is registered stays: upload the file again, which costs nothing for it.';

/** Processes that may be lost at one place of a file. */
const MAX_LOST = 10;
const LOST =
  'The process that read the file has stopped again and again at the same place. What is registered stays: divide the file, or save it as CSV UTF-8, and upload it again, which costs nothing for it.';

/**
 * Works on an import until it has ended or the process stops, if no other process does. Each batch of rows is registered, then the
 * place is stored behind it: after a kill, another process goes on from there, and registering the rows in between again changes
 * nothing. A file that cannot be read fails its import, before anything is registered.
 */
export async function runImport(ctx: RunContext, key: RunKey): Promise<void> {
  const { db, now } = ctx;
  const claimed = await claimImport(db, key, now());
  if (!claimed) return;
  const fail = (error: string) => endImport(db, claimed.run, { state: 'failed', error, now: now() });
  if (claimed.found.lostRuns >= MAX_LOST) {
    await fail(LOST);
    throw new Error(`${MAX_LOST} processes have worked on an import, and were lost at the same place`);
  }
  await withLease(ctx, 'imports', claimed, {
    work: async (stops) => {
      try {
        await work(ctx, claimed, stops);
      } catch (error) {
        if (!(error instanceof FileFault)) throw error;
        await fail(error.message);
      }
    },
    end: () => fail(INTERNAL_ERROR),
  });
}

type Claimed = NonNullable<Awaited<ReturnType<typeof claimImport>>>;

async function work(ctx: RunContext, claimed: Claimed, stops: Stops): Promise<void> {
  const { db, now } = ctx;
  const { run, found } = claimed;
  const columns = found.rowsTotal === null ? await scan(ctx, claimed, stops) : found.columns;
  if (!columns) return;
  const table = await open(ctx, found, stops);
  const progress = progressOf(found);
  const { pass, process } = processor(ctx, claimed, columns);
  try {
    for await (const rows of batches(table, progress.position)) {
      if (isBefore(rows, progress.position)) {
        await pass(rows);
        continue;
      }
      await stops.nextBatch();
      const startedAt = performance.now();
      const processed = await process(rows);
      count(progress, rows, processed);
      if (!(await saveProgress(db, run, progress, rejectsOf(columns, processed.rejects), now()))) return;
      await rest(ctx, startedAt);
    }
  } finally {
    await table.rows.return(undefined);
  }
  await endImport(db, run, { state: 'done', now: now() });
}

/** Reading it ends where the run has to stop, also where the file has no rows for long. */
function open({ db }: RunContext, found: Import, { checkpoint }: Stops): Promise<Table> {
  const { fileBytes, format, encoding, wanted } = found;
  const read = async function* (start: number, end: number) {
    for await (const part of readChunks(db, found, start, end)) {
      await checkpoint();
      yield part;
    }
  };
  const source = { size: fileBytes, read, pause: checkpoint };
  return openTable(source, { format, encoding: encoding as Encoding | null, wanted });
}

/**
 * Reads the whole file once, so that one that cannot be read, or is too long, fails before anything is registered.
 * @returns its columns; null if the run has ended.
 */
async function scan(ctx: RunContext, { run, found }: Claimed, stops: Stops): Promise<ImportColumn[] | null> {
  const { columns, rows } = await open(ctx, found, stops);
  let rowsTotal = 0;
  for await (const _ of rows) {
    if (++rowsTotal > MAX_ROWS)
      throw new FileFault(
        `The file has more than ${MAX_ROWS.toLocaleString('en')} rows. Divide it into several files.`,
      );
  }
  if (rowsTotal === 0)
    throw new FileFault(found.format === 'ndjson' ? 'The file has no rows.' : 'The file has a header, but no rows.');
  return (await saveScan(ctx.db, run, { rowsTotal, columns })) ? columns : null;
}

/** The rows of a table, some at a time: those up to a position apart from those behind it. */
async function* batches({ rows }: Table, position: number): AsyncGenerator<TableRow[]> {
  let batch: TableRow[] = [];
  let characters = 0;
  for await (const row of rows) {
    const isFull = batch.length === BATCH.rows || characters >= BATCH.characters;
    if (isFull || (row.number > position && isBefore(batch, position))) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(row);
    for (const cell of row.cells) characters += textOf(cell).length;
  }
  if (batch.length > 0) yield batch;
}

/** Whether rows were processed by an earlier run, up to this position. */
function isBefore([first]: readonly TableRow[], position: number): boolean {
  return first !== undefined && first.number <= position;
}

type Processor = {
  /** Rows that were processed by an earlier run. */
  pass(rows: TableRow[]): Promise<void>;
  process(rows: TableRow[]): Promise<Processed>;
};

/** Registers rows, or, in a dry run, only says what would become of them. */
function processor(anyMode: RunContext, { found, leasedBefore }: Claimed, columns: readonly ImportColumn[]): Processor {
  const places = columns.flatMap(({ field }, place) => (field === null ? [] : [[field, place] as const]));
  const contextOf = modesOf(anyMode);
  const charged = new Set<string>();
  // The run before may have registered the rows behind its last place, as long as it had its lease.
  const since = found.progressAt ?? found.startedAt;
  let earlier = since && leasedBefore && { since, until: leasedBefore };
  const read = async (rows: TableRow[]) => {
    // As it is now: its plan may have changed, or it may have been disabled.
    const account = await findAccount(anyMode.db, found.accountId);
    if (!account || account.disabledAt !== null) throw new FileFault('The account is disabled.');
    const ctx = contextOf(account);
    return { ctx, account, readRows: rows.map(rowReader(Object.fromEntries(places) as Columns, ctx)) };
  };
  return {
    async pass(rows) {
      if (!found.dryRun || anyMode.stopping.aborted) return;
      const { ctx, readRows } = await read(rows);
      await rememberCharged(ctx, readRows, charged);
    },
    async process(rows) {
      const { ctx, account, readRows } = await read(rows);
      if (found.dryRun) return previewRows(ctx, account, readRows, charged);
      const processed = await registerRows(ctx, account, readRows, earlier);
      earlier = null;
      return processed;
    },
  };
}

function progressOf({ position, read, registered, known, updated, rejected, faults }: Import): ImportProgress {
  return { position, read, registered, known, updated, rejected, faults };
}

/** Adds what became of rows to the counts. */
function count(progress: ImportProgress, rows: readonly TableRow[], { rejects, ...counts }: Processed): void {
  progress.position = rows.at(-1)?.number ?? progress.position;
  progress.read += rows.length;
  progress.registered += counts.registered;
  progress.known += counts.known;
  progress.updated += counts.updated;
  progress.rejected += rejects.length;
  rejects.sort((a, b) => a.row.number - b.row.number);
  for (const { row, fault } of rejects) addFault(progress.faults, fault, row.number);
}

function rejectsOf(columns: readonly ImportColumn[], rejects: readonly Reject[]) {
  const [first] = rejects;
  return first ? { firstRow: first.row.number, csv: Buffer.from(rejectedLines(columns, rejects)) } : null;
}
