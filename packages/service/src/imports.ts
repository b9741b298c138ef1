import { createHash } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import { BODY_BYTES, sizeText } from '@pts/contract/limits';
import { guarded } from '@pts/core/csv';
import { refusedField, ServiceError } from '@pts/core/errors';
import {
  addFault,
  type Columns,
  type Field,
  MAX_ROWS,
  MAX_UNFINISHED,
  type RowFault,
  type WantedColumns,
} from '@pts/core/imports';
import { type Message, message, storedMessage } from '@pts/core/languages/message';
import { type Account, findAccount } from '@pts/db/accounts/accounts';
import {
  CHUNK_BYTES,
  cancelImport as cancel,
  claimImport,
  discardUpload,
  endImport,
  findImport as find,
  type Import,
  type ImportColumn,
  type ImportFormat,
  type ImportProgress,
  insertChunk,
  insertImport,
  queueImport,
  readChunks,
  saveProgress,
  saveScan,
} from '@pts/db/imports';
import { DEADLINES } from '@pts/db/pool';
import type { RunKey } from '@pts/db/run-leases';
import { registeredWithin, type Span } from '@pts/db/trackings/records';
import type { Registration } from '@pts/db/trackings/register';
import { type Encoding, guessEncoding } from '@pts/tabular/encoding';
import { type Cell, FileFault, type TableRow } from '@pts/tabular/table';
import { modesOf } from './accounts.ts';
import { type BackgroundContext, rest, type Stops, withLease } from './background-runs.ts';
import type { ServiceContext } from './context.ts';
import { ColumnFault, openTable, type ReadRow, rowReader, type Table, textOf } from './import-rows.ts';
import {
  type BulkItem,
  type ChoiceContext,
  loadLearned,
  previewMany,
  type RegistrationInput,
  registerWhatFits,
  registrationOrRefusal,
} from './trackings/register.ts';

/** A file that is to be imported. */
export type NewFile = {
  accountId: string;
  dryRun: boolean;
  fileName: string | null;
  wanted: WantedColumns;
  /** The format that its sender states; `unknown`: a text or a workbook. */
  format: ImportFormat | 'unknown';
  /** The encoding that its sender states; if the bytes show another one, that is read instead. */
  encoding: Encoding | null;
  bytes: AsyncIterable<Buffer>;
};

/** A file that is stored, and is deleted unless `startImport` makes an import of it. */
type ReceivedFile = {
  id: string;
  accountId: string;
  format: ImportFormat;
  /** Null for a workbook. */
  encoding: Encoding | null;
  wanted: WantedColumns;
  fileBytes: number;
  /** Digest of the file's bytes. */
  digest: string;
};

/**
 * Stores a file as it arrives, part by part.
 * @throws ServiceError `payload_too_large`; `bad_request` for an empty file, one of another kind, or an unknown
 *   encoding; `too_many_requests` when too many imports of the account have not ended. Then nothing is stored.
 */
export async function receiveFile(ctx: Pick<ServiceContext, 'db' | 'now'>, file: NewFile): Promise<ReceivedFile> {
  // A slow upload takes minutes anyway.
  const db = ctx.db.$within(DEADLINES.statement);
  const { accountId, dryRun, fileName, wanted } = file;
  const parts = partsOf(file.bytes);
  const first = await parts.next();
  if (first.done) throw badFile(message('file.empty'));
  const format = formatOf(file.format, first.value);
  const id = await insertImport(db, { accountId, dryRun, fileName, wanted, format, now: ctx.now() });
  if (id === null)
    throw new ServiceError('too_many_requests', { text: message('too_many_imports', { max: MAX_UNFINISHED }) });
  const hash = createHash('sha256');
  const guess = guessEncoding(file.encoding);
  let [seq, fileBytes] = [0, 0];
  try {
    for (let part: IteratorResult<Buffer, void> = first; !part.done; part = await parts.next()) {
      fileBytes += part.value.length;
      hash.update(part.value);
      if (format !== 'xlsx') guess.take(part.value);
      await insertChunk(db, { accountId, id }, seq++, part.value);
    }
    const encoding = format === 'xlsx' ? null : encodingOf(format, guess.encoding());
    return { id, accountId, format, encoding, wanted, fileBytes, digest: hash.digest('hex') };
  } catch (error) {
    await discardUpload(db, { accountId, id }).catch(() => {});
    throw error;
  }
}

