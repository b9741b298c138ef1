import { TRACKING_FIELD_NAMES, TRACKING_FIELDS, type TrackingField } from './tracking/fields.ts';
import { isSeveralNumbers, isWord, LONGEST_TYPED } from './tracking/number.ts';
import { firstCharacters } from './tracking/outside-text.ts';

/** The fields that a column of an import can hold. */
export const FIELDS = ['tracking_number', 'courier_code', ...TRACKING_FIELD_NAMES] as const;
export type Field = (typeof FIELDS)[number];
/** The texts that are taken as they are; the others have rules of their own. */
export const TEXT_FIELDS = TRACKING_FIELD_NAMES.filter(
  (name): name is Exclude<TrackingField, 'metadata'> => name !== 'metadata',
);

/** The columns of fields by their places, from 0. */
export type Columns = Partial<Record<Field, number>>;

/** Usual headers of what is no field of the merchant, as in `TRACKING_FIELDS`. */
const NUMBER_HEADERS: readonly string[] = [
  'trackingnumber',
  'trackingno',
  'trackingnum',
  'trackingid',
  'trackingcode',
  'waybillnumber',
  'waybillno',
  'waybill',
  'awbnumber',
  'awbno',
  'awb',
  'consignmentnumber',
  'parcelnumber',
  'shipmentnumber',
  'tracking',
  '运单号',
  '运单号码',
  '运单编号',
  '快递单号',
  '快递单号码',
  '物流单号',
  '物流运单号',
  '快递号',
  '物流号',
  '跟踪号',
  '追踪号',
  '跟踪单号',
  '追踪单号',
  '面单号',
  '包裹号',
  '单号',
  'sendungsnummer',
  'paketnummer',
  '送り状番号',
  '伝票番号',
  '追跡番号',
  'お問い合わせ番号',
  '운송장번호',
  '송장번호',
];
const COURIER_HEADERS: readonly string[] = [
  'couriercode',
  'carriercode',
  'courier',
  'carrier',
  'couriername',
  'carriername',
  'shippingcarrier',
  'shippingcompany',
  'trackingcompany',
  'trackingprovider',
  'shippingprovider',
  '快递公司编码',
  '快递公司代码',
  '快递编码',
  '快递公司',
  '物流公司',
  '承运商',
  '承运商编码',
  '物流商',
  '快递',
];

function headersOf(field: Field): readonly string[] {
  if (field === 'tracking_number') return NUMBER_HEADERS;
  return field === 'courier_code' ? COURIER_HEADERS : TRACKING_FIELDS[field].headers;
}

/** The fields that plain headers suggest: each field has one column, and each column one field. */
function guessColumns(plain: readonly string[]): Columns {
  const columns: Columns = {};
  for (const field of FIELDS) {
    const place = headersOf(field)
      .map((name) => plain.indexOf(name))
      .find((found) => found >= 0);
    if (place !== undefined) columns[field] = place;
  }
  return columns;
}

/** Characters of a header that are looked at: the rest is an explanation. */
const MAX_PLAIN = 200;

/** `Tracking-No. (required)` is `trackingno`. A parenthesis that is not closed reaches to the end. */
function plainHeader(text: string): string {
  return text
    .slice(0, MAX_PLAIN)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\([^)]*\)?|[\s\p{P}\p{S}]/gu, '');
}

/** How a user names a column: by its header, or by its place from 1. `-` is for none. */
export type WantedColumns = Partial<Record<Field, string>>;

/**
 * The columns of fields: as the user names them, or as their headers suggest.
 * @returns the first named column that does not exist, with what is wrong with it.
 */
export function chooseColumns(
  header: readonly string[],
  wanted: WantedColumns,
): { columns: Columns } | { field: Field; message: string } {
  const plain = header.map(plainHeader);
  const columns = guessColumns(plain);
  const named = FIELDS.filter((field) => wanted[field] !== undefined);
  for (const field of named) {
    const name = (wanted[field] ?? '').trim();
    const place = name === '-' ? null : findColumn(header, plain, name);
    if (place === undefined)
      return {
        field,
        message: `names no column of the file: "${name}". It has ${listOf(header)}; a number from 1 works, too`,
      };
    delete columns[field];
    if (place === null) continue;
    for (const other of FIELDS) if (columns[other] === place) delete columns[other];
    columns[field] = place;
  }
  return { columns };
}

function findColumn(header: readonly string[], plain: readonly string[], name: string): number | undefined {
  const plainName = plainHeader(name);
  const exact = header.indexOf(name);
  const similar = plainName === '' ? -1 : plain.indexOf(plainName);
  const place = exact >= 0 ? exact : similar;
  if (place >= 0) return place;
  const number = /^\d{1,3}$/.test(name) ? Number(name) : 0;
  return number >= 1 && number <= header.length ? number - 1 : undefined;
}

const MAX_LISTED = 20;

/** The headers in one text. */
export function listOf(header: readonly string[]): string {
  const names = header.slice(0, MAX_LISTED).map((name) => `"${firstCharacters(name, 40)}"`);
  return names.join(', ') + (header.length > MAX_LISTED ? ', …' : '');
}

/** The fault of a row, in words that are the same for all rows that are repaired in the same way. */
export type RowFault = { field: Field | null; message: string };

/** Rows with the same fault. */
export type FaultGroup = RowFault & { rows: number; sample_rows: number[] };

