import { readNdjson } from './ndjson.ts';
import type { TableRow } from './table.ts';
import { sourceOf } from './testing/workbook.ts';

async function read(text: string | Buffer, size = 5): Promise<TableRow[]> {
  const source = sourceOf(Buffer.from(text as string), size);
  const rows: TableRow[] = [];
  for await (const row of readNdjson(source, ['tracking_number', 'title', 'metadata'])) rows.push(row);
  return rows;
}

test('objects become rows, a text alone the first cell; empty lines are counted and left out', async () => {
  const lines = [
    '\ufeff{"title":"夹克","tracking_number":" YT1 "}',
    '',
    '"YT2"',
    '{"tracking_number":7,"metadata":{"a":"b"}}',
  ];
  expect(await read(lines.join('\r\n'))).toEqual([
    { number: 1, cells: ['YT1', '夹克', ''] },
    { number: 3, cells: ['YT2'] },
    { number: 4, cells: ['7', '', '{"a":"b"}'] },
  ]);
});

test('brackets in a text do not count as levels', async () => {
  const title = `"${'[{'.repeat(40)}`;
  expect(await read(JSON.stringify({ tracking_number: 'YT1', title }))).toEqual([
    { number: 1, cells: ['YT1', title, ''] },
  ]);
});

test('a number that JSON does not keep exactly has lost digits', async () => {
  const lines = ['{"tracking_number":9007199254740991}', '{"tracking_number":12345678901234567890}'];
  expect(await read([...lines, '{"title":-1e21}'].join('\n'))).toEqual([
    { number: 1, cells: ['9007199254740991', '', ''] },
    { number: 2, cells: [{ text: '12345678901234567000', fault: 'digits_lost' }, '', ''] },
    { number: 3, cells: ['', { text: '-1e+21', fault: 'digits_lost' }, ''] },
  ]);
});

test('a line that cannot be read is a fault of its own, and the next ones are read', async () => {
  const text = Buffer.concat([
    Buffer.from(`{"a"\n[1]\n${'['.repeat(100)}\n"${'x'.repeat(70_000)}"\n`),
    Buffer.from([0xff, 0x0a]),
    Buffer.from('"YT1"'),
  ]);
  expect((await read(text, 1000)).map((row) => ('fault' in row ? row.fault : row.cells))).toEqual([
    'not_json',
    'not_json',
    'not_json',
    'too_long',
    'not_utf8',
    ['YT1'],
  ]);
});
