import { Readable } from 'node:stream';
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
 * @throws FileFault for a quote that is not closed, for a row that is too long, and for blank rows where the first one
 *   is expected.
 */
export async function* readCsv(source: ByteSource, encoding: Encoding): AsyncGenerator<TableRow> {
  const { start, rest } = await split(decode(sliced(source.read(0, source.size), source), encoding));
  const hint = HINT.exec(start);
  const parser = parse({
    delimiter: hint?.[1] ?? delimiterOf(start),
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
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      number += 1;
      const cells = record.slice(0, MAX_COLUMNS).map(toCell);
      const isBlank = cells.every((cell) => cell === '');
      isStarted ||= !isBlank;
      if (!isStarted && number === MAX_LEADING) throw new FileFault(NO_START);
      if (!isBlank) yield { number, cells };
    }
  } catch (error) {
    throw error instanceof CsvError ? toFault(error) : error;
  } finally {
    text.destroy();
    parser.destroy();
  }
}

const NO_START = `The file begins with ${MAX_LEADING} blank rows. Remove them, and upload the file again.`;

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
export function delimiterOf(text: string): string {
  const lines = text.replaceAll(/"[^"]*"/g, '""').split(/[\r\n]/);
  // Some exports put a tab behind each cell, so that spreadsheets take it for text.
  const line = (lines.find((each) => each.trim() !== '') ?? '').replaceAll(/\t(?=[,;])/g, '');
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: line.split(delimiter).length - 1 }));
  return counted.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}

/** Spreadsheets show `="00123"` as it is meant: as text, with its zeros. */
function toCell(text: string): Cell {
  const trimmed = text.trim();
  const cell = (/^="(.*)"$/.exec(trimmed)?.[1] ?? trimmed).slice(0, MAX_CELL);
  return cell.includes(UNDECODABLE) ? { text: cell.replaceAll(UNDECODABLE, '\ufffd'), fault: 'undecodable' } : cell;
}

function toFault({ code, records }: CsvError): FileFault {
  const row = Number(records ?? 0) + 1;
  if (code === 'CSV_MAX_RECORD_SIZE')
    return new FileFault(
      `Row ${row} has more than ${MAX_ROW_BYTES / 1024} KiB: perhaps a quote that is not closed. Correct it, and upload the file again.`,
    );
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return new FileFault(`A quote in or after row ${row} is not closed. Correct it, and upload the file again.`);
  return new FileFault(`The file cannot be read as CSV at row ${row}. Save it again as CSV UTF-8.`);
}