/** Rows that a group names. */
const MAX_SAMPLES = 5;
/** Kinds of faults that get a group of their own. */
const MAX_GROUPS = 50;

/** The faults that a row can have and how each is repaired, by code. */
export const ROW_FAULTS = {
  empty: 'is missing',
  shortened:
    'was shortened by a spreadsheet (such as 1.23E+15), and its digits are lost: format the column as text before you paste the numbers, and export it again',
  decimal:
    'was written as a decimal number (such as 123456789012.0), which loses leading zeros and the last digits of long numbers: read the column as text (in pandas, dtype=str), and export it again',
  digits_lost:
    'is a number of more than 15 digits, and its last digits are lost: format the column as text before you paste the numbers (in JSON, put them in quotes), and export it again; if its last zeros are right, put an apostrophe before it',
  number_too_long: 'has 51 or more characters: shorten it',
  no_digit: 'has no digit, and every tracking number has at least one: replace the word by the number',
  number_too_short: 'has fewer than 5 letters and digits: complete it',
  several_numbers:
    'has several numbers: put each in a row of its own; if it is only one, remove its spaces and line breaks',
  number_characters: 'has other characters than letters, digits, spaces and hyphens: remove them',
  not_json: 'is neither a JSON object nor a JSON text: correct the line (a number alone needs quotes)',
  not_utf8: 'is not UTF-8: save the file as UTF-8',
  undecodable:
    'has bytes that are not valid in the encoding of the file, each shown as � in the rejected rows: correct them there, or leave them, and upload those',
  line_too_long: 'is longer than 64 KiB: shorten the line',
  control_characters: 'has control characters, such as a line break: remove them',
  phone: 'must be a phone number or its last four digits: correct or empty it',
  country: 'must be a country code of two letters (ISO 3166), such as DE: replace it',
  metadata:
    'must be a JSON object with at most ten texts, with names of up to 40 and texts of up to 256 characters: correct or empty it',
  carrier_undetected: 'is needed, because no carrier could be detected: correct the number, or name the carrier',
  unknown_courier: 'is not a known carrier: use a code or name from GET /api/v1/couriers/all, or leave it empty',
  quota_exhausted: 'exceeds the monthly quota: upload the rejected rows again when it has reset, or with a larger plan',
  others: 'has another fault, which is in the last column of the rejected rows',
} as const;
type FaultCode = keyof typeof ROW_FAULTS;

const CODES = new Map<string, FaultCode>(
  Object.entries(ROW_FAULTS).map(([code, message]) => [message, code as FaultCode]),
);

/** The code of a fault; undefined for one that has none, as its message has a number in it. */
export function codeOfFault({ message }: RowFault): FaultCode | undefined {
  return CODES.get(message);
}

const OTHERS: RowFault = { field: null, message: ROW_FAULTS.others };

/** Adds the fault of a row to the groups, in place. */
export function addFault(groups: FaultGroup[], fault: RowFault, row: number): void {
  const known = groupOf(groups, fault);
  const group = known ?? (groups.length < MAX_GROUPS ? undefined : groupOf(groups, OTHERS));
  if (!group) {
    groups.push({ ...(groups.length < MAX_GROUPS ? fault : OTHERS), rows: 1, sample_rows: [row] });
    return;
  }
  group.rows += 1;
  if (group.sample_rows.length < MAX_SAMPLES) group.sample_rows.push(row);
}

function groupOf(groups: readonly FaultGroup[], { field, message }: RowFault): FaultGroup | undefined {
  return groups.find((group) => group.field === field && group.message === message);
}

/** The form that spreadsheets give to a long number: `1.23E+15`. */
const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d+)?E\+\d{1,3}$/i;

/** A long number that a spreadsheet has shortened. */
export function isScientific(text: string): boolean {
  return SCIENTIFIC.test(text);
}

/**
 * The fault of an invalid tracking number that is a word, or that a table program has damaged; null if it looks
 * like anything else.
 */
export function damageOf(text: string): string | null {
  if (isWord(text)) return ROW_FAULTS.no_digit;
  if (isScientific(text)) return ROW_FAULTS.shortened;
  return /^\d+\.0+$/.test(text) ? ROW_FAULTS.decimal : null;
}

/** The fault in the text of an invalid tracking number. */
export function numberFault(text: string): string {
  if (text === '') return ROW_FAULTS.empty;
  const damage = damageOf(text);
  if (damage !== null) return damage;
  if (isSeveralNumbers(text)) return ROW_FAULTS.several_numbers;
  if (text.length > LONGEST_TYPED) return ROW_FAULTS.number_too_long;
  const { length } = text.normalize('NFKC').replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (length > 50) return ROW_FAULTS.number_too_long;
  if (length < 5) return ROW_FAULTS.number_too_short;
  return ROW_FAULTS.number_characters;
}

/** The largest file of an import, in bytes. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Rows of a file, besides its header. */
export const MAX_ROWS = 200_000;
/** Imports of an account that have not ended. */
export const MAX_UNFINISHED = 5;
/** Imports of an account that are kept; beyond this, the oldest that has ended is forgotten. */
export const MAX_IMPORTS = 20;
/** Days for which an import and its rejected rows are kept. Its file is deleted when it ends. */
export const IMPORT_DAYS = 30;
