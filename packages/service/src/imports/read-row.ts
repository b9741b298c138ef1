import { carriers } from '@pts/carriers/registry/registry';
import { registrationInputs } from '@pts/contract/common';
import { unguarded } from '@pts/core/csv';
import type { Columns, Field } from '@pts/core/imports/columns';
import { DIGITS_LOST, isScientific, numberFault, type RowFault, SHORTENED } from '@pts/core/imports/faults';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { Cell, Row, RowFault as Unreadable } from '@pts/tabular/table';
import type { RegistrationInput } from '../trackings/registration.ts';
import { textOf } from './open-table.ts';

/** A row as a registration, or what is wrong with it. */
export type ReadRow = { row: Row; input: RegistrationInput } | { row: Row; fault: RowFault };

/** The texts that are taken as they are; the others have rules of their own. */
const TEXTS = ['phone', 'postal_code', 'destination_country', 'order_id', 'title'] as const;

const UNREADABLE: Record<Unreadable, string> = {
  not_json: 'is neither a JSON object nor a JSON text: correct the line',
  not_utf8: 'is not UTF-8: save the file as UTF-8',
  too_long: 'is longer than 64 KiB: shorten the line',
};

/** Reads the rows of a file with these columns. */
export function rowReader(columns: Columns, { sandbox }: { sandbox: boolean }): (row: Row) => ReadRow {
  const codes = carrierCodes(sandbox);
  const cellOf = ({ cells }: Row, field: Field): Cell => {
    const place = columns[field];
    const cell = place === undefined ? '' : (cells[place] ?? '');
    return typeof cell === 'string' ? unguarded(cell) : cell;
  };
  const read = (row: Row): RegistrationInput | RowFault => {
    if ('fault' in row) return { field: null, message: UNREADABLE[row.fault] };
    const number = cellOf(row, 'tracking_number');
    if (typeof number !== 'string') return { field: 'tracking_number', message: DIGITS_LOST };
    if (isScientific(number) || normaliseNumber(number) === null)
      return { field: 'tracking_number', message: numberFault(number) };
    const input: RegistrationInput = { tracking_number: number };
    for (const field of TEXTS) {
      const cell = cellOf(row, field);
      const message = textFault(field, cell);
      if (message !== null) return { field, message };
      if (cell !== '') input[field] = textOf(cell);
    }
    const courier = textOf(cellOf(row, 'courier_code'));
    if (courier !== '') input.courier_code = codes.get(courier.toLowerCase()) ?? courier;
    const metadata = readMetadata(textOf(cellOf(row, 'metadata')));
    if (metadata === null) return { field: 'metadata', message: METADATA };
    return metadata === undefined ? input : { ...input, metadata };
  };
  return (row) => {
    const result = read(row);
    return 'message' in result ? { row, fault: result } : { row, input: result };
  };
}

/** Codes by the codes and names of carriers: shops export names. */
function carrierCodes(sandbox: boolean): Map<string, string> {
  const all = carriers({ sandbox });
  return new Map([
    ...all.flatMap(({ code, name, nameZh }) => [name, nameZh].map((each) => [each.toLowerCase(), code] as const)),
    ...all.map(({ code }) => [code, code] as const),
  ]);
}

/** Like the contract's check of the same fields, in words for somebody with a spreadsheet. */
function textFault(field: (typeof TEXTS)[number], cell: Cell): string | null {
  if (typeof cell !== 'string') return DIGITS_LOST;
  if (cell === '') return null;
  if ((field === 'order_id' || field === 'phone') && isScientific(cell)) return SHORTENED;
  const schema: { maxLength?: number; pattern: string } = registrationInputs[field];
  const { maxLength } = schema;
  if (maxLength !== undefined && cell.length > maxLength) return `has more than ${maxLength} characters: shorten it`;
  if (new RegExp(schema.pattern).test(cell) && !/\p{Surrogate}/u.test(cell)) return null;
  return FORMS[field] ?? 'has control characters, such as a line break: remove them';
}

const FORMS: Partial<Record<(typeof TEXTS)[number], string>> = {
  phone: 'must be a phone number or its last four digits: correct or empty it',
  destination_country: 'must be a country code of two letters (ISO 3166), such as DE: replace it',
};

const METADATA =
  'must be a JSON object with at most ten texts, with names of up to 40 and texts of up to 256 characters: correct or empty it';

/** Null: it is none that can be stored. */
function readMetadata(text: string): Record<string, string> | undefined | null {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    const fits = ([name, each]: [string, unknown]) => isPlain(name, 40) && name !== '' && isPlain(each, 256);
    return entries.length <= 10 && entries.every(fits) ? (value as Record<string, string>) : null;
  } catch {
    return null;
  }
}

function isPlain(text: unknown, maxLength: number): boolean {
  return typeof text === 'string' && text.length <= maxLength && !/[\p{Cc}\p{Surrogate}]/u.test(text);
}
