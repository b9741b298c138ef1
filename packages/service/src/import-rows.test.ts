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
async function inputs(format: ImportFormat, bytes: Buffer, wanted = {}) {
  const { columns, rows } = await openTable(sourceOf(bytes), { format, encoding: null, wanted });
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

const A = 'PTS1111DELIVERED';
/** What the rows of a table, as a CSV file and as a workbook, are read as. */
async function both(rows: (string | null)[][], wanted = {}) {
  const csv = Buffer.from(rows.map((row) => csvLine(row.map((cell) => cell ?? ''))).join(''));
  const [fromText, fromWorkbook] = [await inputs('csv', csv, wanted), await inputs('xlsx', workbook({ rows }), wanted)];
  expect(fromWorkbook).toEqual(fromText);
  return fromText;
}

describe('the header is found among the first ten rows:', () => {
  const parcel = { tracking_number: A, order_id: 'A-1' };
  test.each<[string, (string | null)[][]]>([
    [
      'in the first',
      [
        ['Tracking No.', 'Order'],
        [A, 'A-1'],
      ],
    ],
    ['below a title', [['Orders 2026'], ['Tracking No.', 'Order'], [A, 'A-1']]],
    ['below a title that is a usual header', [['Tracking'], ['Tracking No.', 'Order'], [A, 'A-1']]],
    ['below a title, a date and a blank row', [['Versand'], ['2026-11-29'], [], ['Tracking No.', 'Order'], [A, 'A-1']]],
    [
      'below pairs of names and values',
      [
        ['Customer', '12345678'],
        ['From', '2026-11-01'],
        ['To', '2026-11-30'],
        ['运单号', '订单号'],
        [A, 'A-1'],
      ],
    ],
    [
      'below cells that are merged over columns',
      [
        ['Parcel', null, null],
        ['Tracking No.', 'Order', 'x'],
        [A, 'A-1', 'y'],
      ],
    ],
    [
      'in two rows of merged cells',
      [
        ['Tracking No.', 'Order', 'Recipient', null],
        [null, null, 'Phone', 'Zip'],
        [A, 'A-1', null, null],
      ],
    ],
    ['in the tenth', [...Array.from({ length: 9 }, (_, n) => [`Line ${n}`]), ['Tracking No.', 'Order'], [A, 'A-1']]],
    [
      'with line breaks',
      [
        ['Tracking\nNo.', 'Order\r\nnumber'],
        [A, 'A-1'],
      ],
    ],
  ])('%s', async (_what, rows) => {
    expect(await both(rows)).toEqual([parcel]);
  });

  test('by its name that the user gives, or its place', async () => {
    const rows = [['Orders 2026'], ['Kunde', 'Sendung'], ['Meier', A]];
    for (const tracking_number of ['Sendung', '2'])
      expect(await both(rows, { tracking_number })).toEqual([{ tracking_number: A }]);
    await expect(both(rows, { tracking_number: '3' })).rejects.toThrow('The file has "Kunde", "Sendung"');
    await expect(both(rows)).rejects.toThrow('The file has "Kunde", "Sendung"');
  });

  test('by places alone, below rows with as many cells', async () => {
    const rows = [
      ['From', '2026-11-01', 'x'],
      ['Tracking No.', 'Order', 'x'],
      [A, 'A-1', 'y'],
    ];
    expect(await both(rows, { tracking_number: '1', order_id: '2', title: '-' })).toEqual([parcel]);
  });

  test('not in the eleventh', async () => {
    const rows = [...Array.from({ length: 10 }, (_, n) => [`Line ${n}`, 'x']), ['Tracking No.', 'Order'], [A, 'A-1']];
    await expect(both(rows)).rejects.toThrow('none of the headers');
  });
});

test.each([
  [
    [[A], ['PTS2222DELIVERED']],
    [A, 'PTS2222DELIVERED'],
  ],
  [
    [[A], ['Tracking #'], ['PTS2222DELIVERED']],
    [A, null, 'PTS2222DELIVERED'],
  ],
  [[[A]], [A]],
  [
    [['PTS1111DELIVERED PTS2222DELIVERED'], ['PTS3333DELIVERED']],
    [null, 'PTS3333DELIVERED'],
  ],
])('a list without a header loses none of its rows: %j', async (rows, numbers) => {
  expect((await both(rows)).map((input) => input?.tracking_number ?? null)).toEqual(numbers);
});

test.each(['Tracking No.', '运单号', 'Waybill', 'ＴＲＡＣＫＩＮＧ'])(
  'a header that is repeated among the rows is no parcel: %s',
  async (word) => {
    const rows = [
      ['Tracking No.', 'Order'],
      [A, 'A-1'],
      [word, 'Order'],
      [A, 'A-2'],
    ];
    expect(await both(rows)).toEqual([
      { tracking_number: A, order_id: 'A-1' },
      null,
      { tracking_number: A, order_id: 'A-2' },
    ]);
  },
);

test('line breaks in cells become spaces, but not between numbers', async () => {
  const rows = [
    ['Tracking No.', 'Title', 'Order'],
    [A, 'Blue\njacket\r\n', 'A\n\n1'],
    [`${A}\n${A}`, 'x', 'y'],
  ];
  expect(await both(rows)).toEqual([{ tracking_number: A, title: 'Blue jacket', order_id: 'A 1' }, null]);
});

test('a number that a spreadsheet has cut is refused, unless its check digit or an apostrophe says that it is whole', async () => {
  const read = async (number: string) => {
    const found = await inputs('csv', Buffer.from(`Tracking No.,Order\n${number},1234567890123450\n`));
    return found.map((input) => input && [input.tracking_number, input.order_id]);
  };
  const order = '1234567890123450';
  for (const number of ['940010000000000000', '9400100000000000000000', '12345678901234500', '1234567890123450'])
    expect(await read(number)).toEqual([null]);
  for (const number of ["'940010000000000000", "'1234567890123450"])
    expect(await read(number)).toEqual([[number.slice(1), order]]);
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
