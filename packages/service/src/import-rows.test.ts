import { csvLine, guarded } from '@pts/core/csv';
import type { ImportFormat } from '@pts/db/imports';
import { sourceOf, workbook } from '@pts/tabular/testing/workbook';
import { openTable, rowReader } from './import-rows.ts';

const NUMBER = '00340434161094042557';
const HEADER = ['tracking_number', 'title'];

/** The titles of a file, whose rows all have that number. */
async function titles(format: ImportFormat, bytes: Buffer) {
  const found = await inputs(format, bytes);
  return found.map((input) => input?.tracking_number === NUMBER && input.title);
}

/** The rows of a file; null for a rejected one. */
async function inputs(format: ImportFormat, bytes: Buffer) {
  const { columns, rows } = await openTable(sourceOf(bytes), { format, encoding: null, wanted: {} });
  const read = rowReader(Object.fromEntries(columns.map(({ field }, place) => [field, place])), { sandbox: false });
  const found = [];
  for await (const row of rows) found.push(read(row));
  return found.map((row) => ('input' in row ? row.input : null));
}

test.each(['0042', '=1+1', "'quoted'", '+49 30 1234', '1E5', 'A-1001'])(
  'the title %j of an exported file comes back as it was',
  async (title) => {
    const cells = [guarded(NUMBER), guarded(title)];
    expect(await titles('csv', Buffer.from(csvLine(HEADER) + csvLine(cells)))).toEqual([title]);
    expect(await titles('xlsx', workbook({ rows: [HEADER, cells] }))).toEqual([title]);
  },
);

test('an apostrophe in NDJSON, which no spreadsheet writes, is part of the text', async () => {
  const line = JSON.stringify({ tracking_number: NUMBER, title: "'90s jacket" });
  expect(await titles('ndjson', Buffer.from(line))).toEqual(["'90s jacket"]);
});

test('metadata of the full length are read, also if every character is escaped', async () => {
  const text = (length: number) => '📦'.repeat(length);
  const names = Array.from({ length: 10 }, (_, n) => `${n}${text(39)}`);
  const metadata = Object.fromEntries(names.map((name) => [name, text(256)]));
  const cell = JSON.stringify(metadata).replaceAll(
    /[\ud800-\udfff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  );
  const header = ['tracking_number', 'metadata'];
  expect(await inputs('csv', Buffer.from(csvLine(header) + csvLine([NUMBER, cell])))).toMatchObject([{ metadata }]);
  expect(await inputs('xlsx', workbook({ rows: [header, [NUMBER, cell]] }))).toMatchObject([{ metadata }]);
});
