import { percentile } from './histogram.ts';
import { transitBucket } from './transit.ts';

test('a percentile is the bound of the bucket that the share of values reaches', () => {
  const histogram = [
    { upTo: 30, count: 1 },
    { upTo: 10, count: 8 },
    { upTo: 20, count: 1 },
  ];
  expect([0.5, 0.8, 0.81, 0.9, 0.95, 1].map((share) => percentile(histogram, share))).toEqual([10, 10, 20, 20, 30, 30]);
  expect(percentile([], 0.5)).toBeNull();
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
