import { replayRange } from './replay-range.ts';

const now = new Date('2031-04-30T12:00:00.500Z');
const range = (since: string, until?: string) => replayRange({ since, until }, { now, retentionDays: 30 });

test('a range ends now by default', () => {
  const since = new Date('2031-04-05T06:00:00Z');
  expect(range('2031-04-05T06:00:00Z')).toEqual({ since, until: now });
  expect(range('2031-04-05T06:00:00Z', '2031-04-05T07:00:00.25Z')).toEqual({
    since,
    until: new Date('2031-04-05T07:00:00.250Z'),
  });
});

test.each([
  ['2031-04-05T06:00:00+00:00', '2031-04-05T06:00:00.000Z'],
  ['2031-04-05T14:00:00+08:00', '2031-04-05T06:00:00.000Z'],
  ['2031-04-04T22:30:00.123456789-07:30', '2031-04-05T06:00:00.123Z'],
])('a time in the format %s is accepted', (since, meant) => {
  expect(range(since)).toMatchObject({ since: new Date(meant) });
});

test.each([
  ['no time', 'since', 'yesterday', undefined],
  ['an unknown zone', 'since', '2031-04-05T06:00:00+24:00', undefined],
  ['no zone', 'since', '2031-04-05T06:00:00', undefined],
  ['an impossible day', 'since', '2031-02-30T06:00:00Z', undefined],
  ['an impossible hour', 'until', '2031-04-05T06:00:00Z', '2031-04-05T25:00:00Z'],
  ['an empty range', 'since', '2031-04-05T06:00:00Z', '2031-04-05T06:00:00Z'],
  ['an end before its beginning', 'since', '2031-04-05T06:00:00Z', '2031-04-04T06:00:00Z'],
  ['the future', 'until', '2031-04-05T06:00:00Z', '2031-05-05T06:00:00Z'],
  ['a beginning in the future', 'since', '2031-05-05T06:00:00Z', undefined],
  ['a time before the retention', 'since', '2031-03-31T12:00:00Z', undefined],
])('%s is refused', (_, field, since, until) => {
  expect(range(since, until)).toEqual({ field, message: expect.any(String) });
});

test('the whole retention may be replayed', () => {
  expect(range('2031-03-31T12:00:00.500Z')).toMatchObject({ until: now });
});
