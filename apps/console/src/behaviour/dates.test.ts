import { daysOf, isLate, rangeOf } from './dates.ts';

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

test('a day that no calendar has is left out', () => {
  expect(daysOf('2031-13-45..2031-11-03')).toEqual({ first: '', last: '2031-11-03' });
});

const instant = (text: string) => new Date(text).getTime();
const until = (to: string) => ({ from: '2031-03-02', to, source: 'carrier' }) as const;

test('a parcel that is expected on a day is late once that day is over for the reader', () => {
  expect(isLate(until('2031-03-04'), instant('2031-03-04T23:59'))).toBe(false);
  expect(isLate(until('2031-03-04'), instant('2031-03-05T00:00'))).toBe(true);
});

test('one that is expected by a time is late after it', () => {
  expect(isLate(until('2031-03-04T15:00:00Z'), instant('2031-03-04T14:59:59Z'))).toBe(false);
  expect(isLate(until('2031-03-04T15:00:00Z'), instant('2031-03-04T15:00:00Z'))).toBe(true);
});
