import { detectWithReasons } from '@pts/carriers/detection/detect';
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
  type RowFault,
  TEXT_FIELDS,
  type WantedColumns,
} from '@pts/core/imports';
import { type Message, message } from '@pts/core/languages/message';
import { isSeveralNumbers, normaliseNumber } from '@pts/core/tracking/number';
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
export type Table = { columns: ImportColumn[]; rows: Rows };
/** Rows that somebody reads until they end, or ends with `return`. */
type Rows = Pick<AsyncGenerator<TableRow, unknown>, 'next' | 'return'> & AsyncIterable<TableRow>;

/** A column that the user named does not exist, or one is needed. */
export class ColumnFault extends FileFault {
  readonly field: Field;
  readonly fault: Message;

  constructor(field: Field, fault: Message) {
    super(message('file.column', { column: `${field}_column`, fault }));
    this.field = field;
    this.fault = fault;
  }
}

/** Rows among which the header is looked for: titles, dates and merged cells may stand above it. */
const MAX_ABOVE = 10;

/** Opens a table, and reads as far as its header. @throws FileFault, ColumnFault */
export async function openTable(source: ByteSource, file: TableFile): Promise<Table> {
  if (file.format === 'ndjson')
    return { columns: FIELDS.map((field) => ({ header: field, field })), rows: rowsOf(source, file) };
  const rows = rowsOf(source, file);
  const first: TableRow[] = [];
  while (first.length < MAX_ABOVE) {
    const row = await rows.next();
    if (row.done) break;
    first.push(row.value);
  }
  if (first.length === 0) throw new FileFault(message('file.empty'));
  const headers = headersOf(first);
  const found = findHeader(headers, file.wanted);
  if (isList(headers, found)) return { columns: [LIST], rows: startingWith(first, rows) };
  if (found === null)
    throw new ColumnFault('tracking_number', message('file.number_column', { columns: listOf(widestOf(headers)) }));
  if ('field' in found) throw new ColumnFault(found.field, found.message);
  const { header, columns, place } = found;
  const fieldAt = new Map(Object.entries(columns).map(([field, column]) => [column, field as Field]));
  const named = header.map((name, column) => ({ header: name, field: fieldAt.get(column) ?? null }));
  if (!isNumber(header[columns.tracking_number ?? 0]))
    return { columns: named, rows: startingWith(first.slice(place + 1), rows) };
  return {
    columns: named.map(({ field }, column) => ({ header: field ?? String(column + 1), field })),
    rows: startingWith(first, rows),
  };
}

/**
 * The cells of rows as headers: where one is empty, what stands above it, as in cells that are merged over two rows.
 */
function headersOf(rows: readonly TableRow[]): string[][] {
  // Headers are stored, and PostgreSQL takes no NUL.
  const texts = rows.map(({ cells }) => cells.map((cell) => withoutBreaks(cleanText(textOf(cell)))));
  return texts.map((row, n) => row.map((text, column) => (text === '' ? (texts[n - 1]?.[column] ?? '') : text)));
}

type Header = { header: string[]; columns: Columns; place: number };

/**
 * The row with most usual headers, the number's column among those that it has: the first one of several, but a title
 * only if there is no other. Null for none.
 * @returns if there is none because of a column that the user named, what is wrong with that.
 */
function findHeader(headers: readonly string[][], wanted: WantedColumns): Header | FieldFault | null {
  const columnsOf = (header: string[], named: WantedColumns) => {
    const chosen = chooseColumns(header, named);
    return 'field' in chosen ? null : chosen.columns;
  };
  const found = headers.flatMap((header, place) => {
    const columns = columnsOf(header, wanted);
    if (columns === null || (header[columns.tracking_number ?? -1] ?? '') === '') return [];
    const usual = Object.keys(columnsOf(header, {}) ?? {}).length;
    return { header, columns, place, rank: 2 * usual + Number(!isAlone(header)) };
  });
  const [first, ...others] = found;
  if (first) return others.reduce((most, each) => (each.rank > most.rank ? each : most), first);
  const chosen = chooseColumns(widestOf(headers), wanted);
  return 'field' in chosen ? chosen : null;
}

type FieldFault = Extract<ReturnType<typeof chooseColumns>, { field: Field }>;

