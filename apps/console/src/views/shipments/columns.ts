/** The columns that can be left out, in their order. Status and number are always there. */
export const COLUMNS = ['carrier', 'order', 'name', 'latest', 'expected', 'created', 'when'] as const;
export type Column = (typeof COLUMNS)[number];

const USUAL: readonly Column[] = ['carrier', 'order', 'name', 'latest', 'expected', 'when'];

/** Which columns are shown. Only the usual ones make way for others on a narrow screen: what was chosen stays. */
export type Columns = { shown: readonly Column[]; isChosen: boolean };

/** The columns that an address names; null: the usual ones. */
export function columnsOf(text: string | null): Columns {
  if (text === null) return { shown: USUAL, isChosen: false };
  const named = text.split(',');
  return { shown: COLUMNS.filter((column) => named.includes(column)), isChosen: true };
}

/** How an address names them; null: not at all. */
export function columnsText(shown: readonly Column[]): string | null {
  const text = COLUMNS.filter((column) => shown.includes(column)).join(',');
  return text === USUAL.join(',') ? null : text;
}
