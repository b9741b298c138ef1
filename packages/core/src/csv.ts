/** Text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
/**
 * Where a spreadsheet begins another cell, which may be a formula, in countries that separate cells with semicolons.
 * There, quotes that are not at the beginning of a cell do not hold its lines together.
 */
const HIDDEN = /([;\r\n])(?=['"=+\-@＝＋－＠])/g;
const GUARDED_HIDDEN = /([;\r\n])'(?=['"=+\-@＝＋－＠])/g;
/** Text that a spreadsheet would read as a number, a date or a time, and so perhaps change. */
const NUMERIC = /^\d[\d.,:/\- ]*(?:e\d+)?$/i;
/** Numbers that spreadsheets show and save as they are. */
const PLAIN = /^(?:0|[1-9]\d{0,9})$/;

/**
 * A text as the cell of a file that people open in a spreadsheet: one that it would run or change begins with an
 * apostrophe, also behind a semicolon or a line break. Leading zeros and long numbers survive that way. `unguarded` is
 * its inverse.
 */
export function guarded(text: string): string {
  const inside = text.replace(HIDDEN, "$1'");
  const isAtRisk =
    inside !== text || FORMULA.test(text) || text.startsWith("'") || (NUMERIC.test(text) && !PLAIN.test(text));
  return isAtRisk ? `'${inside}` : text;
}

/** The text of a cell that `guarded` has written, or that people have written in the same way. */
export function unguarded(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1).replace(GUARDED_HIDDEN, '$1') : cell;
}

/** A line of a CSV file (RFC 4180), with its end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}
