import fc from 'fast-check';
import { carriers } from '../registry/registry.ts';
import { zoneOfPlace } from './place.ts';
import { resolveLocalTime, resolveTime, resolveTimeBeside } from './time.ts';

describe('a time without zone', () => {
  // biome-ignore format: one case per line is readable as a table
  test.each([
    ['2031-03-12 17:20:41', 'Asia/Shanghai', '2031-03-12T09:20:41Z'],
    ['2031-03-12 07:20:41', 'Asia/Shanghai', '2031-03-11T23:20:41Z'],
    ['2031-01-15 12:00:00', 'America/New_York', '2031-01-15T17:00:00Z'],
    ['2031-07-15 12:00:00', 'America/New_York', '2031-07-15T16:00:00Z'],
    ['2031-07-15 12:00:00', 'Asia/Kathmandu', '2031-07-15T06:15:00Z'],
    ['2031-07-15 12:00:00', 'UTC', '2031-07-15T12:00:00Z'],
    ['2031-12-31 23:30:00', 'America/Los_Angeles', '2032-01-01T07:30:00Z'],
    ['2028-02-29 00:00:00', 'Asia/Tokyo', '2028-02-28T15:00:00Z'],
  ])('%s in %s is %s', (text, zone, time) => {
    expect(resolveTime(text, zone, 'location')).toEqual({ time, zoneSource: 'location' });
  });

  test('is Beijing’s by default, and is marked as such', () => {
    expect(resolveTime('2031-03-12 17:20:41')).toEqual({ time: '2031-03-12T09:20:41Z', zoneSource: 'default' });
  });
});

