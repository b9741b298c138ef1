import { localTimeOf, toTrackingEvent } from './scan.ts';

test('a tracking event shows only the four fields of spec section 2.4, without internal data', () => {
  const shown = { time: '2026-03-08T01:00:00Z', location: '深圳', description: '已签收', status: 'delivered' } as const;
  expect(toTrackingEvent({ ...shown, timeRaw: '2026-03-08 09:00', zoneSource: 'default' })).toEqual(shown);
});

const TIME = '2031-03-12T16:20:41Z';

describe('the local time of a scan', () => {
  test.each([
    ['the clocks of its place', '2031-03-12 17:20:41', '2031-03-12T17:20:41+01:00'],
    ['slashes', '2031/3/12 17:20:41', '2031-03-12T17:20:41+01:00'],
    ['an offset', '2031-03-12T11:20:41-05:00', '2031-03-12T11:20:41-05:00'],
    ['a fraction and an offset', '2031-03-13T00:20:41.120+0800', '2031-03-13T00:20:41+08:00'],
    ['digits only', '20310312 172041', '2031-03-12T17:20:41+01:00'],
    ['the day first', '12.03.2031, 17:20:41', '2031-03-12T17:20:41+01:00'],
    ['no seconds', '2031-03-12 17:20', '2031-03-12T17:20:41+01:00'],
    ['a zone of three quarters of an hour', '2031-03-12 22:05:41', '2031-03-12T22:05:41+05:45'],
    ['the zone of UTC', '2031-03-12 16:20:41', '2031-03-12T16:20:41+00:00'],
    ['a Z behind a local time', '2031-03-12T17:20:41Z', '2031-03-12T17:20:41+01:00'],
  ])('%s', (_what, timeRaw, local) => {
    expect(localTimeOf({ time: TIME, timeRaw })).toBe(local);
  });

  test.each([
    ['UTC', '2031-03-12T16:20:41Z'],
    ['no time', ''],
    ['another form', 'March 12, 2031 5:20 P.M.'],
    ['another moment', '2031-03-12 17:27:41'],
    ['another day', '2031-03-14 17:20:41'],
  ])('is not known: %s', (_what, timeRaw) => {
    expect(localTimeOf({ time: TIME, timeRaw })).toBeNull();
  });
});
