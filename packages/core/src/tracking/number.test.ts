import fc from 'fast-check';
import { isSeveralNumbers, normaliseNumber, splitNumbers } from './number.ts';

const longest = 'A1'.repeat(25);

test.each([
  ['as it is', 'SF1234567890', 'SF1234567890'],
  ['lower case', 'sf1234567890', 'SF1234567890'],
  ['blanks at the ends', '  SF1234567890\t', 'SF1234567890'],
  ['blanks between groups', 'RR 123 456 785 CN', 'RR123456785CN'],
  ['a line end', 'SF1234567890\r\n', 'SF1234567890'],
  ['a no-break and a full-width space', 'SF\u00A01234\u3000567890', 'SF1234567890'],
  ['a byte order mark', '\uFEFFSF1234567890', 'SF1234567890'],
  ['hyphens', '1Z-999-AA1-01-2345-6784', '1Z999AA10123456784'],
  ['the name of UPS before its number', 'UPS 1Z 999 AA1 01 2345 6784', '1Z999AA10123456784'],
  [
    'typographic hyphens and dashes',
    '12\u2010345\u2011678\u2012901\u2013234\u2014567\u2015890',
    '12345678901234567890',
  ],
  ['a minus sign, a soft and a full-width hyphen', 'SF\u2212123\u00AD4567\uFF0D890', 'SF1234567890'],
  ['text directions, as copied from a page', '\u202ASF1234567890\u202C\u200E\u2069', 'SF1234567890'],
  ['zero-width characters, as copied from a chat', 'SF1234\u200B567\u2060890\u{E0020}', 'SF1234567890'],
  ['full-width letters and digits', 'ＳＦ１２３４５６７８９０', 'SF1234567890'],
  ['full-width lower case', 'ｓｆ１２３４５６７８９０', 'SF1234567890'],
  ['the shortest', 'A1234', 'A1234'],
  ['a single digit, at the end', 'SANDBOX1', 'SANDBOX1'],
  ['the longest', longest, longest],
  ['the longest, in groups of four', (longest.match(/.{1,4}/g) ?? []).join(' '), longest],
])('%s: the number is valid', (_what, raw, number) => {
  expect(normaliseNumber(raw)).toBe(number);
});

test.each([
  ['empty', ''],
  ['only separators', ' - - - - - '],
  ['a word', 'NUMBER'],
  ['a header of a column', 'Tracking Number'],
  ['a full-width word', 'ＮＵＭＢＥＲ'],
  ['a word with hyphens', 'to-be-announced'],
  ['four characters', 'A123'],
  ['four characters and separators', 'A-1 2-3   '],
  ['51 characters', `${longest}A`],
  ['a megabyte', 'A'.repeat(1_048_576)],
  ['a megabyte of spaces and a number', `${' '.repeat(1_048_576)}SF1234567890`],
  ['Chinese', '快递单号12345'],
  ['Cyrillic that looks Latin', 'СF1234567890'],
  ['digits of another script', '١٢٣٤٥٦٧٨٩٠'],
  ['a letter that becomes two in upper case', 'straße12345'],
  ['a letter that becomes a different one in upper case', 'ıstanbul12345'],
  ['accents', 'ÉF1234567890'],
  ['an accent as a separate character', 'E\u0301F1234567890'],
  ['an emoji', 'SF1234567890📦'],
  ['a NUL', 'SF12345\u000067890'],
  ['half a surrogate pair', 'SF12345\uD83D67890'],
  ['a comma', 'SF1234567890,SF1234567891'],
  ['a slash', '../../etc/passwd'],
  ['an underscore', 'SF_1234567890'],
  ['a dot', 'SF.1234567890'],
  ['a quote', "SF1234567890'--"],
  ['a wildcard', 'SF123456789%'],
  ['markup', '<b>12345</b>'],
])('%s: this is not a tracking number', (_what, raw) => {
  expect(normaliseNumber(raw)).toBeNull();
});

