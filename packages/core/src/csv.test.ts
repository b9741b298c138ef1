import fc from 'fast-check';
import { csvLine, guarded, unguarded } from './csv.ts';

test.each([
  ['a formula', '=HYPERLINK("https://evil.example","x")'],
  ['a sum', '+1+1'],
  ['a negative sum', '-2+3'],
  ['a function of old spreadsheets', '@SUM(A1:A9)'],
  ['a formula behind a tab', '\t=1+1'],
  ['a formula in full-width characters', '＝1+1'],
  ['a leading zero', '00340434161094042557'],
  ['a number that would be rounded', '9400111899223197428490'],
  ['a number in scientific notation', '12345E67'],
  ['a number that looks like a date', '2026-03'],
  ['a phone number', '0571 8888 8888'],
  ['an apostrophe, so that it can be read again', "'s-Hertogenbosch"],
])('a spreadsheet neither runs nor changes %s', (_what, text) => {
  expect(guarded(text)).toBe(`'${text}`);
  expect(unguarded(guarded(text))).toBe(text);
});

test.each([
  ['a formula', 'x;=1+1;y', "'x;'=1+1;y"],
  ['one in quotes', 'x;"=1+1&"', `'x;'"=1+1&"`],
  ['one behind an apostrophe', "x;'=1+1", "'x;''=1+1"],
  ['one in a line of its own', 'x;y\n=1+1', "'x;y\n'=1+1"],
])('nor does one that separates cells with semicolons, with %s behind one', (_what, text, cell) => {
  expect(guarded(text)).toBe(cell);
  expect(unguarded(cell)).toBe(text);
});

test.each([
  '',
  'SF1234567890',
  '42',
  '0',
  'A-1001',
  'Blue jacket, size M',
  'Jacket; blue; 2 pieces',
  '蓝色外套',
  '2026-03-01T16:00:00Z',
])('%j stays as it is', (text) => {
  expect(guarded(text)).toBe(text);
});

test('any text is read again as it was', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...`;'"=a\n\r`) }));
  fc.assert(fc.property(texts, (text) => unguarded(guarded(text)) === text));
});

test('cells with commas, quotes and line breaks are quoted, and lines end as RFC 4180 says', () => {
  expect(csvLine(['plain', 'a, b', 'say "x"', 'two\nlines', ''])).toBe('plain,"a, b","say ""x""","two\nlines",\r\n');
});
