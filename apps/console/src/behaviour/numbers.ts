/** The shortest and longest numbers that the service takes, once spaces and hyphens are gone. */
const NUMBER = /^[A-Z0-9]{5,50}$/i;
const DIGIT = /\d/;
/**
 * In a column or a list, numbers are separated by line breaks, commas, semicolons or tabs, also the Chinese ones;
 * spaces belong to them.
 */
const SEPARATORS = /[\n\r,;\t，；、]+/;
/** White space, the hyphens that people and printers put between groups, and invisible characters. */
const SPACING = /[\s\p{Cf}\u2010-\u2015\u2212\uFE63-]/gu;

/** So many characters are a number of their own: a carrier prints shorter groups, such as `1Z 999 AA1`. */
const MIN_ALONE = 8;

/** The entries that a text lists, each once, in its order: tracking numbers in normal form, anything else as it is. */
export function entriesIn(text: string): string[] {
  const entries = text
    .split(SEPARATORS)
    .flatMap(apart)
    .map((entry) => normalNumber(entry) ?? entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ''))];
}

/** Numbers with nothing but spaces between them. */
function apart(entry: string): string[] {
  const groups = entry.trim().split(/\s+/);
  return groups.every((group) => group.length >= MIN_ALONE && DIGIT.test(group)) ? groups : [entry];
}

/** The possible tracking numbers among them: without a digit, it is a word, of a title or a header for example. */
export function numbersIn(text: string): string[] {
  return entriesIn(text).filter((entry) => NUMBER.test(entry) && DIGIT.test(entry));
}

/** A number in its normal form; null: it is none. */
function normalNumber(text: string): string | null {
  const number = text.normalize('NFKC').replaceAll(SPACING, '');
  // Before the conversion to upper case, which would turn other characters into letters.
  return NUMBER.test(number) ? number.toUpperCase() : null;
}

/** The service searches for three characters or more, or for two if one of them is not ASCII. */
const ASCII = /^[ -~]*$/;
const MIN_SEARCHED = 3;
const MIN_SEARCHED_WIDE = 2;
const MAX_SEARCHED = 100;

/** Whether a text is long enough to search for. */
export function isSearchable(text: string): boolean {
  const { length } = [...text.trim()];
  return length >= (ASCII.test(text) ? MIN_SEARCHED : MIN_SEARCHED_WIDE);
}

/** The part of a text that is searched for: its beginning, which finds it as well. */
export function searchedPart(text: string): string {
  return [...text.trim()].slice(0, MAX_SEARCHED).join('');
}