/** The bytes in parts of one size. @throws ServiceError beyond the limit. */
async function* partsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let [waiting, all] = [0, 0];
  for await (const piece of bytes) {
    all += piece.length;
    if (all > BODY_BYTES.file)
      throw new ServiceError('payload_too_large', {
        text: message('file.too_large', { size: sizeText(BODY_BYTES.file) }),
      });
    pieces.push(piece);
    waiting += piece.length;
    if (waiting < CHUNK_BYTES) continue;
    const joined = Buffer.concat(pieces);
    const whole = waiting - (waiting % CHUNK_BYTES);
    for (let at = 0; at < whole; at += CHUNK_BYTES) yield joined.subarray(at, at + CHUNK_BYTES);
    pieces = [joined.subarray(whole)];
    waiting -= whole;
  }
  if (waiting > 0) yield Buffer.concat(pieces);
}

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const OLD_EXCEL = Buffer.from('d0cf11e0', 'hex');

/** Browsers also send texts as Excel files, and anything as bytes. */
function formatOf(stated: NewFile['format'], start: Buffer): ImportFormat {
  const isZip = start.subarray(0, ZIP.length).equals(ZIP);
  if (start.subarray(0, OLD_EXCEL.length).equals(OLD_EXCEL)) throw badFile(message('file.old_excel'));
  if (isZip && (stated === 'csv' || stated === 'ndjson')) throw badFile(message('file.archive'));
  if (!isZip && stated === 'xlsx') throw badFile(message('file.not_xlsx'));
  if (stated !== 'unknown') return stated;
  return isZip ? 'xlsx' : 'csv';
}

function encodingOf(format: ImportFormat, encoding: Encoding | null): Encoding {
  if (encoding === null) throw badFile(message('file.encoding'));
  if (format === 'ndjson' && encoding !== 'utf-8') throw badFile(message('file.ndjson_utf8'));
  return encoding;
}

function badFile(text: Message): ServiceError {
  return new ServiceError('bad_request', { text: message('file.nothing_imported', { text }) });
}

/**
 * Makes an import of a file that was received, and wakes a poller, which runs it. Of a text, the header is read at
 * once; a workbook has to be unpacked for that.
 * @throws ServiceError `invalid_field` for a column that does not exist, or if there is none for tracking numbers;
 *   `bad_request` for a file that cannot be read.
 */
export async function startImport(
  { db, producer, audit }: Pick<ServiceContext, 'db' | 'producer' | 'audit'>,
  file: ReceivedFile,
): Promise<Import> {
  const { id, accountId, fileBytes, encoding } = file;
  const columns = file.format === 'xlsx' ? null : await readColumns({ db }, file);
  const found = await db.$transaction(async (tx) => {
    const queued = (await queueImport(tx, file, { fileBytes, encoding, columns })) && (await find(tx, accountId, id));
    if (queued && !queued.dryRun) await audit?.(tx, { id, name: queued.fileName });
    return queued;
  });
  if (!found) throw new Error('an upload has gone before it became an import');
  await producer.startRun({ kind: 'import', id, accountId });
  return found;
}

async function readColumns({ db }: Pick<ServiceContext, 'db'>, file: ReceivedFile): Promise<ImportColumn[]> {
  const source = {
    size: file.fileBytes,
    read: (start: number, end: number) => readChunks(db, file, start, end),
    pause: () => nextRound(),
  };
  try {
    const { columns, rows } = await openTable(source, file);
    await rows.return(undefined);
    return columns;
  } catch (error) {
    if (error instanceof ColumnFault) throw refusedField(`${error.field}_column`, error.fault);
    if (error instanceof FileFault) throw new ServiceError('bad_request', { text: error.text });
    throw error;
  }
}

/** @throws ServiceError `not_found` when the account has no such import. */
export async function findImport({ db }: Pick<ServiceContext, 'db'>, { accountId, id }: RunKey): Promise<Import> {
  const found = await find(db, accountId, id);
  if (found) return found;
  throw new ServiceError('not_found', { text: message('no_such_import') });
}

