/**
 * Characters of a number as it is typed, at most: longer input cannot become valid by dropping separators that a person
 * would type.
 */
export const LONGEST_TYPED = 200;

const MIN_LENGTH = 5;
/** A normalized tracking number: 5 to 50 of A-Z and 0-9, at least one of which is a digit. */
const isNormalised = (text: string) => /^[A-Z0-9]{5,50}$/i.test(text) && /[0-9]/.test(text);
/** The form of a number, but for the digit that it must have. */
const WORD = /^[A-Z]{5,50}$/i;
/**
 * White space of any kind, the hyphens that people and printers put between groups, and invisible format characters,
 * such as text directions, which are copied along with a number from a page or a chat.
 */
export const SEPARATORS = /[\s\p{Cf}\u2010-\u2015\u2212\uFE63-]+/gu;
const HYPHEN = /[\u2010-\u2015\u2212-]/;

/** The numbers of a list with commas between them; also with the full-width ones of Chinese keyboards. */
export function splitNumbers(text: string): string[] {
  return text
    .split(/[,\uFF0C]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Characters of a text in which several numbers are looked for. */
const MAX_SEARCHED = 400;
/** Characters and words that stand between two numbers, and never within one. */
const LIST_SEPARATOR = /[,;|/\\+&\u3001\u548C]|\s(?:and|und|et|en|og|och|oder|or|ou)(?=\s)/iu;
/** Separators that may also stand within one number that is printed in groups. */
const SPACED_DASH_OR_LETTER = /\s[yei\u2010-\u2015\u2212-](?=\s)/iu;
/** Carriers print shorter groups, such as `1Z 999 AA1`. */
const MIN_BESIDE_SPACE = 8;
/** A date and the number of an order have less. */
const MIN_BESIDE_HYPHEN = 10;

/**
 * Whether a text has several numbers, such as one below the other, `A + B` or `A und B`. Without what is between them,
 * they would become one long number. No number goes on behind a line break or a tab.
 */
export function isSeveralNumbers(raw: string): boolean {
  const text = raw.slice(0, MAX_SEARCHED).normalize('NFKC').trim();
  const hasTwo = (separator: RegExp, length: number) =>
    text.split(separator).filter((part) => /\d/.test(part) && part.replace(SEPARATORS, '').length >= length).length > 1;
  return (
    /[\t\n\v\f\r\u2028\u2029]/.test(text) ||
    hasTwo(LIST_SEPARATOR, MIN_LENGTH) ||
    hasTwo(SPACED_DASH_OR_LETTER, MIN_BESIDE_SPACE) ||
    hasTwo(/\s/, MIN_BESIDE_SPACE) ||
    hasTwo(HYPHEN, MIN_BESIDE_HYPHEN)
  );
}

/**
 * The normal form of a tracking number: full-width characters to ASCII, separators removed, upper case, without UPS
 * before 1Z.
 * @returns null when what remains is not 5 to 50 letters and digits, or has no digit, and for several numbers.
 */
export function normaliseNumber(raw: string): string | null {
  if (raw.length > LONGEST_TYPED) return null;
  if (isNormalised(raw)) return withoutName(raw.toUpperCase());
  if (isSeveralNumbers(raw)) return null;
  const number = withoutSeparators(raw);
  // Before the conversion to upper case, which would turn other characters into letters (ß, ı).
  return isNormalised(number) ? withoutName(number.toUpperCase()) : null;
}

/** Whether a text would be a tracking number if it had a digit, such as the header of a column (`Tracking Number`). */
export function isWord(raw: string): boolean {
  return raw.length <= LONGEST_TYPED && WORD.test(withoutSeparators(raw));
}

function withoutSeparators(raw: string): string {
  return raw.normalize('NFKC').replace(SEPARATORS, '');
}

/** `UPS 1Z…` is copied along with the name of the carrier. */
function withoutName(number: string): string {
  return number.replace(/^UPS(?=1Z[A-Z0-9]{16}$)/, '');
}
