import { isLate } from './estimate.ts';

const at = (text: string) => new Date(text).getTime();
const until = (to: string) => ({ from: '2031-03-02', to, source: 'carrier' }) as const;

test('a parcel that is expected on a day is late once that day is over for the reader', () => {
  expect(isLate(until('2031-03-04'), at('2031-03-04T23:59'))).toBe(false);
  expect(isLate(until('2031-03-04'), at('2031-03-05T00:00'))).toBe(true);
});

test('one that is expected by a time is late after it', () => {
  expect(isLate(until('2031-03-04T15:00:00Z'), at('2031-03-04T14:59:59Z'))).toBe(false);
  expect(isLate(until('2031-03-04T15:00:00Z'), at('2031-03-04T15:00:00Z'))).toBe(true);
});
