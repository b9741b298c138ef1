import { readCsv } from './csv.ts';
import type { Encoding } from './encoding.ts';
import type { TableRow } from './table.ts';
import { sourceOf } from './testing/workbook.ts';

async function read(text: string | Buffer, { size = 7, encoding = 'utf-8' as Encoding } = {}): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  for await (const row of readCsv(sourceOf(Buffer.from(text as string), size), encoding)) rows.push(row);
  return rows;
}
const cells = async (text: string | Buffer, options = {}) => (await read(text, options)).map((row) => row.cells);

test.each([
  ['commas', 'number,order\nYT1,"A, 1"\n'],
  ['semicolons, as Excel writes them in half of Europe', 'number;order\r\nYT1;A, 1\r\n'],
  ['tabs', 'number\torder\nYT1\tA, 1'],
  ['a line that tells Excel the delimiter', 'sep=;\r\nnumber;order\r\nYT1;A, 1\r\n'],
  ['commas, and a tab behind each cell', 'number\t,order\t\nYT1\t,"A, 1\t"\n'],
  ['such a line in quotes', '"sep=\t"\nnumber\torder\nYT1\tA, 1'],
])('a table with %s', async (_what, text) => {
  expect(await cells(text)).toEqual([
    ['number', 'order'],
    ['YT1', 'A, 1'],
  ]);
});

test('rows are counted as a spreadsheet does: empty ones are left out, but counted, and a quoted line break ends none', async () => {
  expect(await read('number,title\n\nYT1,"two\nlines"\n,\nYT2,\n')).toEqual([
    { number: 1, cells: ['number', 'title'] },
    { number: 3, cells: ['YT1', 'two\nlines'] },
    { number: 5, cells: ['YT2', ''] },
  ]);
});

test('a file with different line ends, such as one that was put together from two, keeps its rows apart', async () => {
  const table = [
    ['number', 'title'],
    ['YT1', 'a'],
    ['YT2', 'b'],
    ['YT3', 'c'],
  ];
  for (const size of [1, 7, 100]) {
    expect(await cells('number,title\r\nYT1,a\nYT2,b\nYT3,c', { size })).toEqual(table);
    expect(await cells('number,title\nYT1,"a"\r\n"YT2","b"\r\nYT3,c\r', { size })).toEqual(table);
  }
});

test('the delimiter is that of the first line that is not blank', async () => {
  expect(await read('\r\n  \nnumber;title\nYT1;"a, b, c"\n', { size: 1 })).toEqual([
    { number: 3, cells: ['number', 'title'] },
    { number: 4, cells: ['YT1', 'a, b, c'] },
  ]);
  expect(await cells('\n\tnumber\n1\tYT1\n')).toEqual([
    ['', 'number'],
    ['1', 'YT1'],
  ]);
});

test.each<[Encoding, Buffer]>([
  ['utf-16le', Buffer.from('\ufeffnumber\t运单\r\nYT1\t"蓝\n色"\r\n', 'utf16le')],
  ['utf-16be', Buffer.from('\ufeffnumber\t运单\r\nYT1\t"蓝\n色"\r\n', 'utf16le').swap16()],
  ['euc-kr', Buffer.from('6e756d6265722cbbf3c7b00a5954312c22c6c4b6f50ac0e7c5b6220a', 'hex')],
  ['euc-jp', Buffer.from('6e756d6265722cbea6c9ca0a5954312c22c0c40aa4a4220a', 'hex')],
])('a table in %s is read, however it is cut', async (encoding, bytes) => {
  const shown = { 'euc-kr': ['상품', '파란\n재킷'], 'euc-jp': ['商品', '青\nい'] }[encoding as string] ?? [
    '运单',
    '蓝\n色',
  ];
  for (const size of [1, 7, 100])
    expect(await cells(bytes, { size, encoding })).toEqual([
      ['number', shown[0]],
      ['YT1', shown[1]],
    ]);
});

test('leading zeros stay, also of texts in the form that spreadsheets leave as it is', async () => {
  expect(await cells('number,order\n00123,="0007"\n')).toEqual([
    ['number', 'order'],
    ['00123', '0007'],
  ]);
});

test('a cell with invalid bytes has a fault, and the others of its row are read', async () => {
  const cut = Buffer.concat([
    Buffer.from('number,title\nYT1,\ufffd\nYT2,蓝'),
    Buffer.from([0xe8, 0x89]),
    Buffer.from('\n'),
  ]);
  expect(await cells(cut)).toEqual([
    ['number', 'title'],
    ['YT1', '\ufffd'],
    ['YT2', { text: '蓝\ufffd', fault: 'undecodable' }],
  ]);
});

