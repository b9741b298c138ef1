import { Readable } from 'node:stream';
import { message } from '@pts/core/languages/message';
import { CsvError, parse } from 'csv-parse';
import { decode, type Encoding, UNDECODABLE } from './encoding.ts';
import {
  type ByteSource,
  type Cell,
  FileFault,
  MAX_CELL,
  MAX_COLUMNS,
  MAX_ROW_BYTES,
  sliced,
  type TableRow,
} from './table.ts';

const DELIMITERS = [',', ';', '\t'] as const;
/** A file may have several, such as one that was put together from two. */
const LINE_ENDS = ['\r\n', '\n', '\r'];
/** A first line that tells Excel the delimiter. */
const HINT = /^[^\S\r\n]{0,9}"?sep=([,;\t])"?[^\S\r\n]{0,9}(?:\r\n|\n|\r|$)/i;
/** Blank rows before the first one. */
const MAX_LEADING = 1000;
/** Characters at the start of a file, in which its delimiter is looked for. */
const START = 64 * 1024;

/**
 * The rows of a file with separated values: comma, semicolon or tab, as a line `sep=;` before them says, or whichever
 * the first line that is not blank has most of.
 * @throws FileFault for quotes that may have swallowed a row, for a row that is too long, and for blank rows where the
 *   first one is expected.
 */
export async function* readCsv(source: ByteSource, encoding: Encoding): AsyncGenerator<TableRow> {
  const { start, rest } = await split(decode(sliced(source.read(0, source.size), source), encoding));
  const hint = HINT.exec(start);
  const delimiter = hint?.[1] ?? delimiterOf(start);
  const parser = parse({
    delimiter,
    raw: true,
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_ROW_BYTES,
  });
  const text = Readable.from(
    (async function* () {
      yield start.slice(hint?.[0].length ?? 0);
      yield* rest;
    })(),
  );
  text.on('error', (error) => parser.destroy(error));
  text.pipe(parser);
  let number = 0;
  let isStarted = false;
  let widest = 0;
  try {
    for await (const { record, raw } of parser as AsyncIterable<{ record: string[]; raw: string }>) {
      number += 1;
      if (isSwallowing(record, raw, { delimiter, widest })) throw unbalanced(number, raw);
      widest = Math.max(widest, record.length);
      const cells = record.slice(0, MAX_COLUMNS).map(toCell);
      const isBlank = cells.every((cell) => cell === '');
      isStarted ||= !isBlank;
      if (!isStarted && number === MAX_LEADING) throw new FileFault(message('file.blank_rows', { max: MAX_LEADING }));
      if (!isBlank) yield { number, cells };
    }
  } catch (error) {
    throw error instanceof CsvError ? toFault(error) : error;
  } finally {
    text.destroy();
    parser.destroy();
  }
}

/** Reads as far as the delimiter can be seen. */
async function split(text: AsyncGenerator<string>): Promise<{ start: string; rest: AsyncGenerator<string> }> {
  let start = '';
  while (start.length < START && !/[\r\n]/.test(start.trimStart())) {
    const piece = await text.next();
    if (piece.done) break;
    start += piece.value;
  }
  return { start, rest: text };
}

/** The delimiter of the first line that is not blank, outside of its quotes. */
function delimiterOf(text: string): string {
  const lines = text.replaceAll(/"[^"]*"/g, '""').split(/[\r\n]/);
  // Some exports put a tab behind each cell, so that spreadsheets take it for text.
  const line = (lines.find((each) => each.trim() !== '') ?? '').replaceAll(/\t(?=[,;])/g, '');
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: line.split(delimiter).length - 1 }));
  return counted.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}

/**
 * Whether a quote that is not closed, or not doubled, may have joined rows or cells of the file. The parser takes stray
 * quotes as they are, such as those of `"5" nail"`, which do no harm while a row keeps its cells.
 */
function isSwallowing(
  record: readonly string[],
  raw: string,
  { delimiter, widest }: { delimiter: string; widest: number },
): boolean {
  const isNarrow = record.length < widest;
  const joined = record.filter((cell) => /[\r\n]/.test(cell));
  if (joined.length === 0 && !isNarrow) return false;
  return !isBalanced(raw, delimiter) || (isNarrow && joined.some((cell) => cell.includes(delimiter)));
}

/** Whether each quote at the beginning of a cell is closed at the end of one. */
function isBalanced(raw: string, delimiter: string): boolean {
  const ends = new Set([delimiter, '\r', '\n', undefined]);
  for (let at = 0; at < raw.length; at += 1) {
    if (raw[at] === '"') {
      at = raw.indexOf('"', at + 1);
      while (at >= 0 && raw[at + 1] === '"') at = raw.indexOf('"', at + 2);
      if (at < 0 || !ends.has(raw[at + 1])) return false;
    }
    while (at < raw.length && !ends.has(raw[at])) at += 1;
  }
  return true;
}

/** Characters of a row that a refusal quotes. */
const MAX_QUOTED = 60;

function unbalanced(row: number, raw: string): FileFault {
  const [line = ''] = raw.split(/[\r\n]/, 1);
  return new FileFault(message('file.quote_in_cell', { row, line: line.slice(0, MAX_QUOTED) }));
}

/** Spreadsheets show `="00123"` as it is meant: as text, with its zeros. */
function toCell(text: string): Cell {
  const trimmed = text.trim();
  const quoted = /^="(.*)"$/.exec(trimmed)?.[1];
  if (quoted !== undefined) return quoted.slice(0, MAX_CELL);
  const cell = trimmed.slice(0, MAX_CELL);
  const fault = cutOf(cell);
  if (fault !== null) return { text: cell, fault };
  return cell.includes(UNDECODABLE) ? { text: cell.replaceAll(UNDECODABLE, '\ufffd'), fault: 'undecodable' } : cell;
}

/** Spreadsheets save a number with zeros behind its first 15 digits. One number in a thousand has three there. */
const CUT = /^[1-9]\d{14}(0{1,100})$/;
const MANY_ZEROS = 3;

function cutOf(cell: string): 'digits_lost' | 'digits_doubtful' | null {
  const zeros = CUT.exec(cell)?.[1]?.length ?? 0;
  if (zeros === 0) return null;
  return zeros >= MANY_ZEROS ? 'digits_lost' : 'digits_doubtful';
}

function toFault({ code, records }: CsvError): FileFault {
  const row = Number(records ?? 0) + 1;
  if (code === 'CSV_MAX_RECORD_SIZE')
    return new FileFault(message('file.row_too_long', { row, size: MAX_ROW_BYTES / 1024 }));
  return new FileFault(message(code === 'CSV_QUOTE_NOT_CLOSED' ? 'file.quote_open' : 'file.not_csv', { row }));
}