const [A, B] = ['123456789012', '123456789013'];
test.each([
  ['one below the other', `${A}\n${B}`],
  ['one below the other, with a blank line', `${A}\r\n\r\n${B}\r\n`],
  ['a line separator', `${A}\u2028${B}`],
  ['a tab', `${A}\t${B}`],
  ['a number and its carrier in two cells', `${A}\tDHL`],
  ['a space', `${A} ${B}`],
  ['several spaces, full-width', `${A}\u3000\u3000${B}`],
  ['a space between short ones', '12345678 12345679'],
  ['a comma', `${A},${B}`],
  ['a full-width comma', `${A}，${B}`],
  ['a semicolon', `${A}; ${B}`],
  ['a slash', `${A}/${B}`],
  ['a plus', `${A} + ${B}`],
  ['a plus, between numbers in groups', 'RR 123 456 785 CN + RR 123 456 796 CN'],
  ['a spaced dash', `${A} - ${B}`],
  ['a spaced long dash, between numbers in groups', 'RR 123 456 785 CN – RR 123 456 796 CN'],
  ['a hyphen', `${A}-${B}`],
  ['und', `${A} und ${B}`],
  ['and, between short ones', '12345 AND 67890'],
  ['et, between numbers in groups', '1Z 999 AA1 01 2345 6784 et 1Z 999 AA1 01 2345 6785'],
  ['another word', `${A} sowie ${B}`],
  ['three', `${A} ${B} 123456789014`],
  ['a long list', Array.from({ length: 50 }, () => A).join(' ')],
])('several numbers with %s between them are not one', (_what, raw) => {
  expect(isSeveralNumbers(raw)).toBe(true);
  expect(normaliseNumber(raw)).toBeNull();
});

test.each([
  '1Z 999 AA1 01 2345 6784',
  '00 34 0434 1610 9404 2557',
  '0034 0434161094042557',
  'JD01 4600 0061 1234 5678',
  'RR 123456785 CN',
  '160-12345675',
  '1234-5678-9012',
  '1234 - 5678 - 9012',
  ' yt-8812 3456 - 78909 ',
  'PKG20240115-00012345',
  'SF1234567890-001',
])('%j is one number in groups', (raw) => {
  expect(isSeveralNumbers(raw)).toBe(false);
  expect(normaliseNumber(raw)).not.toBeNull();
});

test('for any input, the result is a number in its normal form or none', () => {
  const anyCharacters = fc.array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 60 });
  fc.assert(
    fc.property(anyCharacters, (codePoints) => {
      const raw = String.fromCodePoint(...codePoints);
      const number = normaliseNumber(raw);
      return number === null || /^(?=.*\d)[A-Z0-9]{5,50}$/.test(number);
    }),
  );
});

test('normalizing a normal form does not change it, however it was typed', () => {
  // E, I and Y alone between spaces mean `and` in some languages.
  const typed = fc.tuple(
    fc.stringMatching(/^[A-DF-HJ-XZa-df-hj-xz0-9]{4,25}[0-9][A-DF-HJ-XZa-df-hj-xz0-9]{0,24}$/),
    fc.constantFrom('', ' ', '-', '\u3000', '\u2013'),
  );
  fc.assert(
    fc.property(typed, ([text, separator]) => {
      const number = normaliseNumber([...text].join(separator));
      expect(number).toBe(text.toUpperCase());
      expect(normaliseNumber(number ?? '')).toBe(number);
    }),
  );
});

test.each([
  ['commas', 'SF1,SF2', ['SF1', 'SF2']],
  ['full-width commas', 'SF1，SF2', ['SF1', 'SF2']],
  ['spaces around them', ' SF1 , SF2 ', ['SF1', 'SF2']],
  ['nothing between them', ',SF1,, ,', ['SF1']],
  ['nothing at all', '', []],
])('a list with %s has the numbers between', (_what, text, numbers) => {
  expect(splitNumbers(text)).toEqual(numbers);
});
