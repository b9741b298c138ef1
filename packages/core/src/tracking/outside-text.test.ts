import fc from 'fast-check';
import { cleanText, LONGEST_TEXT } from './outside-text.ts';

// biome-ignore format: one text per line is readable as a table
test.each([
  ['an ordinary text', '快件已到达 Fennbrook, 柜 №3 — “ok” 🚚', '快件已到达 Fennbrook, 柜 №3 — “ok” 🚚'],
  ['line breaks and tabs', 'a\nb\r\nc\td\u2028e\u0085f', 'a b c d e f'],
  ['NUL and other controls', 'a\u0000b\u001bc\u007fd\u009fe', 'abcde'],
  ['halves of surrogate pairs', 'a\ud83dbc\ude00d', 'abcd'],
  ['surrogate halves separated only by a NUL', '\ud83d\u0000\ude00', ''],
  ['direction control characters', '\u202eabc\u202c\u2066d\u2069\u200f\u061c', 'abcd'],
  ['invisible characters', '\ufeffde\u200bli\u00advered\u2060\u{e0041}', 'delivered'],
])('%s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test.each([
  ['characters', '柜'.repeat(LONGEST_TEXT + 1), '柜'.repeat(LONGEST_TEXT)],
  ['pairs', '🚚'.repeat(LONGEST_TEXT + 1), '🚚'.repeat(LONGEST_TEXT)],
  ['a pair at the cut', `${'a'.repeat(LONGEST_TEXT - 1)}🚚b`, `${'a'.repeat(LONGEST_TEXT - 1)}🚚`],
  ['removed characters do not count', '\u0000'.repeat(9_000) + 'a'.repeat(LONGEST_TEXT), 'a'.repeat(LONGEST_TEXT)],
])('a text is cut to 500 code points, never within one: %s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test('for any text, the result is short, well-formed, without invisible characters, and stable', () => {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const texts = fc.array(fc.oneof(unit, fc.constantFrom('a', '柜', '🚚', '\ud83d', '\ude00', '\u0000', '\u202e')), {
    maxLength: 1_200,
  });
  fc.assert(
    fc.property(texts, (units) => {
      const clean = cleanText(units.join(''));
      expect(Array.from(clean).length).toBeLessThanOrEqual(LONGEST_TEXT);
      expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(cleanText(clean)).toBe(clean);
    }),
  );
});
