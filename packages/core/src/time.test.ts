import { textMatching } from '@pts/testing/text-matching';
import fc from 'fast-check';
import { monthOf, nextMonthOf, parseInstant, rangeFaults, toNaiveUtc, toUtcSeconds } from './time.ts';

const AT = new Date('2026-03-09T04:05:06.789Z');

test('a moment is written in UTC to the second, with Z', () => {
  expect(toUtcSeconds(AT)).toBe('2026-03-09T04:05:06Z');
});

test('moments in any order of days are formatted as ISO 8601', () => {
  const moment = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(fc.array(moment), (moments) => {
      expect(moments.map(toUtcSeconds)).toEqual(moments.map((date) => `${date.toISOString().slice(0, 19)}Z`));
    }),
  );
  expect(() => toUtcSeconds(new Date(Number.NaN))).toThrow(RangeError);
});

test.each([
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59+00:00', '9999-12-31T23:59:59Z'],
  ['0000-01-01T00:00:00+00:01', null],
  ['9999-12-31T23:59:59-00:01', null],
])('%s is read as %s: a moment is in a year of four digits in UTC, or none', (text, written) => {
  const moment = parseInstant(text);
  expect(moment && toUtcSeconds(moment)).toBe(written);
});

test('a plus that a query turned into a space is one', () => {
  expect(parseInstant('2026-03-09T12:05:06 08:00')).toEqual(new Date('2026-03-09T04:05:06Z'));
});

test('the time of a registration carries no zone suffix', () => {
  expect(toNaiveUtc(AT)).toBe('2026-03-09T04:05:06');
});

test.each([
  ['in the middle of a month', '2026-03-09T04:05:06.789Z', '2026-03-01', '2026-04-01'],
  ['in the first moment of a month', '2026-03-01T00:00:00.000Z', '2026-03-01', '2026-04-01'],
  ['in the last moment of a month', '2026-03-31T23:59:59.999Z', '2026-03-01', '2026-04-01'],
  ['in February of a leap year', '2028-02-29T12:00:00.000Z', '2028-02-01', '2028-03-01'],
  ['in December', '2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
  ['where other zones are in another month', '2026-05-01T01:00:00.000+08:00', '2026-04-01', '2026-05-01'],
])('%s a quota period is that month in UTC', (_when, at, first, next) => {
  expect(monthOf(new Date(at))).toEqual(new Date(`${first}T00:00:00.000Z`));
  expect(nextMonthOf(new Date(at))).toEqual(new Date(`${next}T00:00:00.000Z`));
});

const [NOON, ONE] = ['2031-04-05T12:00:00Z', '2031-04-05T13:00:00Z'];

test.each<[what: string, filter: object, faults: [field: string, message: RegExp][]]>([
  ['no bound', {}, []],
  ['empty bounds', { since: '', until: '' }, []],
  ['one bound', { since: NOON, until: '' }, []],
  ['a range', { since: NOON, until: ONE }, []],
  ['a moment', { since: NOON, until: NOON }, []],
  ['a range in two time zones', { since: '2031-04-05T14:30:00+02:00', until: ONE }, []],
  ['an end before its beginning', { since: ONE, until: NOON }, [['since', /^must not be after until$/]]],
  ['a wrong beginning', { since: 'noon', until: ONE }, [['since', /RFC 3339/]]],
  [
    'no times',
    { since: 'noon', until: 'one' },
    [
      ['since', /RFC 3339/],
      ['until', /RFC 3339/],
    ],
  ],
])('of %s, what is wrong is said of its field', (_, filter, faults) => {
  expect(rangeFaults({ ...filter }, 'since', 'until')).toEqual(
    faults.map(([field, message]) => ({ field, message: textMatching(message), error: 'invalid_field' })),
  );
});
