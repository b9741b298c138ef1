/** The encodings of texts that are read. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'gb18030', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const UTF8_MARK = Buffer.from('\ufeff');
/** More of the bytes beyond ASCII than this must look like one of them. */
const SHARE = 0.9;
/** About half of the bytes of UTF-16 are NUL, and hardly any of the bytes of other texts. */
const MAX_NUL_SHARE = 0.1;

/** Stands for bytes that are not valid in their encoding: no file has it, while U+FFFD may be in one. */
export const UNDECODABLE = '\ufffe';

/** Learns the encoding of a text from its bytes, which come piece by piece. */
export type EncodingGuess = {
  take(piece: Uint8Array): void;
  /** Null if it is none of these. */
  encoding(): Encoding | null;
};

/**
 * A byte order mark decides, then what the sender states, if all of the text is that, then whether it is UTF-8.
 * Otherwise its bytes beyond ASCII decide: most of them may be UTF-8, in Chinese text they come in rows of pairs, in
 * Western European text alone, or at most two together, which are seldom a common Chinese character.
 */
export function guessEncoding(stated: Encoding | null = null): EncodingGuess {
  const utf8 = validity('utf-8');
  // UTF-8 is looked for in any case. Everything is Windows-1252; what is UTF-8 as well is meant as that.
  const isOther = stated !== null && stated !== 'utf-8' && stated !== 'windows-1252';
  const asStated = isOther ? validity(stated) : null;
  let start = Buffer.alloc(0);
  /** Continuation bytes that are still to come, and whole and broken characters, if the text is UTF-8. */
  const characters = { open: 0, whole: 0, broken: 0 };
  let [all, nul] = [0, 0];
  let run: number[] = [];
  const bytes = { few: 0, paired: 0, other: 0 };

  const endRun = () => {
    const { length } = run;
    if (length === 0) return;
    if (length <= 2 && !isCommonChinese(run)) bytes.few += length;
    else if (length % 2 === 0 && run.every((byte) => byte >= 0xa1 && byte <= 0xfe)) bytes.paired += length;
    else bytes.other += length;
    run = [];
  };
  const countCharacter = (byte: number) => {
    const continues = byte >= 0x80 && byte <= 0xbf;
    if (continues && characters.open > 0) {
      characters.open -= 1;
      if (characters.open === 0) characters.whole += 1;
      return;
    }
    if (continues || characters.open > 0 || byte === 0xc0 || byte === 0xc1) characters.broken += 1;
    if (byte < 0xc2) characters.open = 0;
    else characters.open = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  };
  const countBytes = (piece: Uint8Array) => {
    all += piece.length;
    for (const byte of piece) {
      if (byte === 0) nul += 1;
      countCharacter(byte);
      if (byte < 0x80) endRun();
      // A long run is counted in parts.
      else if (run.push(byte) === 64) endRun();
    }
  };
  return {
    take(piece) {
      if (start.length < 3) start = Buffer.concat([start, piece.subarray(0, 3)]);
      countBytes(piece);
      utf8.take(piece);
      asStated?.take(piece);
    },
    encoding() {
      endRun();
      if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
      if (start.equals(UTF8_MARK)) return 'utf-8';
      if (nul > MAX_NUL_SHARE * all) return null;
      if (asStated?.isWhole()) return stated;
      if (utf8.isWhole()) return 'utf-8';
      if (stated === 'windows-1252') return stated;
      if (nul > 0) return null;
      if (characters.whole > SHARE * (characters.whole + characters.broken)) return 'utf-8';
      const { few, paired, other } = bytes;
      if (few + paired < SHARE * (few + paired + other)) return stated === 'utf-8' ? null : stated;
      return paired >= few ? 'gb18030' : 'windows-1252';
    },
  };
}

/**
 * Whether a run is one of the 3755 usual characters of GB2312: most of its bytes are capitals of Windows-1252, such as
 * `À¶`.
 */
function isCommonChinese([first = 0, second = 0]: readonly number[]): boolean {
  const isPortuguese = first === 0xc7 && (second === 0xc3 || second === 0xd5); // AÇÃO, AÇÕES
  return first >= 0xb0 && first <= 0xd7 && second >= 0xa1 && second <= 0xfe && !isPortuguese;
}

/** Whether bytes, which come piece by piece, are text in an encoding. */
function validity(encoding: Encoding) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let isValid = true;
  const decodes = (piece?: Uint8Array) => {
    try {
      if (isValid) decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      isValid = false;
    }
    return isValid;
  };
  return { take: (piece: Uint8Array) => decodes(piece), isWhole: () => decodes() };
}

/**
 * The text of bytes in an encoding, piece by piece, without a byte order mark. Invalid bytes become `UNDECODABLE`; from
 * the first of them on, so does U+FFFD.
 */
export async function* decode(bytes: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  const checked = validity(encoding);
  const marked = (text: string, isValid: boolean) => (isValid ? text : text.replaceAll('\ufffd', UNDECODABLE));
  for await (const piece of bytes) yield marked(decoder.decode(piece, { stream: true }), checked.take(piece));
  yield marked(decoder.decode(), checked.isWhole());
}
