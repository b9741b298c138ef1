import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { message } from '@pts/core/languages/message';
import sax from 'sax';
import yauzl, { type Entry, RandomAccessReader } from 'yauzl';
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

/** Maximum unpacked size of the sheet: the XML of 200,000 rows with a dozen columns. */
const MAX_SHEET_MIB = 512;
const MAX_SHARED_STRINGS_MIB = 256;
/** Maximum unpacked size of each other file that is read. */
const MAX_OTHER_MIB = 16;
/** Spreadsheets keep 15 digits of a number; all further ones become zeros. */
const EXACT_BELOW = 1e15;
/** The last row that a sheet can have. */
const LAST_ROW = 1_048_576;

/**
 * The rows of the first sheet of an Excel workbook, in this order: the directory of the ZIP archive, which files the
 * workbook consists of, the texts and number formats to which its cells refer, the sheet.
 * @throws FileFault if it is none, or too large to unpack.
 */
export async function* readXlsx(source: ByteSource): AsyncGenerator<TableRow> {
  const archive = await openArchive(source);
  const { sheet, sharedStrings, styles } = await findParts(archive);
  const texts = {
    strings: await readSharedStrings(archive, sharedStrings),
    formats: await readZeroFormats(archive, styles),
  };
  const rows = collectRows(texts);
  for await (const _ of readXml(archive.read(sheet, MAX_SHEET_MIB), rows)) yield* rows.take();
  yield* rows.take();
}

type Texts = { strings: SharedStrings; formats: ZeroFormats };

/** Puts the rows together from the elements of a sheet. */
function collectRows(texts: Texts) {
  let done: TableRow[] = [];
  let elements = 0;
  let row = { number: 0, cells: [] as Cell[], bytes: 0 };
  let cell = { column: -1, type: '', style: 0 };
  let text = '';
  let isText = false;
  return {
    take() {
      const rows = done;
      done = [];
      return rows;
    },
    begin({ name, attributes }: Begin) {
      if (name === 'row') {
        // Empty ones pack so well that a small file can have millions of them.
        if (++elements > LAST_ROW) throw new FileFault(message('file.sheet_rows', { max: LAST_ROW }));
        row = { number: numberOf(attributes.r, row.number), cells: [], bytes: 0 };
      } else if (name === 'c') {
        const { r, t = 'n', s = '0' } = attributes;
        cell = { column: columnOf(r) ?? cell.column + 1, type: t, style: Number(s) };
        text = '';
      } else if (name === 'v' || name === 't') isText = true;
    },
    end(name: string) {
      if (name === 'v' || name === 't') isText = false;
      // A few bytes of a sheet can refer to a long text: once its row is too long, no more are looked at.
      else if (name === 'c' && cell.column < MAX_COLUMNS && row.bytes <= MAX_ROW_BYTES) {
        while (row.cells.length < cell.column) row.cells.push('');
        const read = toCell(text, cell, texts);
        row.bytes += typeof read === 'string' ? Buffer.byteLength(read) : 0;
        row.cells[cell.column] = read;
      } else if (name === 'row') {
        const { number, cells, bytes } = row;
        if (bytes > MAX_ROW_BYTES) done.push({ number, cells: [], fault: 'too_long' });
        else if (cells.some((each) => each !== '')) done.push({ number, cells });
        cell = { column: -1, type: '', style: 0 };
      }
    },
    text(part: string) {
      if (isText && text.length < MAX_CELL) text += part.slice(0, MAX_CELL - text.length);
    },
  };
}

/** The number of a row as the sheet says, unless the rows before it have that number already, or it is none. */
function numberOf(stated: string | undefined, before: number): number {
  const number = Number(stated);
  return Number.isInteger(number) && number > before && number <= LAST_ROW ? number : before + 1;
}

