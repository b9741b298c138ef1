import { isUtf8 } from 'node:buffer';

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
/** The most pieces of an incomplete line. */
const MAX_PIECES = 64;
/** The most lines that are passed on together. */
const MAX_TOGETHER = 64;

/** A line of an upload, or its fault. */
export type Line = { text: string } | { fault: 'too_long' | 'not_utf8' };

/**
 * The lines of a body as it arrives, some at a time. Of an incomplete line, at most `maxBytes` are kept in memory; a longer line
 * is reported as a fault and skipped, and so is one that is not UTF-8. Empty lines, and those of only spaces and tabs, are skipped
 * at almost no cost: a body may have millions of them.
 */
export async function* linesOf(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line[]> {
  let lines: Line[] = [];
  let rest: Buffer[] = [];
  let bytes = 0;
  const take = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) rest = [];
    else rest.push(piece);
    // A line that arrives byte by byte would cost far more than its bytes.
    if (rest.length >= MAX_PIECES) rest = [Buffer.concat(rest)];
  };
  const finish = (): Line | null => {
    if (bytes === 0) return null;
    const isTooLong = bytes > maxBytes;
    const line = Buffer.concat(rest);
    rest = [];
    bytes = 0;
    return isTooLong ? { fault: 'too_long' } : decode(line);
  };
  for await (const chunk of body) {
    let from = bytes === 0 ? pastBlank(chunk, 0) : 0;
    for (let end = chunk.indexOf(LINE_FEED, from); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      take(chunk.subarray(from, end));
      from = pastBlank(chunk, end + 1);
      const line = finish();
      if (line) lines.push(line);
      if (lines.length < MAX_TOGETHER) continue;
      yield lines;
      lines = [];
    }
    if (from < chunk.length) take(chunk.subarray(from));
    if (lines.length > 0) yield lines;
    lines = [];
  }
  const last = finish();
  if (last) yield [last];
}

/** The start of the first line that is not blank; leading spaces are ignored. */
function pastBlank(chunk: Buffer, at: number): number {
  let from = at;
  for (let code = chunk[from]; code === SPACE || code === LINE_FEED || code === RETURN || code === TAB; ) {
    from += 1;
    code = chunk[from];
  }
  return from;
}

/** A line that is blank in another way (no-break spaces) counts as one: each costs as much as any other. */
function decode(line: Buffer): Line {
  return isUtf8(line) ? { text: line.toString('utf8').trim() } : { fault: 'not_utf8' };
}