describe('a quote that is not closed, or not doubled, swallows no row: it is refused with its row', () => {
  test.each([
    ['at the end of a cell', '"wheel 16"",1', 'next,2'],
    ['before a row with quotes', '"wheel 16"",1', '"next",2'],
    ['before a row with quotes further on', '"wheel 16"",1', 'next,"2"'],
    ['before one like it', '"wheel 16"",1', '"wheel 18"",2'],
    ['at the beginning of a cell', '1,"16 wheel', '2,next'],
    ['at the beginning, before a quote at the end of a row', '"16 wheel,1', '2,tv 5"'],
    ['in the last cell', '1,"wheel 16""', '"next",2'],
    ['that joins two cells of its row', '"wheel 16"","A-1"', 'next,2'],
  ])('%s', async (_what, row, next) => {
    for (const delimiter of [',', ';', '\t'])
      for (const size of [3, 1000]) {
        const text = ['title,order', 'first,"0"', row, next, 'last,9', ''].join('\n').replaceAll(',', delimiter);
        await expect(read(text, { size })).rejects.toThrow(/ow 3 (has a quote that is not closed|is not closed)/);
      }
  });

  test('quotes that do no harm are read', async () => {
    const rows = ['a,b', '5" nail,x', '"5" nail",x', '"two\nlines, ""quoted""",x', '"",""', 'x,""""', '"",'];
    expect(await cells(rows.join('\n'))).toEqual([
      ['a', 'b'],
      ['5" nail', 'x'],
      ['"5" nail"', 'x'],
      ['two\nlines, "quoted"', 'x'],
      ['x', '"'],
    ]);
  });
});

test('a number that a spreadsheet has cut to 15 digits says so, unless it is marked as text', async () => {
  const lost = (text: string) => ({ text, fault: 'digits_lost' });
  const doubtful = (text: string) => ({ text, fault: 'digits_doubtful' });
  const numbers = ['940010000000000000', '"9400100000000000000000"', '1234567890123450', '12345678901234500'];
  expect(await cells(numbers.join(';'))).toEqual([
    [
      lost('940010000000000000'),
      lost('9400100000000000000000'),
      doubtful('1234567890123450'),
      doubtful('12345678901234500'),
    ],
  ]);
  const whole = [
    "'940010000000000000",
    '="940010000000000000"',
    '940010000000000001',
    '123456789012000',
    '00340434161094000000',
  ];
  expect(await cells(whole.join(';'))).toEqual([
    ["'940010000000000000", '940010000000000000', '940010000000000001', '123456789012000', '00340434161094000000'],
  ]);
});

test('rows with more or fewer cells, and stray quotes, are read', async () => {
  expect(await cells('a,b\n1\n1,2,3\n5" nail,x\n')).toEqual([['a', 'b'], ['1'], ['1', '2', '3'], ['5" nail', 'x']]);
});

test('a quote that is never closed is reported with its row, without reading the rest into memory', async () => {
  await expect(read(`a,b\n1,2\n"3,4\n${'5,6\n'.repeat(100)}`)).rejects.toThrow(/quote in or after row 3 is not closed/);
  await expect(read(`a,b\n1,2\n"3,4\n${'5,6\n'.repeat(100_000)}`, { size: 65_536 })).rejects.toThrow(
    /Row 3 has more than 64 KiB/,
  );
});

test('cells and columns are bounded', async () => {
  const [row] = await cells(`${'x'.repeat(50_000)}${',y'.repeat(300)}\n`);
  expect([row?.length, String(row?.[0]).length]).toEqual([200, 36_000]);
});

test('an input that fails ends the reading with its error', async () => {
  const failing = async function* () {
    yield Buffer.from('a,b\n');
    throw new Error('the database has gone');
  };
  const reading = async () => {
    for await (const _ of readCsv({ ...sourceOf(Buffer.alloc(9)), read: failing }, 'utf-8'));
  };
  await expect(reading()).rejects.toThrow('the database has gone');
});

test('the first row may have 999 blank ones before it, not 1,000', async () => {
  expect(await read(`${',\n'.repeat(999)}YT1`)).toEqual([{ number: 1000, cells: ['YT1'] }]);
  await expect(read(`${',\n'.repeat(1000)}YT1`)).rejects.toMatchObject({
    name: 'FileFault',
    message: 'The file begins with 1000 blank rows. Remove them, and upload the file again.',
  });
});
