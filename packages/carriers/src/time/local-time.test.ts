import { carriers } from '../registry/registry.ts';
import { resolveLocalTime, resolveTimeBeside } from './local-time.ts';
import { zoneOfPlace } from './place-zone.ts';

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
