import { type Message, message, storedMessage } from './languages/message.ts';
import { MESSAGES } from './languages/messages.ts';
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
): { columns: Columns } | { field: Field; message: Message } {
  const plain = header.map(plainHeader);
  const columns = guessColumns(plain);
  const named = FIELDS.filter((field) => wanted[field] !== undefined);
  for (const field of named) {
    const name = (wanted[field] ?? '').trim();
    const place = name === '-' ? null : findColumn(header, plain, name);
    if (place === undefined)
      return {
        field,
        message: message('file.no_such_column', { name, columns: listOf(header) }),
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

/** The fault of a row: the same message for all rows that are repaired in the same way. */
export type RowFault = { field: Field | null; message: Message };

/** Rows with the same fault. Its message is stored (`storedMessage`). */
export type FaultGroup = { field: Field | null; message: string; rows: number; sample_rows: number[] };

/** The codes of faults: their messages are `row.<code>`, but for the one that names a number. */
export const ROW_CODES: readonly string[] = Object.keys(MESSAGES)
  .filter((code) => code.startsWith('row.') && code !== 'row.too_long')
  .map((code) => code.slice('row.'.length));

/** Rows that a group names. */
const MAX_SAMPLES = 5;
/** Kinds of faults that get a group of their own. */
const MAX_GROUPS = 50;

const OTHERS = { field: null, message: storedMessage(message('row.others')) };

/** Adds the fault of a row to the groups, in place. */
export function addFault(groups: FaultGroup[], { field, message }: RowFault, row: number): void {
  const fault = { field, message: storedMessage(message) };
  const known = groupOf(groups, fault);
  const group = known ?? (groups.length < MAX_GROUPS ? undefined : groupOf(groups, OTHERS));
  if (!group) {
    groups.push({ ...(groups.length < MAX_GROUPS ? fault : OTHERS), rows: 1, sample_rows: [row] });
    return;
  }
  group.rows += 1;
  if (group.sample_rows.length < MAX_SAMPLES) group.sample_rows.push(row);
}

function groupOf(
  groups: readonly FaultGroup[],
  { field, message }: Pick<FaultGroup, 'field' | 'message'>,
): FaultGroup | undefined {
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
export function damageOf(text: string): Message | null {
  if (isWord(text)) return message('row.no_digit');
  if (isScientific(text)) return message('row.shortened');
  return /^\d+\.0+$/.test(text) ? message('row.decimal') : null;
}

/** The fault in the text of an invalid tracking number. */
export function numberFault(text: string): Message {
  if (text === '') return message('row.empty');
  const damage = damageOf(text);
  if (damage !== null) return damage;
  if (isSeveralNumbers(text)) return message('row.several_numbers');
  if (text.length > LONGEST_TYPED) return message('row.number_too_long');
  const { length } = text.normalize('NFKC').replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (length > 50) return message('row.number_too_long');
  if (length < 5) return message('row.number_too_short');
  return message('row.number_characters');
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
