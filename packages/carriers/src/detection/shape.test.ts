import fc from 'fast-check';
import { CHINESE } from './chinese.ts';
import { formatsFor } from './format-index.ts';
import { POSTS, S10_ITEMS } from './posts.ts';
import { shapeOf } from './shape.ts';
import { WESTERN } from './western.ts';

const FORMATS = [...[...S10_ITEMS.values()].flat(), ...POSTS, ...CHINESE, ...WESTERN];

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

test('every form is looked at for every number of it', () => {
  for (const format of FORMATS) {
    const [carrier, pattern] = format;
    const anyway = new RegExp(pattern.source.replace(/\(\?![^)]*\)/, ''));
    fc.assert(
      fc.property(fc.stringMatching(anyway), (number) => {
        fc.pre(pattern.test(number));
        expect([carrier, number, formatsFor(number).includes(format)]).toEqual([carrier, number, true]);
      }),
      { numRuns: 20 },
    );
  }
});
