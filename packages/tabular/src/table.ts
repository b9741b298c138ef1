import type { Message } from '@pts/core/languages/message';

/** A cell as text, or why the file no longer has its text. */
export type Cell = string | { text: string; fault: CellFault };
/**
 * `digits_lost`: a number of more than 15 digits, of which spreadsheets keep only 15, and JSON parsers one or two more.
 * `digits_doubtful`: one of a text file whose last zeros may be such lost digits.
 * `undecodable`: bytes that are not valid in the encoding of the file; the text has U+FFFD in their place.
 */
export type CellFault = 'digits_lost' | 'digits_doubtful' | 'undecodable';

/** A row of a table. `number` counts as spreadsheets and editors do, from 1; empty rows are left out, but counted. */
export type TableRow = { number: number; cells: Cell[] } | { number: number; cells: Cell[]; fault: UnreadableRow };
/** Why a row as a whole cannot be read. */
export type UnreadableRow = 'not_json' | 'not_utf8' | 'too_long';

/** A file that can be read from any place, any number of times. */
export type ByteSource = {
  size: number;
  /** The bytes from `start` to before `end`, in pieces of any size. */
  read(start: number, end: number): AsyncIterable<Buffer>;
  /** Called after each slice of the reading, for other work on the thread. It may throw to end the reading. */
  pause(): Promise<void>;
};

/** Size of a slice: reading as many of the shortest rows takes a few milliseconds. */
const SLICE_BYTES = 2048;

/** Bytes slice by slice, with a pause after each. */
export async function* sliced(bytes: AsyncIterable<Buffer>, { pause }: Pick<ByteSource, 'pause'>) {
  for await (const piece of bytes)
    for (let at = 0; at < piece.length; at += SLICE_BYTES) {
      yield piece.subarray(at, at + SLICE_BYTES);
      await pause();
    }
}

/** Why a file as a whole cannot be read, and what to do about it: for its sender. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  readonly text: Message;

  constructor(text: Message) {
    super(text.toString());
    this.text = text;
  }
}

/** Cells of a row beyond this are dropped. */
export const MAX_COLUMNS = 200;
/**
 * Characters of a cell beyond this are dropped: no field takes as many. The longest are metadata whose characters are
 * all escaped.
 */
export const MAX_CELL = 36_000;
/** Bytes of a row of text. */
export const MAX_ROW_BYTES = 64 * 1024;
