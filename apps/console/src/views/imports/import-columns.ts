import type { Import, ImportField } from '../../data/imports.ts';
import type { Sample } from './sample.ts';

/** The fields that a column can be, in the order in which they are offered. */
export const FIELDS = [
  'tracking_number',
  'courier_code',
  'order_id',
  'title',
  'phone',
  'postal_code',
  'destination_country',
  'metadata',
] as const satisfies readonly ImportField[];

export type Column = Import['columns'][number];

/** The columns of a file: as the service reads them, or, while it cannot, as the file names them. */
export function columnsOf(examined: Import | undefined, sample: Sample | null): readonly Column[] {
  if (examined && examined.columns.length > 0) return examined.columns;
  return sample?.header.map((header) => ({ header, field: null })) ?? [];
}

/** The columns with another field for one of them; a field has one column at most. */
export function withField(columns: readonly Column[], place: number, field: ImportField | null): Column[] {
  return columns.map((column, at) => {
    if (at === place) return { ...column, field };
    return field !== null && column.field === field ? { ...column, field: null } : column;
  });
}

/** The columns as parameters of an import: their numbers, from 1. */
export function parametersOf(columns: readonly Column[]): Record<`${ImportField}_column`, string> {
  const entries = FIELDS.map((field) => {
    const place = columns.findIndex((column) => column.field === field);
    return [`${field}_column`, place < 0 ? '-' : String(place + 1)];
  });
  return Object.fromEntries(entries);
}

/** Values of a column that are shown. */
const SHOWN = 3;

/** The values of a column in the first rows below the header. A list of numbers has none: its first line is a row. */
export function samplesOf(sample: Sample | null, columns: readonly Column[], place: number): string[] {
  if (sample === null) return [];
  const rows = [sample.header, ...sample.rows].map((row) => row.map(inOneLine));
  const header = rows.findIndex((row) => columns.every((column, at) => ['', column.header].includes(row[at] ?? '')));
  const shown = rows.slice(header + 1, header + 1 + SHOWN);
  return shown.map((row) => row[place] ?? '').filter(Boolean);
}

function inOneLine(cell: string): string {
  return cell.trim().replaceAll(/\s+/g, ' ');
}
