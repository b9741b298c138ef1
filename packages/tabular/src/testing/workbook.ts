import { crc32, deflateRawSync } from 'node:zlib';
import type { ByteSource } from '../table.ts';

/** A cell of a test's sheet: a text, a number as the file has it, or XML as it is. */
type TestCell = string | { n: string; style?: number } | { xml: string } | null;

export type TestWorkbook = {
  rows: readonly (readonly TestCell[])[];
  /** Number formats of the styles 1, 2 … */
  formats?: readonly string[];
  /** Files to add or replace. */
  files?: Readonly<Record<string, string>>;
};

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const KIND = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** An Excel workbook with one sheet, whose texts are shared. */
export function workbook({ rows, formats = [], files = {} }: TestWorkbook): Buffer {
  const texts = new Map<string, number>();
  const cell = (value: TestCell, column: number, row: number) => {
    const at = `r="${String.fromCharCode(65 + column)}${row + 1}"`;
    if (value === null) return '';
    if (typeof value === 'object' && 'xml' in value) return value.xml.replace('<c', `<c ${at}`);
    if (typeof value === 'object') return `<c ${at} s="${value.style ?? 0}"><v>${value.n}</v></c>`;
    const index = texts.get(value) ?? texts.size;
    texts.set(value, index);
    return `<c ${at} t="s"><v>${index}</v></c>`;
  };
  const lines = rows.map((cells, row) => {
    const inside = cells.map((value, column) => cell(value, column, row)).join('');
    return inside === '' ? '' : `<row r="${row + 1}">${inside}</row>`;
  });
  const strings = [...texts.keys()].map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('');
  const numFmts = formats.map((format, n) => `<numFmt numFmtId="${164 + n}" formatCode="${format}"/>`).join('');
  const styles = formats.map((_, n) => `<xf numFmtId="${164 + n}"/>`).join('');
  return zip({
    'xl/workbook.xml': `${HEAD}<workbook xmlns:r="rels"><sheets><sheet name="A" sheetId="1" r:id="rId7"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships><Relationship Id="rId7" Type="${KIND}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId8" Type="${KIND}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId9" Type="${KIND}/styles" Target="styles.xml"/></Relationships>`,
    'xl/sharedStrings.xml': `${HEAD}<sst>${strings}</sst>`,
    'xl/styles.xml': `${HEAD}<styleSheet><numFmts>${numFmts}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `${HEAD}<worksheet><sheetData>${lines.join('')}</sheetData></worksheet>`,
    ...files,
  });
}

/** A ZIP archive of texts. `states` is the unpacked size that it states for each, if not the true one. */
export function zip(files: Readonly<Record<string, string | Buffer>>, states?: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content as string);
    const packed = deflateRawSync(bytes);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(crc32(bytes), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(states ?? bytes.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, tail, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\x05\x06'), end]);
}

/** A file in memory as a source, read in pieces of `size`. */
export function sourceOf(bytes: Buffer, size = 1000): ByteSource {
  return {
    size: bytes.length,
    pause: async () => {},
    async *read(start, end) {
      for (let at = start; at < end; at += size) yield bytes.subarray(at, Math.min(end, at + size));
    },
  };
}
