import { readCsv } from './csv.ts';
import { readNdjson } from './ndjson.ts';
import type { ByteSource, TableRow } from './table.ts';
import { sourceOf, workbook } from './testing/workbook.ts';
import { readXlsx } from './xlsx.ts';

const csv = (source: ByteSource) => readCsv(source, 'utf-8');
const ndjson = (source: ByteSource) => readNdjson(source, ['tracking_number']);
const xlsx = (file: string, xml: string) => workbook({ rows: [['YT1']], files: { [`xl/${file}`]: xml } });
const many = (element: string) => element.repeat(Math.ceil(100_000 / element.length));

test.each<[string, (source: ByteSource) => AsyncGenerator<TableRow>, string | Buffer]>([
  ['blank lines', csv, `YT1${many('\n')}`],
  ['short rows', csv, many('YT1\n')],
  ['long rows', csv, many(`YT1,${'x'.repeat(10_000)}\n`)],
  ['blank lines of NDJSON', ndjson, many('\n')],
  ['short rows of NDJSON', ndjson, many('"YT1"\n')],
  ['empty rows of a workbook', readXlsx, xlsx('worksheets/sheet1.xml', `<worksheet>${many('<row/>')}</worksheet>`)],
  ['shared texts of a workbook', readXlsx, xlsx('sharedStrings.xml', `<sst>${many('<si><t>YT1</t></si>')}</sst>`)],
  ['styles of a workbook', readXlsx, xlsx('styles.xml', `<styleSheet>${many('<xf numFmtId="0"/>')}</styleSheet>`)],
  ['sheets of a workbook', readXlsx, xlsx('workbook.xml', `<w xmlns:r="r">${many('<sheet r:id="rId7"/>')}</w>`)],
])('%s leave the thread to others after each 2 KiB', async (_what, read, file) => {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  for await (const _ of read({ ...sourceOf(Buffer.from(file as string), 262_144), pause }));
  expect(pauses).toBeGreaterThanOrEqual(48);
});

test('reading ends with what a pause throws', async () => {
  const stopped = new Error('stopped');
  const pause = () => Promise.reject(stopped);
  const text = Buffer.from('YT1\n'.repeat(1000));
  for (const [read, file] of [
    [csv, text],
    [ndjson, text],
    [readXlsx, workbook({ rows: [['YT1']] })],
  ] as const) {
    const rows = read({ ...sourceOf(file), pause });
    await expect(async () => {
      for await (const _ of rows);
    }).rejects.toBe(stopped);
  }
});