/** `B7` is column 1. */
function columnOf(reference: string | undefined): number | null {
  const [letters = ''] = /^[A-Z]{1,3}/.exec(reference ?? '') ?? [];
  if (letters === '') return null;
  return [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;
}

function toCell(text: string, { type, style }: { type: string; style: number }, { strings, formats }: Texts): Cell {
  switch (type) {
    case 's':
      return text === '' ? '' : plainText(strings.at(Number(text)));
    case 'n':
      return text === '' ? '' : numberText(text, formats.digits(style));
    case 'b':
      return text === '1' ? 'TRUE' : 'FALSE';
    // An error of a formula, such as #N/A.
    case 'e':
      return '';
    default:
      return plainText(text);
  }
}

/** Workbooks have characters that XML does not take as `_x000D_`, and `_x005F_` for an underscore that begins none. */
function plainText(text: string): string {
  const character = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 16));
  return text.replaceAll(/_x([0-9a-f]{4})_/gi, character).trim();
}

/** A number in digits, with the leading zeros that its format shows. */
function numberText(text: string, digits: number): Cell {
  const value = Number(text);
  if (!Number.isInteger(value)) return text;
  if (Math.abs(value) >= EXACT_BELOW) return { text: BigInt(value).toString(), fault: 'digits_lost' };
  return String(value).padStart(digits, '0');
}

/** The first sheet that a spreadsheet shows, and, if there are any, its texts and styles. */
type Parts = { sheet: string; sharedStrings: string | undefined; styles: string | undefined };

/** @throws FileFault if the archive is no workbook. */
async function findParts(archive: Archive): Promise<Parts> {
  const workbook = await findWorkbook(archive);
  const sheets: string[] = [];
  await readAttributes(archive, workbook, 'sheet', (attributes) => {
    const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'));
    if (id && !['hidden', 'veryHidden'].includes(attributes.state ?? '')) sheets.push(id[1]);
  });
  const byId = new Map<string, string>();
  const byKind = new Map<string, string>();
  await readRelationships(archive, workbook, ({ id, kind, file }) => {
    byId.set(id, file);
    if (archive.has(file)) byKind.set(kind, file);
  });
  const sheet = byId.get(sheets[0] ?? '');
  if (sheet === undefined) throw new FileFault(message('file.no_sheet'));
  return { sheet, sharedStrings: byKind.get('sharedStrings'), styles: byKind.get('styles') };
}

/** Most are called xl/workbook.xml, but what counts is what the archive as a whole relates to. */
async function findWorkbook(archive: Archive): Promise<string> {
  let workbook = 'xl/workbook.xml';
  if (archive.has(relationshipsOf('')))
    await readRelationships(archive, '', ({ kind, file }) => {
      if (kind === 'officeDocument') workbook = file;
    });
  return workbook;
}

/** Where the archive has the relationships of a file; of the archive as a whole, if it is empty. */
function relationshipsOf(file: string): string {
  return posix.join(posix.dirname(file), '_rels', `${posix.basename(file)}.rels`);
}

/** The files to which one relates; their addresses are relative to it. */
async function readRelationships(
  archive: Archive,
  of: string,
  found: (relationship: { id: string; kind: string; file: string }) => void,
): Promise<void> {
  await readAttributes(archive, relationshipsOf(of), 'Relationship', ({ Id = '', Type = '', Target = '' }) => {
    found({ id: Id, kind: posix.basename(Type), file: posix.resolve('/', posix.dirname(of), Target).slice(1) });
  });
}

async function readAttributes(
  archive: Archive,
  file: string,
  element: string,
  found: (attributes: Begin['attributes']) => void,
): Promise<void> {
  const reading = readXml(archive.read(file, MAX_OTHER_MIB), {
    begin: ({ name, attributes }) => void (name === element && found(attributes)),
    end() {},
    text() {},
  });
  for await (const _ of reading);
}

/** How many digits a cell shows at least, by the number of its style; 0 for most. */
type ZeroFormats = { digits(style: number): number };

