import { bucketsBetween, bucketsOf, parseSamples, percentile, quantileOf, totalOf } from './figure.ts';
import { parseStat } from './installation.ts';

const TEXT = (scale: number) => `# HELP lag_seconds Lag.
# TYPE lag_seconds histogram
lag_seconds_bucket{le="1",provider="a",app="x"} ${1 * scale}
lag_seconds_bucket{le="2",provider="a",app="x"} ${3 * scale}
lag_seconds_bucket{le="+Inf",provider="a",app="x"} ${4 * scale}
lag_seconds_bucket{le="1",provider="b \\"q\\"",app="x"} 0
lag_seconds_bucket{le="2",provider="b \\"q\\"",app="x"} 0
lag_seconds_bucket{le="+Inf",provider="b \\"q\\"",app="x"} 0
answers_total{kind="found"} ${5 * scale}
answers_total{kind="not_found"} ${2 * scale}
up 1
`;

test('counters add up over labels and processes', () => {
  const both = [parseSamples(TEXT(1)), parseSamples(TEXT(2))];
  expect(totalOf(both, 'answers_total')).toBe(21);
  expect(totalOf(both, 'up')).toBe(2);
  expect(totalOf(both, 'nothing')).toBe(0);
});

test('a histogram is read by its own buckets, and between two moments', () => {
  const [before, after] = [1, 3].map((scale) => bucketsOf([parseSamples(TEXT(scale))], 'lag_seconds'));
  if (!before || !after) throw new Error('two were read');
  expect([...before]).toEqual([
    [1, 1],
    [2, 2],
    [Number.POSITIVE_INFINITY, 1],
  ]);
  expect([...bucketsBetween(before, after).values()]).toEqual([2, 4, 2]);
});

test('a quantile lies within its bucket; beyond the last bound it is that bound', () => {
  const buckets = bucketsOf([parseSamples(TEXT(1))], 'lag_seconds');
  expect(quantileOf(buckets, 0.5)).toBe(1.5);
  expect(quantileOf(buckets, 1)).toBe(2);
  expect(quantileOf(new Map(), 0.5)).toBeNaN();
});

test('a percentile is one of the values', () => {
  expect(percentile([3, 1, 2], 0.5)).toBe(2);
  expect(percentile([3, 1, 2], 0.99)).toBe(3);
  expect(() => percentile([], 0.5)).toThrow('no value');
});

test('the ticks of a process are found, whatever its name', () => {
  const rest = Array.from({ length: 50 }, (_, n) => n + 3).map((place) =>
    place === 3 ? 'S' : place === 4 ? 77 : place,
  );
  expect(parseStat(`12 (a) b (c) ${rest.join(' ')}`)).toEqual({ ppid: 77, ticks: 14 + 15, endedTicks: 16 + 17 });
  expect(() => parseStat('12 (a) S')).toThrow('field 4');
});
