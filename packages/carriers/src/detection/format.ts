/**
 * One form of tracking number of one carrier: `[carrier, pattern, confidence, check?, wrong?]`.
 * `pattern` is anchored; `check` verifies its first group, or the whole number where it has none. `confidence` (0-100)
 * is what a match is worth, `wrong` what it is worth when the check fails (default: nothing).
 *
 * How confidences are chosen: 100 an S10 item with the right check digit · 85-95 letters of its own with an exact
 * length, or a check digit besides a prefix · 70-84 a prefix that no other carrier of that length has · 45-69 a check
 * digit alone, or a prefix that is shared · 20-44 a weak prefix · below that a length that many carriers share. From 70
 * on the form alone decides; so no bare length reaches it, with or without a check digit.
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

/**
 * Check digits of tracking numbers. Every function takes the text with its check character last and says whether it
 * holds; text of another alphabet than the rule's never holds.
 */

const ALL_DIGITS = /^\d+$/;
const S10_WEIGHTS = [8, 6, 4, 2, 3, 5, 9, 7];
const MOD36_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** UPU standard S10: the nine digits of an item identifier such as `RX123456785CN`, the ninth being the check. */
export function s10(digits: string): boolean {
  if (digits.length !== 9 || !ALL_DIGITS.test(digits)) return false;
  const rest = 11 - (weightedSum(digits.slice(0, 8), S10_WEIGHTS) % 11);
  const expected = rest === 10 ? 0 : rest === 11 ? 5 : rest;
  return expected === Number(digits.at(-1));
}

/** GS1's modulo 10: weights 3, 1, 3, … from the digit before the check digit leftwards. */
export function gs1(digits: string): boolean {
  if (!ALL_DIGITS.test(digits)) return false;
  let sum = 0;
  for (let i = digits.length - 2, weight = 3; i >= 0; i--, weight = 4 - weight) sum += Number(digits[i]) * weight;
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1));
}

/**
 * UPS's modulo 10, which OnTrac shares: weights 1, 2, 1, … from the left, products not split, letters counting as
 * A = 2, B = 3, … modulo 10.
 */
export function mod10WithLetters(text: string): boolean {
  if (!/^[A-Z0-9]*\d$/.test(text)) return false;
  let sum = 0;
  for (let i = 0; i < text.length - 1; i++) sum += valueWithLetters(text.charCodeAt(i)) * (i % 2 === 0 ? 1 : 2);
  return (10 - (sum % 10)) % 10 === Number(text.at(-1));
}

/** Deutsche Post's Identcode and Leitcode: weights 4, 9, 4, … from the left, modulo 10. */
export function identcode(digits: string): boolean {
  if (!ALL_DIGITS.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length - 1; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 4 : 9);
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1));
}

/** The serial modulo 7 is the check digit: air waybills, and twelve-digit numbers of Japanese carriers. */
export function mod7(digits: string): boolean {
  return ALL_DIGITS.test(digits) && Number(digits.slice(0, -1)) % 7 === Number(digits.at(-1));
}

