import type { TableRow } from './table.ts';
import { sourceOf, type TestWorkbook, workbook, zip } from './testing/workbook.ts';
import { readXlsx } from './xlsx.ts';

async function read(file: TestWorkbook | Buffer, size?: number): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  const bytes = Buffer.isBuffer(file) ? file : workbook(file);
  for await (const row of readXlsx(sourceOf(bytes, size))) rows.push(row);
  return rows;
}

test('texts, empty cells and empty rows are read as a spreadsheet shows them', async () => {
  const rows = [['运单号', null, 'Title'], [], [' YT1 ', null, 'A & B <1>'], [null, null, 'YT2']];
  for (const size of [1000, 7])
    expect(await read({ rows }, size)).toEqual([
      { number: 1, cells: ['运单号', '', 'Title'] },
      { number: 3, cells: ['YT1', '', 'A & B <1>'] },
      { number: 4, cells: ['', '', 'YT2'] },
    ]);
});

test('numbers keep the leading zeros that their format shows; one with lost digits says so', async () => {
  const rows = [
    [
      { n: '123' },
      { n: '123', style: 1 },
      { n: '1.23456789012345E+14' },
      { n: '1.2300000000000001E+15' },
      { n: '0.5' },
    ],
  ];
  expect(await read({ rows, formats: ['00000000', '#,##0'] })).toEqual([
    {
      number: 1,
      cells: ['123', '00000123', '123456789012345', { text: '1230000000000000', fault: 'digits_lost' }, '0.5'],
    },
  ]);
});

test('a sheet is read whose format applies to thousands of single cells', async () => {
  const places = Array.from({ length: 8000 }, (_, n) => `A${2 * n + 1}`).join(' ');
  const row = '<row><c t="inlineStr"><is><t>YT1</t></is></c></row>';
  const sheet = `<worksheet><sheetData>${row}</sheetData><conditionalFormatting sqref="${places}"/></worksheet>`;
  expect(await read({ rows: [], files: { 'xl/worksheets/sheet1.xml': sheet } })).toEqual([
    { number: 1, cells: ['YT1'] },
  ]);
});

test('the first sheet is read that is not hidden, such as the lists of a template', async () => {
  const sheet = (text: string) =>
    `<worksheet><sheetData><row><c t="inlineStr"><is><t>${text}</t></is></c></row></sheetData></worksheet>`;
  const files = {
    'xl/workbook.xml':
      '<workbook xmlns:r="rels"><sheets><sheet name="L" state="veryHidden" r:id="rId1"/><sheet name="M" state="hidden" r:id="rId1"/><sheet name="A" state="visible" r:id="rId2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="worksheets/sheet2.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': sheet('list'),
    'xl/worksheets/sheet2.xml': sheet('YT1'),
  };
  expect(await read({ rows: [], files })).toEqual([{ number: 1, cells: ['YT1'] }]);
});

test.each(['/xl/Texts.xml', '../xl/texts.xml', 'texts.XML'])(
  'the texts are where the workbook says: %s',
  async (target) => {
    const files = {
      'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId7" Target="worksheets/Sheet1.xml"/><Relationship Type="http://purl.oclc.org/ooxml/officeDocument/relationships/sharedStrings" Target="${target}"/></Relationships>`,
      'xl/texts.xml': '<sst><si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si></sst>',
    };
    expect(await read({ rows: [['']], files })).toEqual([{ number: 1, cells: ['東京'] }]);
  },
);

test.each([
  ['xl/workbook22.xml', 'xl/workbook22.xml', ''],
  ['/xl/workbook.main.xml', 'xl/workbook.main.xml', ''],
  ['content/book.xml', 'content/book.xml', '../xl/'],
  ['book.xml', 'book.xml', 'xl/'],
])('the workbook is the part that the archive names: %s', async (target, file, folder) => {
  const [head, name] = [file.slice(0, file.lastIndexOf('/') + 1), file.slice(file.lastIndexOf('/') + 1)];
  const files = {
    '_rels/.rels': `<Relationships><Relationship Id="rId1" Type="http://x/thumbnail" Target="t.jpeg"/><Relationship Id="rId2" Type="http://x/relationships/officeDocument" Target="${target}"/></Relationships>`,
    'xl/workbook.xml': '<workbook/>',
    [file]: '<workbook xmlns:r="rels"><sheets><sheet name="A" r:id="rId7"/></sheets></workbook>',
    [`${head}_rels/${name}.rels`]: `<Relationships><Relationship Id="rId7" Target="${folder}worksheets/sheet1.xml"/><Relationship Type="http://x/sharedStrings" Target="${folder}sharedStrings.xml"/></Relationships>`,
  };
  expect(await read({ rows: [['YT1']], files })).toEqual([{ number: 1, cells: ['YT1'] }]);
});