describe('around clock changes', () => {
  // New York 2026: forward on 8 March at 2:00, back on 1 November at 2:00. Lord Howe changes by half an hour.
  // biome-ignore format: one case per line is readable as a table
  test.each([
    ['2026-03-08 01:59:59', 'America/New_York', '2026-03-08T06:59:59Z', 'the last second before the gap'],
    ['2026-03-08 02:30:00', 'America/New_York', '2026-03-08T07:30:00Z', 'inside the gap: as if not changed yet'],
    ['2026-03-08 03:00:00', 'America/New_York', '2026-03-08T07:00:00Z', 'the first second after the gap'],
    ['2026-11-01 00:59:59', 'America/New_York', '2026-11-01T04:59:59Z', 'before the overlap'],
    ['2026-11-01 01:30:00', 'America/New_York', '2026-11-01T05:30:00Z', 'inside the overlap: the earlier'],
    ['2026-11-01 02:00:00', 'America/New_York', '2026-11-01T07:00:00Z', 'after the overlap'],
    ['2026-04-05 01:45:00', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z', 'an overlap of half an hour'],
    ['2026-10-04 02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00Z', 'a gap of half an hour'],
  ])('%s in %s is %s (%s)', (text, zone, time) => {
    expect(resolveTime(text, zone)?.time).toBe(time);
  });
});

describe('a time with an offset', () => {
  test.each([
    ['2031-03-12T17:20:41Z', '2031-03-12T17:20:41Z'],
    ['2031-03-12T17:20:41.938Z', '2031-03-12T17:20:41Z'],
    ['2031-03-12T17:20:41+08:00', '2031-03-12T09:20:41Z'],
    ['2031-03-12 17:20:41 -0330', '2031-03-12T20:50:41Z'],
    ['2031-03-12 17:20 +08', '2031-03-12T09:20:00Z'],
  ])('%s is read with its own offset, whatever the zone', (text, time) => {
    expect(resolveTime(text, 'America/New_York')).toEqual({ time, zoneSource: 'carrier' });
  });
});

test.each(['2031/3/2 7:05', '2031-03-02T07:05', '2031-03-02 07:05:00.5', ' 2031-03-02 07:05:00 '])(
  'the format %j is accepted',
  (text) => {
    expect(resolveTime(text, 'UTC')?.time).toBe('2031-03-02T07:05:00Z');
  },
);

test.each([
  ['2031-03-02', '2031-03-02T00:00:00Z'],
  ['2031/3/2', '2031-03-02T00:00:00Z'],
  ['2031-03-02 07:05 AM', '2031-03-02T07:05:00Z'],
  ['2031-03-02 12:05:00 AM', '2031-03-02T00:05:00Z'],
  ['2031-03-02 12:05 pm', '2031-03-02T12:05:00Z'],
  ['2031-03-02 7:05PM', '2031-03-02T19:05:00Z'],
])('a day, or a clock with twelve hours: %j is %s', (text, time) => {
  expect(resolveTime(text, 'UTC')?.time).toBe(time);
});

test.each([
  '',
  'yesterday',
  '2031-02-29',
  '2031-03-12 13:00 PM',
  '2031-03-12 00:10 AM',
  '2031-02-29 10:00:00',
  '2031-13-01 10:00:00',
  '2031-03-12 24:00:00',
  '2031-03-12 10:60:00',
  '2031-03/12 10:00:00',
  '2031-03-12 10:00:00+99:00',
  '0031-03-12 10:00:00',
  '9999-12-31 23:59:59',
  '2031-02-29T10:00:00Z',
  '2031-04-31T10:00:00Z',
  '2031-03-12T24:00:00Z',
])('%j is not a time', (text) => {
  expect(resolveTime(text)).toBeNull();
});

test('an unknown zone is a bug', () => {
  expect(() => resolveTime('2031-03-12 10:00:00', 'Asia/Nowhere')).toThrow(RangeError);
});

test('every instant is restored from its local time, except in the second pass through an overlap', () => {
  const zone = fc.constantFrom(
    'Asia/Shanghai',
    'America/New_York',
    'Europe/London',
    'Australia/Lord_Howe',
    'Asia/Tehran',
  );
  const instant = fc.integer({ min: Date.UTC(2000, 0) / 1000, max: Date.UTC(2037, 0) / 1000 });
  fc.assert(
    fc.property(zone, instant, (timeZone, seconds) => {
      const shown = new Date(seconds * 1000).toLocaleString('sv-SE', { timeZone });
      const earlier = (seconds - Date.parse(resolveTime(shown, timeZone)?.time ?? '') / 1000) / 60;
      expect([0, 30, 60]).toContain(earlier);
    }),
  );
});

const COUNTRIES = [...new Set(carriers({ sandbox: false }).map(({ country }) => country))].filter(
  (iso) => iso !== 'CN',
);

test.each(COUNTRIES)('the home of carriers in %s has a zone, which the runtime knows', (country) => {
  const timeZone = zoneOfPlace('', country, { home: true }) ?? 'none';
  expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
});

test.each([
  ['kazpost', '2031-01-31T19:00:00Z'],
  ['qatar-post', '2031-01-31T21:00:00Z'],
  ['serbia-post', '2031-01-31T23:00:00Z'],
  ['china-post', '2031-01-31T16:00:00Z'],
])('a time without a place is local at the home of %s', (carrier, time) => {
  expect(resolveLocalTime('2031-02-01 00:00:00', carrier, '')).toEqual({ time, zoneSource: 'default' });
});

test.each([
  ['ups', 'PARIS, FR', '2031-01-31T23:00:00Z'],
  ['ups', 'LOS ANGELES, CA', '2031-02-01T08:00:00Z'],
  ['canada-post', "ST. JOHN'S, NL", '2031-02-01T03:30:00Z'],
])('a time of %s at %s is local there', (carrier, place, time) => {
  expect(resolveLocalTime('2031-02-01 00:00:00', carrier, place)).toEqual({ time, zoneSource: 'location' });
});

test.each([
  ['2031-02-01T10:00:00', '2031-02-01T18:00:00Z'],
  ['2031-02-01', '2031-02-01T05:00:00Z'],
])('%s without a place is read beside a scan with an offset', (text, time) => {
  expect(resolveTimeBeside(text, {}, ['US'], '-08:00')).toEqual({ time, zoneSource: 'default' });
});

test.each([
  ['2031-05-02T09:30:00+8', '2031-05-02T01:30:00Z'],
  ['2031-05-02 09:30 UTC+8', '2031-05-02T01:30:00Z'],
  ['2031-05-02 09:30:00 GMT-03:30', '2031-05-02T13:00:00Z'],
  ['2031-05-02T09:30:00−05:00', '2031-05-02T14:30:00Z'],
  ['2031-05-02T09:30:00.000z', '2031-05-02T09:30:00Z'],
  ['2031-05-02T09:30:00 UTC', '2031-05-02T09:30:00Z'],
  ['2031-05-02T09:30:00+02:00[Europe/Berlin]', '2031-05-02T07:30:00Z'],
  ['2031-05-02T09:30:00+05:30:00', '2031-05-02T04:00:00Z'],
])('the offset of %j is read', (text, time) => {
  expect(resolveTime(text)).toEqual({ time, zoneSource: 'carrier' });
});