/** Luhn's formula: every second digit from the right is doubled and its digits added. */
export function luhn(digits: string): boolean {
  if (!ALL_DIGITS.test(digits)) return false;
  let sum = 0;
  for (let i = digits.length - 1, doubled = false; i >= 0; i--, doubled = !doubled) {
    const value = Number(digits[i]) * (doubled ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** FedEx Express: weights 1, 3, 7, 1, … from the digit before the check digit leftwards, modulo 11, modulo 10. */
export function mod11mod10(digits: string): boolean {
  if (!ALL_DIGITS.test(digits)) return false;
  const weights = [1, 3, 7];
  let sum = 0;
  for (let i = digits.length - 2, step = 0; i >= 0; i--, step++) sum += Number(digits[i]) * (weights[step % 3] ?? 0);
  return (sum % 11) % 10 === Number(digits.at(-1));
}

/** ISO 7064 MOD 37,36, the check character of DPD's parcel numbers. */
export function mod37_36(text: string): boolean {
  let product = 36;
  for (const character of text.slice(0, -1)) {
    const value = MOD36_ALPHABET.indexOf(character);
    if (value < 0) return false;
    product = (((product + value) % 36 || 36) * 2) % 37;
  }
  return MOD36_ALPHABET[(37 - product) % 36] === text.at(-1);
}

function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0);
}

function valueWithLetters(charCode: number): number {
  return charCode <= 57 ? charCode - 48 : (charCode - 3) % 10;
}

/** How long the texts are that a pattern matches, and the characters that they may begin with. */
type Shape = { min: number; max: number; first: ReadonlySet<string> };

const ANY = [...DIGITS, ...LETTERS];
const NOTHING: Shape = { min: 0, max: 0, first: new Set() };

/**
 * The shape of an anchored pattern over `A-Z0-9`: groups, alternatives, classes, `\d`, lookaheads, and repeats with
 * bounds.
 * @throws Error for a pattern that uses more than that.
 */
export function shapeOf({ source }: RegExp): Shape {
  const rest = { text: source };
  const shape = alternatives(rest);
  if (rest.text !== '') throw new Error(`the shape of /${source}/ cannot be described: ${rest.text}`);
  return shape;
}

/** The unread rest of a pattern's source. */
type Rest = { text: string };

function take(rest: Rest, pattern: RegExp): RegExpExecArray | null {
  const match = pattern.exec(rest.text);
  if (match) rest.text = rest.text.slice(match[0].length);
  return match;
}

function alternatives(rest: Rest): Shape {
  const shapes = [sequence(rest)];
  while (take(rest, /^\|/)) shapes.push(sequence(rest));
  return {
    min: Math.min(...shapes.map(({ min }) => min)),
    max: Math.max(...shapes.map(({ max }) => max)),
    first: new Set(shapes.flatMap(({ first }) => [...first])),
  };
}

function sequence(rest: Rest): Shape {
  let whole = NOTHING;
  for (let next = atom(rest); next !== null; next = atom(rest)) {
    const { min, max, first } = repeated(next, rest);
    // After an optional part, the beginning may be that of the next part.
    const begins = whole.min === 0 ? new Set([...whole.first, ...first]) : whole.first;
    whole = { min: whole.min + min, max: whole.max + max, first: begins };
  }
  return whole;
}

function atom(rest: Rest): Shape | null {
  if (take(rest, /^[$^]/)) return NOTHING;
  const group = take(rest, /^\((?:\?[:!=])?/)?.[0];
  if (group !== undefined) {
    const inner = alternatives(rest);
    if (!take(rest, /^\)/)) throw new Error(`a group does not end before: ${rest.text}`);
    return group === '(' || group === '(?:' ? inner : NOTHING;
  }
  const plain = take(rest, /^(?:\\d|\[[A-Z0-9-]{1,99}\]|[A-Z0-9])/)?.[0];
  if (plain === undefined) return null;
  const first = plain === '\\d' ? [...DIGITS] : plain.startsWith('[') ? membersOf(plain.slice(1, -1)) : [plain];
  return { min: 1, max: 1, first: new Set(first) };
}

/** The members of a class such as `A-DF-Z`. */
function membersOf(text: string): string[] {
  return ANY.filter(
    (each) => new Set(text).has(each) || rangesIn(text).some(([from, to]) => from <= each && each <= to),
  );
}

function rangesIn(text: string): [from: string, to: string][] {
  return [...text.matchAll(/(.)-(.)/g)].map(([, from = '', to = '']) => [from, to]);
}

function repeated(shape: Shape, rest: Rest): Shape {
  const [match, min, comma, max] = take(rest, /^(?:\?|\{(\d{1,3})(,)?(\d{1,3})?\})/) ?? [];
  if (match === undefined) return shape;
  if (match === '?') return { ...shape, min: 0 };
  if (comma !== undefined && max === undefined) throw new Error(`a repeat has no end: ${match}`);
  return { ...shape, min: shape.min * Number(min), max: shape.max * Number(max ?? min) };
}
