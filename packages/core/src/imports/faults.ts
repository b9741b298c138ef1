import type { Field } from './columns.ts';

/** What is wrong with a row, in words that are the same for all rows that are repaired in the same way. */
export type RowFault = { field: Field | null; message: string };

/** Rows with the same fault. */
export type FaultGroup = RowFault & { rows: number; sample_rows: number[] };

/** Rows that a group names. */
const MAX_SAMPLES = 5;
/** Kinds of faults that get a group of their own. */
const MAX_GROUPS = 50;
const OTHERS: RowFault = {
  field: null,
  message: 'has another fault, which is in the last column of the rejected rows',
};

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

/** What spreadsheets make of a long number: `1.23E+15`. */
const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d+)?E\+\d{1,3}$/i;

/** A long number that a spreadsheet has shortened. */
export function isScientific(text: string): boolean {
  return SCIENTIFIC.test(text);
}

export const SHORTENED =
  'was shortened by a spreadsheet (such as 1.23E+15), and its digits are lost: format the column as text before you paste the numbers, and export it again';
export const DIGITS_LOST =
  'is a number of more than 15 digits, of which the spreadsheet has kept only 15: format the column as text before you paste the numbers, and export it again';

/** What is wrong with the text of a tracking number that is invalid. */
export function numberFault(text: string): string {
  if (text === '') return 'is empty: fill it in';
  if (isScientific(text)) return SHORTENED;
  const { length } = text.normalize('NFKC').replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (length > 50) return 'has 51 or more characters: shorten it';
  if (length < 5) return 'has fewer than 5 letters and digits: complete it';
  return 'has other characters than letters, digits, spaces and hyphens: remove them, or put each number in a row of its own';
}
