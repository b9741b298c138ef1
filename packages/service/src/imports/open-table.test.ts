import { csvLine, guarded } from '@pts/core/csv';
import type { ImportFormat } from '@pts/db/imports/imports';
import { sourceOf, workbook } from '@pts/tabular/testing/workbook';
import { openTable } from './open-table.ts';
import { rowReader } from './read-row.ts';

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