/** A number with the format 00000000 is shown with leading zeros, which the stored number does not have. */
async function readZeroFormats(archive: Archive, file: string | undefined): Promise<ZeroFormats> {
  const digitsOfFormat = new Map<string, number>();
  const digitsOfStyle: number[] = [];
  let isInStyles = false;
  if (file !== undefined) {
    const reading = readXml(archive.read(file, MAX_OTHER_MIB), {
      begin({ name, attributes }) {
        if (name === 'numFmt' && /^0{2,50}$/.test(attributes.formatCode ?? ''))
          digitsOfFormat.set(attributes.numFmtId ?? '', (attributes.formatCode ?? '').length);
        else if (name === 'cellXfs') isInStyles = true;
        else if (name === 'xf' && isInStyles) digitsOfStyle.push(digitsOfFormat.get(attributes.numFmtId ?? '') ?? 0);
      },
      end(name) {
        if (name === 'cellXfs') isInStyles = false;
      },
      text() {},
    });
    for await (const _ of reading);
  }
  return { digits: (style) => digitsOfStyle[style] ?? 0 };
}

/** Maximum bytes of the texts alone, in UTF-8. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
/** Empty texts take place as well. As many are 25 different ones in each of 200,000 rows. */
const MAX_TEXTS = 5_000_000;
const FIRST_BLOCK = 1024 * 1024;

/** The texts of a workbook, to which its cells refer by number. They are kept outside of the heap, as bytes. */
type SharedStrings = { at(index: number): string };

async function readSharedStrings(archive: Archive, file: string | undefined): Promise<SharedStrings> {
  const texts = createTexts();
  if (file === undefined) return texts;
  let text = '';
  let isText = false;
  const reading = readXml(archive.read(file, MAX_SHARED_STRINGS_MIB), {
    begin({ name }) {
      if (name === 'si') text = '';
      else if (name === 't') isText = true;
    },
    end(name) {
      if (name === 'si') texts.add(text);
      else if (name === 't') isText = false;
    },
    text(part) {
      if (isText && text.length < MAX_CELL) text += part.slice(0, MAX_CELL - text.length);
    },
  });
  for await (const _ of reading);
  return texts;
}

function createTexts(): SharedStrings & { add(text: string): void } {
  let bytes = Buffer.allocUnsafe(FIRST_BLOCK);
  let ends = new Uint32Array(1024);
  let count = 0;
  let length = 0;
  const grow = (needed: number) => {
    if (needed > MAX_TEXT_BYTES) throw new FileFault(message('file.text_size'));
    const larger = Buffer.allocUnsafe(Math.min(MAX_TEXT_BYTES, Math.max(needed, 2 * bytes.length)));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  };
  return {
    add(text) {
      const size = Buffer.byteLength(text);
      if (length + size > bytes.length) grow(length + size);
      length += bytes.write(text, length);
      if (count === MAX_TEXTS) throw new FileFault(message('file.text_count', { max: MAX_TEXTS }));
      if (count === ends.length) {
        const larger = new Uint32Array(2 * ends.length);
        larger.set(ends);
        ends = larger;
      }
      ends[count++] = length;
    },
    at(index) {
      const end = index < count ? ends[index] : undefined;
      return end === undefined ? '' : bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], end);
    },
  };
}

const MIB = 1024 * 1024;
/** Maximum files in a workbook; one of a merchant has about ten. */
const MAX_ENTRIES = 5000;

/** The files of a workbook, none of which is ever in memory as a whole. Spreadsheets ignore the case of their names. */
type Archive = {
  has(name: string): boolean;
  /**
   * The bytes of a file as they are unpacked, slice by slice: no more than the archive states, which is checked first.
   * @throws FileFault if that is more than `maxMib`, or the file is missing or broken.
   */
  read(name: string, maxMib: number): AsyncIterable<Buffer>;
};

