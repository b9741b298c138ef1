import { isUtf8 } from 'node:buffer';
import { type ByteSource, type Cell, MAX_CELL, MAX_ROW_BYTES, sliced, type TableRow } from './table.ts';

/** Levels of objects and lists in a line. */
const MAX_LEVELS = 32;
const LINE_FEED = 10;

/**
 * The rows of a file with one JSON value per line: an object, or a text alone for the first column. Other values than
 * texts are kept as JSON. A number that has too many digits to be read exactly is a fault of its cell.
 * @param columns the fields of the objects, which become the cells.
 */
export async function* readNdjson(source: ByteSource, columns: readonly string[]): AsyncGenerator<TableRow> {
  let number = 0;
  for await (const line of linesOf(sliced(source.read(0, source.size), source))) {
    number += 1;
    if (line === null) yield { number, cells: [], fault: 'too_long' };
    else {
      const row = toRow(line, columns);
      if (row) yield { number, ...row };
    }
  }
}

function toRow(line: Buffer, columns: readonly string[]) {
  if (!isUtf8(line)) return { cells: [], fault: 'not_utf8' as const };
  const text = line
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim();
  if (text === '') return null;
  const unreadable = { cells: [text.slice(0, MAX_CELL)], fault: 'not_json' as const };
  if (depthOf(text) > MAX_LEVELS) return unreadable;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return { cells: [value.slice(0, MAX_CELL)] };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return unreadable;
    return { cells: columns.map((column) => toCell((value as Record<string, unknown>)[column])) };
  } catch {
    return unreadable;
  }
}

function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return { text: String(value), fault: 'digits_lost' };
  return (typeof value === 'string' ? value.trim() : JSON.stringify(value)).slice(0, MAX_CELL);
}

/** Strings, whose brackets do not count, and brackets. */
const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*"?|[[\]{}]/g;

function depthOf(text: string): number {
  let [depth, max] = [0, 0];
  for (const [token] of text.matchAll(STRING_OR_BRACKET)) {
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    max = Math.max(max, depth);
  }
  return max;
}

/** Lines as they arrive; null for one that is too long, of which nothing is kept. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  let pieces: Buffer[] = [];
  let length = 0;
  const take = (piece: Buffer) => {
    length += piece.length;
    if (length > MAX_ROW_BYTES) pieces = [];
    else pieces.push(piece);
  };
  const finish = () => {
    const line = length > MAX_ROW_BYTES ? null : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      take(chunk.subarray(from, end));
      from = end + 1;
      yield finish();
    }
    take(chunk.subarray(from));
  }
  if (length > 0) yield finish();
}
