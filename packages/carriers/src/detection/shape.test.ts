import { shapeOf } from './shape.ts';

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
