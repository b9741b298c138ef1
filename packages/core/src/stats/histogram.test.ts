import fc from 'fast-check';
import { lagUpTo, percentile } from './histogram.ts';
import { laneOf, transitBucket } from './transit.ts';

test('a percentile is the bound of the bucket that the share of values reaches', () => {
  const histogram = [
    { upTo: 30, count: 1 },
    { upTo: 10, count: 8 },
    { upTo: 20, count: 1 },
  ];
  expect([0.5, 0.8, 0.81, 0.9, 0.95, 1].map((share) => percentile(histogram, share))).toEqual([10, 10, 20, 20, 30, 30]);
  expect(percentile([], 0.5)).toBeNull();
});

test('the bounds of lags are at most 19 % apart from the value', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 100_000_000 }), (ms) => {
      const upTo = lagUpTo(Math.ceil(4 * Math.log2(ms)));
      expect(upTo).toBeGreaterThanOrEqual(ms - 1);
      expect(upTo).toBeLessThanOrEqual(ms * 1.1893 + 1);
    }),
  );
});

test.each([
  [3, 6],
  [6, 6],
  [63, 66],
  [72, 72],
  [75, 84],
  [240, 240],
  [243, 264],
  [1440, 1440],
])('a transit time of %i hours is in the bucket up to %i', (hours, upTo) => {
  expect(transitBucket(hours)).toBe(upTo);
});

test('within a country a lane is between regions, otherwise between countries', () => {
  expect(laneOf('CN-GD', 'CN-BJ')).toEqual({ origin: 'CN-GD', destination: 'CN-BJ' });
  expect(laneOf('CN-GD', 'US-CA')).toEqual({ origin: 'CN', destination: 'US' });
  expect(laneOf('CN-GD', null)).toEqual({ origin: '*', destination: '*' });
});
