import { unguarded } from '@pts/core/csv';
import { chooseColumns, FIELDS, type Field, listOf, type WantedColumns } from '@pts/core/imports';
import { normaliseNumber } from '@pts/core/tracking/number';
import { cleanText } from '@pts/core/tracking/outside-text';
import type { ImportColumn, ImportFormat } from '@pts/db/imports/imports';
import { readCsv } from '@pts/tabular/csv';
import type { Encoding } from '@pts/tabular/encoding';
import { readNdjson } from '@pts/tabular/ndjson';
import { type ByteSource, type Cell, FileFault, type TableRow } from '@pts/tabular/table';
import { readXlsx } from '@pts/tabular/xlsx';

/** How a file is to be read. */
export type TableFile = { format: ImportFormat; encoding: Encoding | null; wanted: WantedColumns };
/** The columns of a file, and its rows without the header. */
export type Table = { columns: ImportColumn[]; rows: AsyncGenerator<TableRow> };

/** A column that the user named does not exist, or one is needed. */
export class ColumnFault extends FileFault {
  readonly field: Field;
  readonly fault: string;

  constructor(field: Field, fault: string) {
    super(`${field}_column ${fault}.`);
    this.field = field;
    this.fault = fault;
  }
}

/** Opens a table, and reads as far as its header. @throws FileFault, ColumnFault */
export async function openTable(source: ByteSource, file: TableFile): Promise<Table> {
  if (file.format === 'ndjson')
    return { columns: FIELDS.map((field) => ({ header: field, field })), rows: rowsOf(source, file) };
  let rows = rowsOf(source, file);
  const first = await rows.next();
  if (first.done) throw new FileFault('The file is empty.');
  // Headers are stored, and PostgreSQL takes no NUL.
  const header = first.value.cells.map((cell) => cleanText(textOf(cell)));
  if (isNumber(header[0]) && isAlone(first.value)) {
    const second = await rows.next();
    if (second.done) return { columns: [LIST], rows: startingWith(first.value, rows) };
    rows = startingWith(second.value, rows);
    // A table below it has a title (`Orders 2026`), not a number.
    if (isAlone(second.value)) return { columns: [LIST], rows: startingWith(first.value, rows) };
  }
  const chosen = chooseColumns(header, file.wanted);
  if ('field' in chosen) throw new ColumnFault(chosen.field, chosen.message);
  const { columns } = chosen;
  if (columns.tracking_number === undefined) throw new ColumnFault('tracking_number', missing(header));
  const fieldAt = new Map(Object.entries(columns).map(([field, place]) => [place, field as Field]));
  if (isNumber(header[columns.tracking_number])) {
    const named = header.map((_, place) => fieldAt.get(place) ?? null);
    return {
      columns: named.map((field, place) => ({ header: field ?? String(place + 1), field })),
      rows: startingWith(first.value, rows),
    };
  }
  return { columns: header.map((name, place) => ({ header: name, field: fieldAt.get(place) ?? null })), rows };
}

function rowsOf(source: ByteSource, { format, encoding }: TableFile): AsyncGenerator<TableRow> {
  switch (format) {
    case 'csv':
      return unguardedRows(readCsv(source, encoding ?? 'utf-8'));
    case 'ndjson':
      return readNdjson(source, FIELDS);
    case 'xlsx':
      return unguardedRows(readXlsx(source));
    default:
      return format satisfies never;
  }
}

/** The cells of a file that people may have opened in a spreadsheet, as they were before that. */
async function* unguardedRows(rows: AsyncGenerator<TableRow>): AsyncGenerator<TableRow> {
  for await (const row of rows)
    yield {
      ...row,
      cells: row.cells.map((cell) =>
        typeof cell === 'string' ? unguarded(cell) : { ...cell, text: unguarded(cell.text) },
      ),
    };
}

export function textOf(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? cell : cell.text;
}

const LIST: ImportColumn = { header: 'tracking_number', field: 'tracking_number' };

/** Whether all cells of a row but the first are empty. */
function isAlone({ cells }: TableRow): boolean {
  return cells.slice(1).every((cell) => textOf(cell) === '');
}

/** A tracking number: its row is no header. */
function isNumber(cell = ''): boolean {
  return /\d{4}/.test(normaliseNumber(cell) ?? '');
}

async function* startingWith(first: TableRow, rows: AsyncGenerator<TableRow>): AsyncGenerator<TableRow> {
  yield first;
  yield* rows;
}

function missing(header: readonly string[]): string {
  return `is needed: no header of the file is a usual one for tracking numbers. Name the column; the file has ${listOf(header)}`;
}
