/**
 * One form of tracking number of one carrier: `[carrier, pattern, confidence, check?, wrong?]`.
 * `pattern` is anchored; `check` verifies its first group, or the whole number where it has none. `confidence` (0-100)
 * is what a match is worth, `wrong` what is left of it when the check fails (nothing, unless given).
 *
 * How confidences are chosen: 100 an S10 item with the right check digit · 85-95 a prefix of its own with an exact
 * length, or a check digit besides a prefix · 70-80 a narrow numeric prefix with an exact length · 45-69 a check digit
 * alone, or a wider prefix · 20-44 a weak prefix · up to 16 a length that many carriers share.
 */
export type Format = readonly [
  carrier: string,
  pattern: RegExp,
  confidence: number,
  check?: (text: string) => boolean,
  wrong?: number,
];

/** What remains of a match whose check digit is wrong: enough to suggest the carrier, never enough to be sure. */
export const TYPO = 30;

/** The confidence that `number` is of this form; 0 when it is not. */
export function confidenceOf([, pattern, confidence, check, wrong = 0]: Format, number: string): number {
  if (!check) return pattern.test(number) ? confidence : 0;
  const match = pattern.exec(number);
  if (!match) return 0;
  return check(match[1] ?? number) ? confidence : wrong;
}
