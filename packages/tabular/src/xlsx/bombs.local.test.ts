import { sourceOf, workbook } from '../testing/workbook.ts';
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
