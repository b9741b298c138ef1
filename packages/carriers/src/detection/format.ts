/**
 * One form of tracking number of one carrier: `[carrier, pattern, confidence, check?, wrong?]`.
 * `pattern` is anchored; `check` verifies its first group, or the whole number where it has none. `confidence` (0-100)
 * is what a match is worth, `wrong` what it is worth when the check fails (default: nothing).
 *
 * How confidences are chosen: 100 an S10 item with the right check digit · 85-95 letters of its own with an exact
 * length, or a check digit besides a prefix · 70-84 a prefix that no other carrier of that length has · 45-69 a check digit
 * alone, or a prefix that is shared · 20-44 a weak prefix · below that a length that many carriers share. From 70 on the form
 * alone decides; so no bare length reaches it, with or without a check digit.
 */
export type Format = readonly [
  carrier: string,
  pattern: RegExp,
  confidence: number,
  check?: (text: string) => boolean,
  wrong?: number,
];

const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The confidence of a match with a wrong check digit: it is no candidate, but it explains a refusal. */
export const TYPO = 30;

/**
 * The evidence for a carrier in a number:
 * - `marks_and_check_digit`: letters or digits that are the carrier's own, and a valid check digit
 * - `check_digit`: a form without such marks, and a valid check digit
 * - `wrong_check_digit`: the form fits, but its check digit is wrong
 * - `marks`: letters or digits that are the carrier's own; its numbers have no check digit that we know
 * - `form`: only length and kind of characters
 * - `sandbox`: a number of the sandbox
 */
export type MatchReason = 'marks_and_check_digit' | 'check_digit' | 'wrong_check_digit' | 'marks' | 'form' | 'sandbox';

const NO_MATCH = { confidence: 0, isTypo: false };

/** The confidence that `number` is of this form, 0 when it is not, and whether its check digit is wrong. */
export function matchOf(format: Format, number: string): { confidence: number; isTypo: boolean } {
  const [, , confidence, , wrong = 0] = format;
  const check = checkOf(format, number);
  if (check === 'no match') return NO_MATCH;
  return check === 'wrong' ? { confidence: wrong, isTypo: true } : { confidence, isTypo: false };
}

/** The evidence for a form that `number` matches. */
export function reasonOf(format: Format, number: string): MatchReason {
  const check = checkOf(format, number);
  if (check === 'wrong') return 'wrong_check_digit';
  const isMarked = hasMarks(format, number);
  if (check === 'right') return isMarked ? 'marks_and_check_digit' : 'check_digit';
  return isMarked ? 'marks' : 'form';
}

function checkOf([, pattern, , check]: Format, number: string): 'no match' | 'right' | 'wrong' | 'none' {
  const match = pattern.exec(number);
  if (!match) return 'no match';
  if (!check) return 'none';
  return check(match[1] ?? number) ? 'right' : 'wrong';
}

/** Whether some position of the form is fixed: most other characters of the same kind would not match there. */
function hasMarks([, pattern]: Format, number: string): boolean {
  return [...number].some((character, place) => {
    const others = [...(/\d/.test(character) ? DIGITS : LETTERS)].filter((other) => other !== character);
    const fitting = others.filter((other) => pattern.test(number.slice(0, place) + other + number.slice(place + 1)));
    return fitting.length < others.length / 2;
  });
}
