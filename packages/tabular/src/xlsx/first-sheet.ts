import { FileFault } from '../table.ts';
import type { Archive } from './archive.ts';
import { readXml } from './xml.ts';

const MAX_MIB = 16;

/** The name of the file of the first sheet that a spreadsheet shows. @throws FileFault if the archive is no workbook. */
export async function firstSheet(archive: Archive): Promise<string> {
  const sheets: string[] = [];
  await readAttributes(archive, 'xl/workbook.xml', 'sheet', (attributes) => {
    const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'));
    if (id && !['hidden', 'veryHidden'].includes(attributes.state ?? '')) sheets.push(id[1]);
  });
  const targets = new Map<string, string>();
  await readAttributes(archive, 'xl/_rels/workbook.xml.rels', 'Relationship', ({ Id = '', Target = '' }) => {
    targets.set(Id, Target);
  });
  const target = targets.get(sheets[0] ?? '');
  if (target === undefined)
    throw new FileFault('The workbook has no sheet. Save the table as CSV UTF-8, and upload that.');
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

async function readAttributes(
  archive: Archive,
  file: string,
  element: string,
  found: (attributes: Readonly<Record<string, string>>) => void,
): Promise<void> {
  const reading = readXml(archive.read(file, MAX_MIB), {
    begin: ({ name, attributes }) => void (name === element && found(attributes)),
    end() {},
    text() {},
  });
  for await (const _ of reading);
}
