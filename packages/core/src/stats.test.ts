import { textMatching } from '@pts/testing/text-matching';
import fc from 'fast-check';
import { intervalsOf, lagUpTo, laneOf, lastHours, percentile, statsRange, transitBucket, weeksOf } from './stats.ts';

const NOW = new Date('2031-04-05T06:30:00Z');
const range = (input: Parameters<typeof statsRange>[0]) => {
  const found = statsRange(input, NOW);
  if ('field' in found) return found;
  return [found.from.toISOString(), found.to.toISOString(), intervalsOf(found).length];
};
const at = (text: string) => `2031-${text}:00.000Z`;

test.each<[string, Parameters<typeof statsRange>[0], unknown[]]>([
  ['seven days with today by default', {}, [at('03-30T00:00'), at('04-06T00:00'), 7]],
  ['seven days by hour', { interval: 'hour' }, [at('03-29T07:00'), at('04-05T07:00'), 168]],
  [
    'whole days around the given times',
    { from: '2031-04-01T10:00:00+08:00', to: '2031-04-02T00:00:01Z' },
    [at('04-01T00:00'), at('04-03T00:00'), 2],
  ],
  [
    'exactly the given days',
    { from: '2031-04-01T00:00:00Z', to: '2031-04-02T00:00:00Z' },
    [at('04-01T00:00'), at('04-02T00:00'), 1],
  ],
  [
    'nothing after now',
    { from: '2031-04-05T00:00:00Z', to: '2032-01-01T00:00:00Z' },
    [at('04-05T00:00'), at('04-06T00:00'), 1],
  ],
  ['92 days', { from: '2031-01-04T00:00:00Z' }, [at('01-04T00:00'), at('04-06T00:00'), 92]],
  ['8 days by hour', { from: '2031-03-28T07:00:00Z', interval: 'hour' }, [at('03-28T07:00'), at('04-05T07:00'), 192]],
])('a range is %s', (_, input, expected) => {
  expect(range(input)).toEqual(expected);
});

test.each<[Parameters<typeof statsRange>[0], string, RegExp]>([
  [{ from: 'yesterday' }, 'from', /RFC 3339/],
  [{ to: '2031-02-30T00:00:00Z' }, 'to', /RFC 3339/],
  [{ from: '2031-04-02T00:00:00Z', to: '2031-04-01T00:00:00Z' }, 'from', /before to/],
  [{ from: '2031-05-01T00:00:00Z' }, 'from', /in the past/],
  [{ from: '2031-01-03T23:00:00Z' }, 'from', /at most 92 days/],
  [{ from: '2031-03-28T06:59:00Z', interval: 'hour' }, 'from', /at most 8 days/],
  [{ from: '2031-02-28T06:00:00Z', to: '2031-03-01T00:00:00Z', interval: 'hour' }, 'from', /more than 35 days ago/],
  [{ from: '2030-02-28T00:00:00Z', to: '2030-03-05T00:00:00Z' }, 'from', /more than 400 days ago/],
  [{ to: '2030-03-05T00:00:00Z' }, 'to', /more than 393 days ago.*without from/],
])('%j is refused', (input, field, message) => {
  expect(range(input)).toEqual({ field, message: textMatching(message) });
});

test.each([
  ['whole weeks', '2031-03-31', '2031-04-14', ['2031-03-31', '2031-04-14'], []],
  [
    'days before and after a week',
    '2031-03-29',
    '2031-04-09',
    ['2031-03-31', '2031-04-07'],
    ['2031-03-29', '2031-03-30', '2031-04-07', '2031-04-08'],
  ],
  ['days within a week', '2031-04-01', '2031-04-03', [], ['2031-04-01', '2031-04-02']],
  ['days of two weeks', '2031-04-05', '2031-04-08', [], ['2031-04-05', '2031-04-06', '2031-04-07']],
])('%s are read', (_, from, to, weeks, days) => {
  const found = weeksOf({ from: new Date(from), to: new Date(to) });
  const textsOf = ([start, end]: [Date, Date]) =>
    intervalsOf({ from: start, to: end, interval: 'day' }).map((day) => day.toISOString().slice(0, 10));
  expect(found.days.flatMap(textsOf)).toEqual(days);
  expect(found.weeks[0] < found.weeks[1] ? found.weeks.map((day) => day.toISOString().slice(0, 10)) : []).toEqual(
    weeks,
  );
});

test('the hours of a range belong to whole days', () => {
  const range = { from: new Date('2031-04-01T10:00:00Z'), to: new Date('2031-04-02T01:00:00Z') };
  expect(weeksOf(range).days[0]).toEqual([new Date('2031-04-01'), new Date('2031-04-03')]);
});

test('the last hours include the current one', () => {
  expect(lastHours(3, NOW).map((hour) => hour.toISOString())).toEqual([
    at('04-05T04:00'),
    at('04-05T05:00'),
    at('04-05T06:00'),
  ]);
});

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
