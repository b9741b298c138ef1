import { type ByteSource, type Cell, MAX_CELL, MAX_COLUMNS, MAX_ROW_BYTES, type Row } from '../table.ts';
import { openArchive } from './archive.ts';
import { findParts } from './parts.ts';
import { readSharedStrings, type SharedStrings } from './shared-strings.ts';
import { type Begin, readXml } from './xml.ts';
import { readZeroFormats, type ZeroFormats } from './zero-formats.ts';

/** Of the sheet, unpacked: the XML of 200,000 rows with a dozen columns. */
const MAX_SHEET_MIB = 512;
/** Spreadsheets keep 15 digits of a number; all further ones become zeros. */
const EXACT_BELOW = 1e15;
/** Of every sheet. */
const LAST_ROW = 1_048_576;

/** The rows of the first sheet of an Excel workbook. @throws FileFault if it is none, or too large to unpack. */
export async function* readXlsx(source: ByteSource): AsyncGenerator<Row> {
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
  let done: Row[] = [];
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
      if (name === 'row') row = { number: numberOf(attributes.r, row.number), cells: [], bytes: 0 };
      else if (name === 'c') {
        const { r, t = 'n', s = '0' } = attributes;
        cell = { column: columnOf(r) ?? cell.column + 1, type: t, style: Number(s) };
        text = '';
      } else if (name === 'v' || name === 't') isText = true;
    },
    end(name: string) {
      if (name === 'v' || name === 't') isText = false;
      else if (name === 'c' && cell.column < MAX_COLUMNS) {
        while (row.cells.length < cell.column) row.cells.push('');
        const read = toCell(text, cell, texts);
        row.bytes += typeof read === 'string' ? Buffer.byteLength(read) : 0;
        // A few bytes of a sheet can refer to a long text.
        if (row.bytes > MAX_ROW_BYTES) row.cells = [];
        else row.cells[cell.column] = read;
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

/** Of a row: as the sheet says, unless the rows before it have that number already, or it is none. */
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
      return plainText(strings.at(Number(text)));
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
