import { rangeOf } from './range.ts';

const NOW = new Date(2031, 10, 8, 14, 30);
const at = (day: number) => new Date(2031, 10, day);

test.each([
  ['1d', { after: at(8) }],
  ['7d', { after: at(2) }],
  ['2031-11-01..2031-11-03', { after: at(1), before: at(4) }],
  ['2031-11-01..', { after: at(1) }],
  ['..2031-11-03', { before: at(4) }],
  ['..', {}],
  ['2031-13-45..', {}],
  ['toString', null],
  ['yesterday', null],
])('%s, in days of the reader', (text, range) => {
  expect(rangeOf(text, NOW)).toEqual(range);
});
