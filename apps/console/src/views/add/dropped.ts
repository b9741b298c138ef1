import { numbersIn } from '../../behaviour/numbers.ts';

type Sample = { header: readonly string[]; rows: readonly (readonly string[])[] };

/** The content of a dropped file: numbers alone, as text, or a table that is to be imported. */
export async function readDropped(file: File): Promise<{ numbers: string } | 'table'> {
  // Loaded when a file is dropped: it reads CSV.
  const { decode, readSample } = await import('../imports/sample.ts');
  const sample = await readSample(file);
  if (sample === null || isTable(sample)) return 'table';
  return { numbers: withoutHeader(decode(new Uint8Array(await file.arrayBuffer())).replaceAll('"', '')) };
}

/** Without a first line that only says what follows: a number has digits. */
function withoutHeader(text: string): string {
  const [first = '', ...others] = text.split(/\r?\n/);
  return (/\d/.test(first) ? [first, ...others] : others).join('\n');
}

/** Whether rows have more than numbers in them. */
export function isTable({ header, rows }: Sample): boolean {
  const isNumber = (cell: string) => cell.trim() === '' || numbersIn(cell).length > 0;
  return [header, ...rows].some((cells) => cells.length > 1 && !cells.every(isNumber));
}