/** Opens a ZIP archive. @throws FileFault if it is none. */
async function openArchive(source: ByteSource): Promise<Archive> {
  const reader = new SourceReader(source);
  const entries = new Map<string, Entry>();
  // Nothing has to be closed: the reader opens nothing.
  const options = { lazyEntries: true, autoClose: false };
  const zip = await yauzl.fromRandomAccessReaderPromise(reader, source.size, options).catch(() => reader.fail());
  if (zip.entryCount > MAX_ENTRIES) throw new FileFault(message('file.many_files', { count: zip.entryCount }));
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  } catch {
    reader.fail();
  }
  return {
    has: (name) => entries.has(name.toLowerCase()),
    async *read(name, maxMib) {
      const entry = entries.get(name.toLowerCase());
      if (!entry) throw new FileFault(message('file.not_workbook'));
      if (entry.isEncrypted()) throw new FileFault(message('file.password'));
      if (entry.uncompressedSize > maxMib * MIB)
        throw new FileFault(message('file.unpacked_size', { size: maxMib, name }));
      yield* sliced(unpack(entry), source);
    },
  };

  async function* unpack(entry: Entry): AsyncGenerator<Buffer> {
    try {
      // It fails as soon as there is more than the archive states.
      for await (const piece of await zip.openReadStreamPromise(entry)) yield piece as Buffer;
    } catch {
      reader.fail();
    }
  }
}

/** Reads ranges of a file that may be anywhere. */
class SourceReader extends RandomAccessReader {
  readonly #source: ByteSource;
  /** The error that the source failed with. */
  #error: unknown = null;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#read(start, end), { objectMode: false });
  }

  async *#read(start: number, end: number): AsyncGenerator<Buffer> {
    try {
      yield* this.#source.read(start, end);
    } catch (error) {
      this.#error = error;
      throw error;
    }
  }

  /**
   * Refuses the archive, which is its sender's fault; a failure of the source, such as a lost database, is not, and is
   * thrown as it was.
   */
  fail(): never {
    throw this.#error ?? new FileFault(message('file.not_workbook'));
  }
}

/** An element that begins: its name without a prefix, and its attributes. */
type Begin = { name: string; attributes: Readonly<Record<string, string>> };
type Handlers = {
  begin(element: Begin): void;
  end(name: string): void;
  /** Text, in pieces of bounded length, without phonetic hints: how Japanese is read is no part of it. */
  text(text: string): void;
};

/** Elements within each other: the parser keeps those that are open. A workbook has about ten levels. */
const MAX_LEVELS = 64;
/**
 * Characters of the attributes of an element, all of which the parser keeps until it ends. Excel lists the places of a
 * format in one, thousands of them after many copies.
 */
const MAX_ATTRIBUTES = 64 * 1024;
const PHONETIC = 'rPh';

/**
 * Reads XML piece by piece. Entities other than XML's own are not expanded, and long texts come in parts.
 * @returns after each piece of input.
 * @throws FileFault for XML that is damaged, or that would take much memory.
 */
async function* readXml(bytes: AsyncIterable<Buffer>, handlers: Handlers): AsyncGenerator<void> {
  const parser = new sax.SAXParser(true, {});
  const decoder = new StringDecoder('utf8');
  let levels = 0;
  let characters = 0;
  let phonetic = 0;
  parser.onopentagstart = () => {
    characters = 0;
  };
  parser.onattribute = ({ name, value }) => {
    characters += name.length + value.length;
    // The parser calls this method of the attributes for the next one.
    if (characters > MAX_ATTRIBUTES || name === 'hasOwnProperty') throw damaged();
  };
  parser.onopentag = ({ name, attributes }) => {
    levels += 1;
    if (levels > MAX_LEVELS) throw damaged();
    const local = localName(name);
    if (local === PHONETIC) phonetic += 1;
    handlers.begin({ name: local, attributes: attributes as Record<string, string> });
  };
  parser.onclosetag = (name) => {
    levels -= 1;
    const local = localName(name);
    if (local === PHONETIC) phonetic -= 1;
    handlers.end(local);
  };
  const takeText = (text: string) => {
    if (phonetic === 0) handlers.text(text);
  };
  parser.ontext = takeText;
  parser.oncdata = takeText;
  parser.onerror = () => {
    throw damaged();
  };
  for await (const piece of bytes) {
    parser.write(decoder.write(piece));
    yield;
  }
  parser.close();
}

function damaged(): FileFault {
  return new FileFault(message('file.damaged'));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