/** The row with most texts: the others are titles. */
function widestOf(headers: readonly string[][]): string[] {
  const width = (header: readonly string[]) => header.filter((text) => text !== '').length;
  return headers.reduce((widest, each) => (width(each) > width(widest) ? each : widest), headers[0] ?? []);
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

/**
 * Whether a file is a list of numbers: without a header, also if a word that may be one stands among them. A table
 * below a title (`Orders 2026`) is none.
 */
function isList(headers: readonly string[][], found: ReturnType<typeof findHeader>): boolean {
  const [[first = ''] = []] = headers;
  if (!isNumber(first) || !headers.slice(0, 2).every(isAlone)) return false;
  if (found === null) return true;
  return 'place' in found && found.place > 0 && headers.every(isAlone) && TYPICAL.test(first);
}

/** Most numbers, but neither a date nor a title. */
const TYPICAL = /^\S{10,}$/;

/** Whether all cells of a row but the first are empty. */
function isAlone(row: readonly string[]): boolean {
  return row.slice(1).every((cell) => cell === '');
}

/** A tracking number: its row is no header. */
function isNumber(cell = ''): boolean {
  return isSeveralNumbers(cell) || /\d{4}/.test(normaliseNumber(cell) ?? '');
}

/** Rows that were read already, and those behind them. */
function startingWith(read: readonly TableRow[], rows: AsyncGenerator<TableRow>): Rows {
  const first = [...read];
  const all: Rows = {
    next: async () => {
      const value = first.shift();
      return value ? { done: false, value } : rows.next();
    },
    return: (value) => rows.return(value),
    [Symbol.asyncIterator]: () => all,
  };
  return all;
}

/** A row as a registration, or what is wrong with it. */
export type ReadRow = { row: TableRow; input: RegistrationInput } | { row: TableRow; fault: RowFault };

type TextField = (typeof TEXT_FIELDS)[number];

const UNREADABLE: Record<Unreadable, Message> = {
  not_json: message('row.not_json'),
  not_utf8: message('row.not_utf8'),
  too_long: message('row.line_too_long'),
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
      if (typeof cell !== 'string' && !isWhole(field, cell)) return { field, message: CELL_FAULTS[cell.fault] };
      texts[field] = textOf(cell);
    }
    const number = (texts.tracking_number ?? '').trim();
    if (isScientific(number) || normaliseNumber(number) === null)
      return { field: 'tracking_number', message: numberFault(number) };
    const input: RegistrationInput = { tracking_number: number };
    for (const field of TEXT_FIELDS) {
      const given = withoutBreaks(texts[field] ?? '');
      const text = field === 'phone' ? phoneOf(given) : given;
      const fault = textFault(field, text);
      if (fault !== null) return { field, message: fault };
      if (text !== '') input[field] = text;
    }
    const courier = withoutBreaks(texts.courier_code ?? '');
    if (courier !== '') input.courier_code = codeOf(courier, { sandbox });
    const metadata = readMetadata(texts.metadata ?? '');
    if (metadata === null) return { field: 'metadata', message: message('row.metadata') };
    return metadata === undefined ? input : { ...input, metadata };
  };
  return (row) => {
    const result = read(row);
    return 'message' in result ? { row, fault: result } : { row, input: result };
  };
}

/** A text in one line: cells may have several. */
function withoutBreaks(text: string): string {
  if (!/[\r\n]/.test(text)) return text;
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

type FaultyCell = Exclude<Cell, string>;

const CELL_FAULTS: Record<FaultyCell['fault'], Message> = {
  digits_lost: message('row.digits_lost'),
  digits_doubtful: message('row.digits_lost'),
  undecodable: message('row.undecodable'),
};

/** Whether a cell whose last zeros are doubtful has them of its own: a tracking number if its check digit is right. */
function isWhole(field: Field, { text, fault }: FaultyCell): boolean {
  if (fault !== 'digits_doubtful') return false;
  if (field !== 'tracking_number') return true;
  return detectWithReasons(text, { sandbox: false }).some(
    ({ reason }) => reason.endsWith('check_digit') && reason !== 'wrong_check_digit',
  );
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
function textFault(field: TextField, text: string): Message | null {
  if (text === '') return null;
  if ((field === 'order_id' || field === 'phone') && isScientific(text)) return message('row.shortened');
  const check = CHECKS[field];
  if (check(text) && text.isWellFormed()) return null;
  const fault = check.errors?.[0];
  if (fault?.keyword === 'maxLength') return message('row.too_long', { max: fault.params.limit as number });
  return FORMS[field] ?? message('row.control_characters');
}

const FORMS: Partial<Record<TextField, Message>> = {
  phone: message('row.phone'),
  destination_country: message('row.country'),
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
