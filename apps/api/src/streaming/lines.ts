import { isUtf8 } from 'node:buffer';

/** Pieces in which a line may be kept until it is whole. */
const MOST_PIECES = 64;

/** What a line of an upload is, or why it is none. */
export type Line = { text: string } | { fault: 'too_long' | 'not_utf8' };

/**
 * The lines of a body as it arrives. No more than one line is kept in memory; a line longer than `mostBytes` is told as
 * a fault and passed over, and so is one that is not UTF-8. Empty lines are left out.
 */
export async function* linesOf(body: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Line> {
  let rest: Buffer[] = [];
  let bytes = 0;
  const take = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > mostBytes) rest = [];
    else rest.push(piece);
    // A line that comes byte by byte would cost far more than its bytes.
    if (rest.length >= MOST_PIECES) rest = [Buffer.concat(rest)];
  };
  const finish = (): Line | null => {
    if (bytes === 0) return null;
    const isTooLong = bytes > mostBytes;
    const line = Buffer.concat(rest);
    rest = [];
    bytes = 0;
    return isTooLong ? { fault: 'too_long' } : decode(line);
  };
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(10, from); end >= 0; end = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, end));
      from = end + 1;
      const line = finish();
      if (line) yield line;
    }
    take(chunk.subarray(from));
  }
  const last = finish();
  if (last) yield last;
}

function decode(line: Buffer): Line | null {
  if (!isUtf8(line)) return { fault: 'not_utf8' };
  const text = line.toString('utf8').trim();
  return text === '' ? null : { text };
}
