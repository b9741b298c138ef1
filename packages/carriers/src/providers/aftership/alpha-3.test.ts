import { alpha3Of } from './alpha-3.ts';

test.each([
  ['US', 'USA'],
  ['cn', 'CHN'],
  ['DE', 'DEU'],
  ['CH', 'CHE'],
  ['ZZ', undefined],
])('the code of %s is %s', (alpha2, alpha3) => {
  expect(alpha3Of(alpha2)).toBe(alpha3);
});

test('every country has a code of its own', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const known = codes.flatMap((code) => alpha3Of(code) ?? []);
  expect(known).toHaveLength(249);
  expect(new Set(known).size).toBe(249);
  expect(codes.filter((code) => alpha3Of(code) && names.of(code) === undefined)).toEqual([]);
});
