import fc from 'fast-check';
import { gs1, identcode, luhn, mod7, mod10WithLetters, mod11mod10, mod37_36, s10, shapeOf } from './format.ts';

const DIGITS = [...'0123456789'];
const LETTERS_AND_DIGITS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

describe.each([
  // The standards' own examples, if they print one.
  { name: 's10', rule: s10, example: '473124829', serial: /^\d{8}$/, checks: DIGITS },
  { name: 'gs1', rule: gs1, example: '4006381333931', serial: /^\d{15}$/, checks: DIGITS },
  { name: 'luhn', rule: luhn, example: '79927398713', serial: /^\d{10}$/, checks: DIGITS },
  {
    name: 'mod37_36',
    rule: mod37_36,
    example: 'A12425GABC1234002M',
    serial: /^[0-9A-Z]{14}$/,
    checks: LETTERS_AND_DIGITS,
  },
  {
    name: 'mod10WithLetters',
    rule: mod10WithLetters,
    example: '12345E6605272234',
    serial: /^[0-9A-Z]{15}$/,
    checks: DIGITS,
  },
  { name: 'mod7', rule: mod7, example: '4617302852', serial: /^\d{9}$/, checks: DIGITS },
  { name: 'identcode', rule: identcode, example: '563102430313', serial: /^\d{11}$/, checks: DIGITS },
  { name: 'mod11mod10', rule: mod11mod10, example: '783519204649', serial: /^\d{11}$/, checks: DIGITS },
])('$name', ({ rule, example, serial, checks }) => {
  test('holds for its example', () => {
    expect(rule(example)).toBe(true);
  });

  test('holds for exactly one check character of any serial', () => {
    fc.assert(
      fc.property(fc.stringMatching(serial), (text) => {
        expect(checks.filter((check) => rule(text + check))).toHaveLength(1);
      }),
    );
  });

  test('does not hold for text of another alphabet', () => {
    expect(rule(example.replace(/^./, '-'))).toBe(false);
    expect(rule(example.replace(/.$/, '-'))).toBe(false);
  });
});

test.each([
  [/^SF\d{13}$/, 15, 15, 'S'],
  [/^SF[0-9A-Z]?\d{12}$/, 14, 15, 'S'],
  [/^(?:[2-4]68|900)\d{9,10}$/, 12, 13, '2349'],
  [/^(?:00)?(37\d{2})$/, 4, 6, '03'],
  [/^(?![A-Z]{2}$)[AC-E]\d?$/, 1, 2, 'ACDE'],
  [/^1\d$|^XYZ$/, 2, 3, '1X'],
])('%s matches %d to %d characters that begin with one of %s', (pattern, min, max, first) => {
  const shape = shapeOf(pattern);
  expect([shape.min, shape.max, [...shape.first].toSorted().join('')]).toEqual([min, max, first]);
});

test.each([/^A+$/, /^A{2,}$/, /^\w$/, /^.$/])('%s is refused rather than misread', (pattern) => {
  expect(() => shapeOf(pattern)).toThrow();
});
