import { posix } from 'node:path';
import { FileFault } from '../table.ts';
import type { Archive } from './archive.ts';
import { readXml } from './xml.ts';

const MAX_MIB = 16;

/** The files of a workbook that are read: the first sheet that a spreadsheet shows, and, if there are any, its texts and styles. */
export type Parts = { sheet: string; sharedStrings: string | undefined; styles: string | undefined };

/** @throws FileFault if the archive is no workbook. */
export async function findParts(archive: Archive): Promise<Parts> {
  const sheets: string[] = [];
  await readAttributes(archive, 'xl/workbook.xml', 'sheet', (attributes) => {
    const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'));
    if (id && !['hidden', 'veryHidden'].includes(attributes.state ?? '')) sheets.push(id[1]);
  });
  const byId = new Map<string, string>();
  const byKind = new Map<string, string>();
  await readAttributes(archive, 'xl/_rels/workbook.xml.rels', 'Relationship', ({ Id = '', Type = '', Target = '' }) => {
    const file = posix.resolve('/xl', Target).slice(1);
    byId.set(Id, file);
    if (archive.has(file)) byKind.set(posix.basename(Type), file);
  });
  const sheet = byId.get(sheets[0] ?? '');
  if (sheet === undefined)
    throw new FileFault('The workbook has no sheet. Save the table as CSV UTF-8, and upload that.');
  return { sheet, sharedStrings: byKind.get('sharedStrings'), styles: byKind.get('styles') };
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