/** Ends an import if it has not ended; what it has registered stays so. @throws ServiceError `not_found`. */
export async function cancelImport(ctx: Pick<ServiceContext, 'db' | 'now'>, key: RunKey): Promise<Import> {
  await cancel(ctx.db, key, ctx.now());
  return findImport(ctx, key);
}

export type RunContext = ImportContext & BackgroundContext;

/** How many rows are registered together, and how many characters they may have. */
const BATCH = { rows: 200, characters: 256 * 1024 };
/** Processes that may be lost at one place of a file. */
const MAX_LOST = 10;

/**
 * Works on an import until it has ended or the process stops, if no other process does. Each batch of rows is
 * registered, then the place is stored behind it: after a kill, another process goes on from there, and registering the
 * rows in between again changes nothing. A file that cannot be read fails its import, before anything is registered.
 */
export async function runImport(ctx: RunContext, key: RunKey): Promise<void> {
  const { db, now } = ctx;
  const claimed = await claimImport(db, key, now());
  if (!claimed) return;
  const fail = (error: Message) =>
    endImport(db, claimed.run, { state: 'failed', error: storedMessage(error), now: now() });
  if (claimed.found.lostRuns >= MAX_LOST) {
    await fail(message('file.lost'));
    throw new Error(`${MAX_LOST} processes have worked on an import, and were lost at the same place`);
  }
  await withLease(ctx, 'imports', claimed, {
    work: async (stops) => {
      try {
        await work(ctx, claimed, stops);
      } catch (error) {
        if (!(error instanceof FileFault)) throw error;
        await fail(error.text);
      }
    },
    end: () => fail(message('file.internal')),
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
    if (++rowsTotal > MAX_ROWS) throw new FileFault(message('file.too_many_rows', { max: MAX_ROWS }));
  }
  if (rowsTotal === 0) throw new FileFault(message(found.format === 'ndjson' ? 'file.no_rows' : 'file.only_header'));
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
    if (!account || account.disabledAt !== null) throw new FileFault(message('file.account_disabled'));
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

type ImportContext = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'sandbox' | 'learned' | 'quotas' | 'now'>;

/** A row that was not registered: its group, and why, in words of its own. */
type Reject = { row: TableRow; fault: RowFault; reason: string };
/** The outcome of processing some rows. */
type Processed = { registered: number; known: number; updated: number; rejects: Reject[] };

type Given = { row: TableRow; input: RegistrationInput };

/**
 * Registers rows with the account's quota, as the other ways of registering do; when it is used up, the rest is
 * rejected. Repeating it registers and charges nothing twice.
 * @param earlier when these rows may have been processed before: parcels that were registered then count as registered.
 */
async function registerRows(
  ctx: ImportContext,
  account: Account,
  rows: readonly ReadRow[],
  earlier: Span | null,
): Promise<Processed> {
  const { items, rejects } = await toItems({ ...ctx, accountId: account.id }, rows);
  const { accepted, refused } = await registerWhatFits(ctx, account, items);
  const known = accepted.filter(({ tracking }) => !tracking.created);
  const updated = new Set(known.flatMap(({ tracking }) => (tracking.updated ? [tracking.id] : [])));
  const ids = new Set(known.map(({ tracking }) => tracking.id));
  const before = earlier === null ? new Set() : await registeredWithin(ctx.db, account.id, [...ids], earlier);
  const counts = { registered: accepted.length - known.length, known: 0, updated: 0 };
  // A number may be in several rows: it counts as registered, or as updated, once.
  for (const { tracking } of known) {
    if (before.delete(tracking.id)) counts.registered += 1;
    else if (updated.delete(tracking.id)) counts.updated += 1;
    else counts.known += 1;
  }
  return { ...counts, rejects: [...rejects, ...refused.map(({ given, error }) => refusedRow(given.row, error))] };
}

/**
 * Previews what `registerRows` would do now, whatever the quota: nothing is stored, charged or queried.
 * @param charged the registrations that would be charged so far, which are added to it.
 */
async function previewRows(
  ctx: Pick<ImportContext, 'db' | 'providers' | 'sandbox' | 'learned' | 'quotas' | 'now'>,
  account: Account,
  rows: readonly ReadRow[],
  charged: Set<string>,
): Promise<Processed> {
  const { items, rejects } = await toItems({ ...ctx, accountId: account.id }, rows);
  const unlimited = { ...account, quotaOverride: Number.POSITIVE_INFINITY };
  const { accepted, refused } = await previewMany(ctx, unlimited, items);
  const before = charged.size;
  for (const { tracking } of accepted) if (tracking.charged) charged.add(keyOf(tracking.registration));
  const registered = charged.size - before;
  return {
    registered,
    known: accepted.length - registered,
    updated: 0,
    rejects: [...rejects, ...refused.map(({ given, error }) => refusedRow(given.row, error))],
  };
}

/**
 * Adds to `charged` what rows that an earlier run has previewed register. For known parcels that is too much, but does
 * not matter: they are not charged anyway.
 */
async function rememberCharged(
  ctx: Pick<ImportContext, 'providers' | 'sandbox' | 'learned'>,
  rows: readonly ReadRow[],
  charged: Set<string>,
): Promise<void> {
  const { items } = await toItems(ctx, rows);
  for (const { wanted } of items) if (!(wanted instanceof ServiceError)) charged.add(keyOf(wanted));
}

function keyOf({ trackingNumber, carrier, detected }: Registration): string {
  return detected ? trackingNumber : `${trackingNumber} ${carrier}`;
}

async function toItems(
  ctx: ChoiceContext,
  rows: readonly ReadRow[],
): Promise<{ items: BulkItem<Given>[]; rejects: Reject[] }> {
  const rejects: Reject[] = [];
  const readable: Given[] = [];
  for (const read of rows) {
    if ('input' in read) readable.push(read);
    else rejects.push({ ...read, reason: inWords(read.fault) });
  }
  await loadLearned(
    ctx,
    readable.map(({ input }) => input),
  );
  const items = readable.map((given) => ({ given, wanted: registrationOrRefusal(ctx, () => given.input) }));
  return { items, rejects };
}

/** One fault for all rows that are repaired in the same way; the message of an error may name more. */
const GROUPS: Partial<Record<ServiceError['error'], RowFault>> = {
  carrier_undetected: { field: 'courier_code', message: message('row.carrier_undetected') },
  unknown_courier: { field: 'courier_code', message: message('row.unknown_courier') },
  quota_exhausted: { field: null, message: message('row.quota_exhausted') },
};

function refusedRow(row: TableRow, { error, text, fields }: ServiceError): Reject {
  const [first] = fields;
  const named = { field: (first?.field ?? null) as Field | null, message: first?.message ?? message(`error.${error}`) };
  const fault = GROUPS[error] ?? named;
  return { row, fault, reason: error === 'carrier_undetected' ? `${text}` : inWords(fault) };
}

function inWords({ field, message }: RowFault): string {
  return field === null ? `${message}` : `${field} ${message}`;
}

/** The last column of rejected rows. A file that has it already was rejected before: it gets new reasons. */
const REASON = 'rejected_because';
/** Spreadsheets take a file for UTF-8 by this. */
const BYTE_ORDER_MARK = '\ufeff';

/** The header of rejected rows: the columns of their file, and the reason. */
export function rejectedHeader(columns: readonly ImportColumn[]): string {
  return `${BYTE_ORDER_MARK}${toLine([...columns.flatMap(({ header }) => (header === REASON ? [] : guarded(header))), REASON])}`;
}

/** Rejected rows with their reasons, under that header. */
function rejectedLines(columns: readonly ImportColumn[], rejects: readonly Reject[]): string {
  return rejects
    .map(({ row, reason }) => {
      const cells = columns.flatMap(({ header }, place) => (header === REASON ? [] : written(row.cells[place])));
      return toLine([...cells, reason]);
    })
    .join('');
}

/** A cell for a spreadsheet. A number whose digits are lost stays one, so that it is not taken for a corrected text. */
function written(cell: Cell = ''): string {
  const isCut = typeof cell === 'object' && cell.fault !== 'undecodable';
  return isCut ? cell.text : guarded(textOf(cell));
}

function toLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(',')}\r\n`;
}
