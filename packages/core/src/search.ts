import { SEPARATORS } from './tracking/number.ts';

/** A search finds any part of a text that has this many characters ... */
export const MIN_SEARCHED = 3;
/** ... or this many, if one of them is not ASCII: words of Chinese are that short. */
const MIN_SEARCHED_WIDE = 2;
/** Number of characters at the beginning of a text that are looked at: the contract refuses a longer text. */
const MAX_LOOKED_AT = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const WIDE = /[^\u0000-\u007f]/;

/**
 * The texts that a search looks for, any of which may match: as it was typed, with full-width characters as ASCII, and
 * as the part of a tracking number, without separators. Letters keep their case.
 * @returns null if it is too short.
 */
export function searchedTexts(typed: string): string[] | null {
  const text = typed.trim().slice(0, MAX_LOOKED_AT);
  const folded = text.normalize('NFKC').trim();
  const number = folded.replace(SEPARATORS, '');
  const texts = [...new Set([text, folded, number])].filter(isLongEnough);
  return texts.length === 0 ? null : texts;
}

function isLongEnough(text: string): boolean {
  const { length } = [...text];
  return length >= MIN_SEARCHED || (length >= MIN_SEARCHED_WIDE && WIDE.test(text));
}
