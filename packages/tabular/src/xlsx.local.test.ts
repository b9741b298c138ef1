import { mock } from 'node:test';
import type { TableRow } from './table.ts';
import { sourceOf, workbook } from './testing/workbook.ts';
import { readXlsx } from './xlsx.ts';

async function read(bytes: Buffer): Promise<number> {
  let rows = 0;
  for await (const _ of readXlsx(sourceOf(bytes, 65_536))) rows += 1;
  return rows;
}
const packed = (name: string, text: string) => workbook({ rows: [], files: { [name]: text } });

test('a workbook that unpacks to more text than is kept is refused', async () => {
  const texts = `<si><t>${'x'.repeat(4000)}</t></si>`.repeat(17_000);
  const bytes = packed('xl/sharedStrings.xml', `<sst>${texts}</sst>`);
  expect(bytes.length).toBeLessThan(300_000);
  await expect(read(bytes)).rejects.toMatchObject({
    name: 'FileFault',
    message: expect.stringContaining('more than 64 MiB of text'),
  });
});

test('a sheet of 50,000 rows is read with little memory, however well it packs', async () => {
  const row = `<row><c t="str"><v>${'YT8962646785999'.repeat(10)}</v></c></row>`;
  const bytes = packed('xl/worksheets/sheet1.xml', `<worksheet>${row.repeat(50_000)}</worksheet>`);
  expect(await read(bytes)).toBe(50_000);
});

describe('a small workbook that would fill the memory is refused:', () => {
  const sheet = 'xl/worksheets/sheet1.xml';
  test.each<[string, string, string, RegExp]>([
    ['elements within each other', sheet, `${'<a>'.repeat(65)}${'</a>'.repeat(65)}`, /XML cannot be read/],
    [
      'an element with thousands of attributes',
      sheet,
      `<a ${Array.from({ length: 20_000 }, (_, n) => `a${n}=""`).join(' ')}/>`,
      /XML cannot be read/,
    ],
    ['an attribute that the parser would call', sheet, '<a hasOwnProperty="" b=""/>', /XML cannot be read/],
    [
      'millions of empty rows',
      sheet,
      `<a>${'<row/>'.repeat(1_048_577)}</a>`,
      /more than 1,048,576 rows, including empty/,
    ],
    [
      'millions of empty texts',
      'xl/sharedStrings.xml',
      `<sst>${'<si/>'.repeat(5_000_001)}</sst>`,
      /more than 5,000,000 texts/,
    ],
  ])('%s', async (_what, name, xml, message) => {
    const bytes = packed(name, xml);
    expect(bytes.length).toBeLessThan(100_000);
    await expect(read(bytes)).rejects.toMatchObject({
      name: 'FileFault',
      message: expect.stringMatching(message),
    });
  });
});

test('a row whose cells refer to one long text again and again is a fault of the row, as in a text file', async () => {
  const row = (cells: number) => `<row>${'<c t="s"><v>0</v></c>'.repeat(cells)}</row>`;
  const files = {
    'xl/sharedStrings.xml': `<sst><si><t>${'运'.repeat(4000)}</t></si></sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet>${row(6)}${row(5)}${row(200)}</worksheet>`,
  };
  const rows: TableRow[] = [];
  const { mock: decoded } = mock.method(Buffer.prototype, 'toString');
  for await (const each of readXlsx(sourceOf(workbook({ rows: [], files }), 65_536))) rows.push(each);
  decoded.restore();
  expect(decoded.callCount()).toBeLessThan(50);
  expect(rows).toMatchObject([
    { number: 1, cells: [], fault: 'too_long' },
    { number: 2, cells: Array(5).fill('运'.repeat(4000)) },
    { number: 3, cells: [], fault: 'too_long' },
  ]);
});
