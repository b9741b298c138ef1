import { createHash } from 'node:crypto';
import { BODY_BYTES, sizeText } from '@pts/contract/limits';
import { ServiceError } from '@pts/core/errors';
import { MAX_UNFINISHED, type WantedColumns } from '@pts/core/imports';
import { CHUNK_BYTES, insertChunk } from '@pts/db/imports/chunks';
import { discardUpload, type ImportFormat, insertImport } from '@pts/db/imports/imports';
import { DEADLINES } from '@pts/db/pool';
import { type Encoding, guessEncoding } from '@pts/tabular/encoding';
import type { ServiceContext } from '../context.ts';

/** A file that is to be imported. */
export type NewFile = {
  accountId: string;
  dryRun: boolean;
  fileName: string | null;
  wanted: WantedColumns;
  /** As its sender says; `unknown`: a text or a workbook. */
  format: ImportFormat | 'unknown';
  /** As its sender says; another one that the bytes show is read instead. */
  encoding: Encoding | null;
  bytes: AsyncIterable<Buffer>;
};

/** A file that is stored, and is deleted unless `startImport` makes an import of it. */
export type ReceivedFile = {
  id: string;
  accountId: string;
  format: ImportFormat;
  /** Null for a workbook. */
  encoding: Encoding | null;
  wanted: WantedColumns;
  fileBytes: number;
  /** Of its bytes. */
  digest: string;
};

/**
 * Stores a file as it arrives, part by part.
 * @throws ServiceError `payload_too_large`; `bad_request` for an empty file, one of another kind, or an unknown encoding;
 *   `too_many_requests` when too many imports of the account have not ended. Then nothing is stored.
 */
export async function receiveFile(ctx: Pick<ServiceContext, 'db' | 'now'>, file: NewFile): Promise<ReceivedFile> {
  // A slow upload takes minutes anyway.
  const db = ctx.db.$within(DEADLINES.statement);
  const { accountId, dryRun, fileName, wanted } = file;
  const parts = partsOf(file.bytes);
  const first = await parts.next();
  if (first.done) throw badFile('The file is empty.');
  const format = formatOf(file.format, first.value);
  const id = await insertImport(db, { accountId, dryRun, fileName, wanted, format, now: ctx.now() });
  if (id === null) throw tooManyImports();
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
        text: `The file is larger than ${sizeText(BODY_BYTES.file)}. Divide it into several.`,
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
  if (start.subarray(0, OLD_EXCEL.length).equals(OLD_EXCEL))
    throw badFile(
      'The file is a workbook of an old Excel (.xls), or protected with a password. Save it as .xlsx or CSV.',
    );
  if (isZip && (stated === 'csv' || stated === 'ndjson'))
    throw badFile(
      'The file is a workbook or an archive, not text. Save the table as .xlsx or CSV UTF-8; over the API, send .xlsx with its own Content-Type.',
    );
  if (!isZip && stated === 'xlsx') throw badFile('The file is not an Excel workbook (.xlsx). Send text with text/csv.');
  if (stated !== 'unknown') return stated;
  return isZip ? 'xlsx' : 'csv';
}

function encodingOf(format: ImportFormat, encoding: Encoding | null): Encoding {
  if (encoding === null)
    throw badFile('The encoding of the file is none of UTF-8, GB18030 and Windows-1252. Save it as CSV UTF-8.');
  if (format === 'ndjson' && encoding !== 'utf-8') throw badFile('NDJSON must be UTF-8. Save the file as UTF-8.');
  return encoding;
}

function badFile(text: string): ServiceError {
  return new ServiceError('bad_request', { text: `${text} Nothing was imported.` });
}

function tooManyImports(): ServiceError {
  return new ServiceError('too_many_requests', {
    text: `An account can have ${MAX_UNFINISHED} imports that wait or run. Wait until one has ended, or cancel one: DELETE /api/v1/imports/{id}.`,
  });
}
