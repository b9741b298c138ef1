import { carrierNamed, findCarrier } from '@pts/carriers/registry/registry';
import { registrationInputs } from '@pts/contract/trackings';
import {
  type Columns,
  FIELDS,
  type Field,
  isScientific,
  numberFault,
  ROW_FAULTS,
  type RowFault,
  TEXT_FIELDS,
} from '@pts/core/imports';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { Cell, TableRow, UnreadableRow as Unreadable } from '@pts/tabular/table';
import { Ajv, type ValidateFunction } from 'ajv';
import type { RegistrationInput } from '../trackings/register.ts';

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
    if (isSeveral(number)) return { field: 'tracking_number', message: ROW_FAULTS.number_characters };
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

/** Characters of the groups in which carriers print a number, at most. */
const LONGEST_GROUP = 9;

/** Several numbers, one below or behind the other: without the space between them, they would be one. */
function isSeveral(cell: string): boolean {
  const parts = cell.split(/\s+/);
  return /[\r\n]/.test(cell) || (parts.length > 1 && parts.every(({ length }) => length > LONGEST_GROUP));
}

/** What a marketplace adds to a phone that only it can call: `+1 555-123-4567 ext. 12345`, `17000000000转1234`. */
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

/** What the contract has against a text, in words for somebody with a spreadsheet. */
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
