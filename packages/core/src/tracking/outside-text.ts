/** The most code points kept of an external text. */
export const LONGEST_TEXT = 500;

/** Line breaks and tabs: replaced by a space. */
const BREAKS = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g;
/**
 * Invisible characters: NUL and other controls, unpaired surrogates (Postgres refuses both in jsonb), and
 * format characters, including those that change the text direction.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Cf}]/gu;
/** A text that needs no cleaning, like nearly all. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u05ff\u3000-\ud7ff\uff01-\uff60]*$/;

/**
 * A text that a carrier wrote, made safe to match, store and show: at most `LONGEST_TEXT` code points on one line,
 * without control, format and broken characters. Cleaning it again changes nothing.
 */
export function cleanText(text: string): string {
  if (text.length <= LONGEST_TEXT && PLAIN.test(text)) return text;
  return firstCharacters(text.replace(BREAKS, ' ').replace(UNSEEN, ''), LONGEST_TEXT);
}

/** The first `max` code points of a text: a character is never cut in half. */
export function firstCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  // This many units always hold enough code points, even if all are pairs.
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('');
}
