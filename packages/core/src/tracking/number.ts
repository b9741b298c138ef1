/**
 * Characters of a number as it is typed, at most: longer input cannot become valid by dropping separators that a person
 * would type.
 */
export const LONGEST_TYPED = 200;

/** A normalized tracking number: 5 to 50 of A-Z and 0-9, at least one of which is a digit. */
const NORMALISED = /^(?=[A-Z]*[0-9])[A-Z0-9]{5,50}$/i;
/** What would be one if it had a digit. */
const WORD = /^[A-Z]{5,50}$/i;
/**
 * White space of any kind, the hyphens that people and printers put between groups, and invisible format characters,
 * such as text directions, which are copied along with a number from a page or a chat.
 */
export const SEPARATORS = /[\s\p{Cf}\u2010-\u2015\u2212\uFE63-]+/gu;

/** The numbers of a list with commas between them; also with the full-width ones of Chinese keyboards. */
export function splitNumbers(text: string): string[] {
  return text
    .split(/[,\uFF0C]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * The normal form of a tracking number: full-width characters to ASCII, separators removed, upper case, without UPS
 * before 1Z.
 * @returns null when what remains is not 5 to 50 letters and digits, or has no digit.
 */
export function normaliseNumber(raw: string): string | null {
  if (raw.length > LONGEST_TYPED) return null;
  if (NORMALISED.test(raw)) return withoutName(raw.toUpperCase());
  const number = withoutSeparators(raw);
  // Before the conversion to upper case, which would turn other characters into letters (ß, ı).
  return NORMALISED.test(number) ? withoutName(number.toUpperCase()) : null;
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
