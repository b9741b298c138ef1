import { zonesOf } from './zones.ts';

const scan = (time: string, timeRaw: string, location: string) => ({
  ...{
    time,
    timeRaw,
    location,
    zoneSource: 'location' as const,
    description: 'Arrived',
    status: 'in_transit' as const,
  },
});

test.each([
  ['BOSTON, MA', '2031-01-02T13:00:00Z', 'America/New_York'],
  ['CASABLANCA, MA', '2031-01-02T07:00:00Z', 'Africa/Casablanca'],
  ['BERLIN, DE', '2031-01-02T07:00:00Z', 'Europe/Berlin'],
])(
  'the zone of %s, whose code may be that of a state, is the one in which its scan was read',
  (location, time, zone) => {
    const zones = zonesOf({
      carrier: 'ups',
      destinationCountry: null,
      scans: [scan(time, '2031-01-02 08:00:00', location)],
    });
    expect(zones.of(location)).toBe(zone);
  },
);

test.each([
  ['BERLIN, DE', 'Europe/Berlin'],
  ['LOS ANGELES, CA, US', 'America/Los_Angeles'],
  ['CHICAGO', 'America/New_York'],
])('if the carrier gives no local time, the zone of %s is that of the country that it names', (location, zone) => {
  const at = '2031-01-02T07:00:00Z';
  const zones = zonesOf({ carrier: 'ups', destinationCountry: 'US', scans: [scan(at, at, location)] });
  expect(zones.of(location)).toBe(zone);
});
