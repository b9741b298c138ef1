/** The encodings of texts that are read. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'gb18030', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** More of the bytes beyond ASCII than this must look like one of them. */
const SHARE = 0.9;

/** Learns the encoding of a text from its bytes, which come piece by piece. */
export type EncodingGuess = {
  take(piece: Uint8Array): void;
  /** Null if it is none of these. */
  encoding(): Encoding | null;
};

/**
 * A byte order mark decides, then whether all of the text is UTF-8. Otherwise its bytes beyond ASCII decide: in Chinese
 * text they come in rows of pairs, in Western European text alone, or at most two together.
 */
export function guessEncoding(): EncodingGuess {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let start = Buffer.alloc(0);
  let isUtf8 = true;
  let hasNul = false;
  let run: number[] = [];
  const bytes = { few: 0, paired: 0, other: 0 };

  const endRun = () => {
    const { length } = run;
    if (length === 0) return;
    if (length <= 2) bytes.few += length;
    else if (length % 2 === 0 && run.every((byte) => byte >= 0xa1 && byte <= 0xfe)) bytes.paired += length;
    else bytes.other += length;
    run = [];
  };
  const countRuns = (piece: Uint8Array) => {
    for (const byte of piece) {
      hasNul ||= byte === 0;
      if (byte < 0x80) endRun();
      // A long run is counted in parts.
      else if (run.push(byte) === 64) endRun();
    }
  };
  const isWholeUtf8 = () => {
    try {
      if (isUtf8) utf8.decode();
    } catch {
      isUtf8 = false;
    }
    return isUtf8;
  };
  return {
    take(piece) {
      if (start.length < 3) start = Buffer.concat([start, piece.subarray(0, 3)]);
      countRuns(piece);
      try {
        if (isUtf8) utf8.decode(piece, { stream: true });
      } catch {
        isUtf8 = false;
      }
    },
    encoding() {
      endRun();
      if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
      if (isWholeUtf8()) return 'utf-8';
      const { few, paired, other } = bytes;
      if (hasNul || few + paired < SHARE * (few + paired + other)) return null;
      return paired >= few ? 'gb18030' : 'windows-1252';
    },
  };
}

/** Bytes that are decoded at once: thousands of the shortest rows. */
const PIECE = 8 * 1024;

/** The text of bytes in an encoding, piece by piece, without a byte order mark. Invalid bytes become U+FFFD. */
export async function* decode(bytes: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const piece of bytes)
    for (let at = 0; at < piece.length; at += PIECE)
      yield decoder.decode(piece.subarray(at, at + PIECE), { stream: true });
  yield decoder.decode();
}