test.each(['<c t="s"/>', '<c t="s"></c>', '<c t="s"><v/></c>', '<c t="s"><v></v></c>'])(
  'a cell without a value is empty, not the first text: %s',
  async (xml) => {
    expect(await read({ rows: [['Number', 'YT1', { xml }]] })).toEqual([{ number: 1, cells: ['Number', 'YT1', ''] }]);
  },
);

test('inline texts, results of formulas, booleans and errors', async () => {
  const rows = [
    [
      { xml: '<c t="inlineStr"><is><r><t>YT</t></r><r><t>1</t></r><rPh sb="0" eb="2"><t>ワイ</t></rPh></is></c>' },
      { xml: '<c t="str"><f>A1&amp;2</f><v>YT2</v></c>' },
      { xml: '<c t="b"><v>1</v></c>' },
      { xml: '<c t="e"><v>#N/A</v></c>' },
    ],
  ];
  expect(await read({ rows })).toEqual([{ number: 1, cells: ['YT1', 'YT2', 'TRUE', ''] }]);
});

test('escaped characters, such as a carriage return that was pasted along, are read as they are shown', async () => {
  const rows = [['Number_x000D_', { xml: '<c t="str"><v>a_x000d_\nb_x005F_x0041_c</v></c>' }, 'size_xl_']];
  expect(await read({ rows })).toEqual([{ number: 1, cells: ['Number', 'a\r\nb_x0041_c', 'size_xl_'] }]);
});

test('rows are counted upwards, whatever numbers the sheet states', async () => {
  const row = (r: string) => `<row ${r}><c t="str"><v>x</v></c></row>`;
  const stated = ['r="2"', 'r="2"', 'r="1"', '', 'r="x"', 'r="-1"', 'r="7.5"', 'r="9"', 'r="1e30"'];
  const sheet = `<worksheet>${stated.map(row).join('')}</worksheet>`;
  const rows = await read({ rows: [], files: { 'xl/worksheets/sheet1.xml': sheet } });
  expect(rows.map(({ number }) => number)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

describe('a file that is not a workbook, or a hostile one, is refused:', () => {
  test.each<[string, Buffer, RegExp]>([
    ['a text', Buffer.from('number,order\n1,2\n'), /not an Excel workbook/],
    ['nothing', Buffer.alloc(0), /not an Excel workbook/],
    ['another archive', zip({ 'readme.txt': 'hello' }), /not an Excel workbook/],
    ['a workbook that is cut off', workbook({ rows: [['a']] }).subarray(0, 300), /not an Excel workbook/],
    ['broken XML', workbook({ rows: [], files: { 'xl/worksheets/sheet1.xml': '<a><b></a>' } }), /XML cannot be read/],
    ['a sheet that states a gigabyte', zip({ 'xl/workbook.xml': '<a/>' }, 1 << 30), /unpacks to more than 16 MiB/],
    [
      'a sheet that is larger than it states',
      zip({ 'xl/workbook.xml': 'x'.repeat(100_000) }, 10),
      /not an Excel workbook/,
    ],
  ])('%s', async (_what, bytes, message) => {
    await expect(read(bytes, 65_536)).rejects.toMatchObject({
      name: 'FileFault',
      message: expect.stringMatching(message),
    });
  });

  test('entities are not expanded, and a text of any length is cut', async () => {
    const dtd = '<!DOCTYPE a [<!ENTITY b "bbbb">]>';
    const files = { 'xl/worksheets/sheet1.xml': `${dtd}<worksheet><row><c t="str"><v>&b;</v></c></row></worksheet>` };
    await expect(read({ rows: [], files })).rejects.toMatchObject({ name: 'FileFault' });
    const long = { xml: `<c t="str"><v>${'x'.repeat(5_000_000)}</v></c>` };
    const [row] = await read({ rows: [[long]] }, 65_536);
    expect(String(row?.cells[0])).toHaveLength(36_000);
  });

  test('an error of the source is none of the file', async () => {
    const source = sourceOf(workbook({ rows: [['a']] }));
    const read = () => {
      throw new Error('away');
    };
    const reading = async () => {
      for await (const _ of readXlsx({ ...source, read }));
    };
    await expect(reading()).rejects.toThrow('away');
  });
});
