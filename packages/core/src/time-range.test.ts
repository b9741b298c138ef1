import { rangeFaults } from './time-range.ts';

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
    faults.map(([field, message]) => ({ field, message: expect.stringMatching(message), error: 'invalid_field' })),
  );
});
