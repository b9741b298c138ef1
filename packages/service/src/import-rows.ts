import { carrierNamed, findCarrier } from '@pts/carriers/registry/registry';
import { registrationInputs } from '@pts/contract/trackings';
import { unguarded } from '@pts/core/csv';
import {
  type Columns,
  chooseColumns,
  FIELDS,
  type Field,
  isScientific,
  listOf,
  numberFault,
  ROW_FAULTS,
  type RowFault,
  TEXT_FIELDS,
  type WantedColumns,
} from '@pts/core/imports';
import { normaliseNumber } from '@pts/core/tracking/number';
import { cleanText } from '@pts/core/tracking/outside-text';
import type { ImportColumn, ImportFormat } from '@pts/db/imports';
import { readCsv } from '@pts/tabular/csv';
import type { Encoding } from '@pts/tabular/encoding';
import { readNdjson } from '@pts/tabular/ndjson';
import {
  type ByteSource,
  type Cell,
  FileFault,
  type TableRow,
  type UnreadableRow as Unreadable,
} from '@pts/tabular/table';
import { readXlsx } from '@pts/tabular/xlsx';
import { Ajv, type ValidateFunction } from 'ajv';
import type { RegistrationInput } from './trackings/register.ts';

/** How a file is to be read. */
type TableFile = { format: ImportFormat; encoding: Encoding | null; wanted: WantedColumns };
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

/** A row as a registration, or what is wrong with it. */
export type ReadRow = { row: TableRow; input: RegistrationInput } | { row: TableRow; fault: RowFault };

type TextField = (typeof TEXT_FIELDS)[number];

const UNREADABLE: Record<Unreadable, string> = {
  not_json: ROW_FAULTS.not_json,
  not_utf8: ROW_FAULTS.not_utf8,
  too_long: ROW_FAULTS.line_too_long,
};

/** Reads the rows of a file with these columns. */
export function rowReader(columns: Columns, { sandbox }: { sandbox: boolean }): (row: TableRow) => ReadRow {
  const cellOf = ({ cells }: TableRow, field: Field): Cell => {
    const place = columns[field];
    return place === undefined ? '' : (cells[place] ?? '');
  };
  const read = (row: TableRow): RegistrationInput | RowFault => {
    if ('fault' in row) return { field: null, message: UNREADABLE[row.fault] };
    const texts: Partial<Record<Field, string>> = {};
    for (const field of FIELDS) {
      const cell = cellOf(row, field);
      if (typeof cell !== 'string') return { field, message: ROW_FAULTS[cell.fault] };
      texts[field] = cell;
    }
    const textOf = (field: Field) => texts[field] ?? '';
    const number = textOf('tracking_number').trim();
    if (isScientific(number) || normaliseNumber(number) === null)
      return { field: 'tracking_number', message: numberFault(number) };
    const input: RegistrationInput = { tracking_number: number };
    for (const field of TEXT_FIELDS) {
      const text = field === 'phone' ? phoneOf(textOf(field)) : textOf(field);
      const message = textFault(field, text);
      if (message !== null) return { field, message };
      if (text !== '') input[field] = text;
    }
    const courier = textOf('courier_code');
    if (courier !== '') input.courier_code = codeOf(courier, { sandbox });
    const metadata = readMetadata(textOf('metadata'));
    if (metadata === null) return { field: 'metadata', message: ROW_FAULTS.metadata };
    return metadata === undefined ? input : { ...input, metadata };
  };
  return (row) => {
    const result = read(row);
    return 'message' in result ? { row, fault: result } : { row, input: result };
  };
}

/**
 * The extension that a marketplace adds to a phone that only it can call: `+1 555-123-4567 ext. 12345`,
 * `17000000000转1234`.
 */
const EXTENSION = / ?(?:ext\.?|x|转|分机) ?\d{1,6}$/i;

/** A number that a program took for a decimal one, such as pandas: `13800138000.0`. */
const DECIMAL = /^(\+?\d{4,15})\.0$/;

/** Characters of a phone with what programs add to it, at most. */
const LONGEST_PHONE = 200;

/** Some shops mask all but the last four digits (138****8000), which are enough. */
function phoneOf(text: string): string {
  // The contract refuses it.
  if (text.length > LONGEST_PHONE) return text;
  const phone = text.normalize('NFKC').replace(EXTENSION, '').replace(DECIMAL, '$1');
  return /\*\d{4}$/.test(phone) ? phone.slice(-4) : phone;
}

/** Shops export names. */
function codeOf(courier: string, options: { sandbox: boolean }): string {
  return (findCarrier(courier.toLowerCase(), options) ?? carrierNamed(courier, options))?.code ?? courier;
}

/** The contract's checks; a test checks the schemas. */
const ajv = new Ajv({ strict: true, validateSchema: false, meta: false });
const fitsMetadata = ajv.compile(registrationInputs.metadata);
const CHECKS = Object.fromEntries(
  TEXT_FIELDS.map((field) => [field, ajv.compile(registrationInputs[field])]),
) as Record<TextField, ValidateFunction>;

/** The contract's objection to a text, in words for somebody with a spreadsheet. */
function textFault(field: TextField, text: string): string | null {
  if (text === '') return null;
  if ((field === 'order_id' || field === 'phone') && isScientific(text)) return ROW_FAULTS.shortened;
  const check = CHECKS[field];
  if (check(text) && text.isWellFormed()) return null;
  const fault = check.errors?.[0];
  if (fault?.keyword === 'maxLength') return `has more than ${fault.params.limit as number} characters: shorten it`;
  return FORMS[field] ?? ROW_FAULTS.control_characters;
}

const FORMS: Partial<Record<TextField, string>> = {
  phone: ROW_FAULTS.phone,
  destination_country: ROW_FAULTS.country,
};

/** Null: it is none that can be stored. */
function readMetadata(text: string): Record<string, string> | undefined | null {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!fitsMetadata(value)) return null;
    const entries = value as Record<string, string>;
    const isStorable = (each: string) => each.isWellFormed() && !each.includes('\u0000');
    return Object.entries(entries).flat().every(isStorable) ? entries : null;
  } catch {
    return null;
  }
}
