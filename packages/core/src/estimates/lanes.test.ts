import type { Scan } from '../tracking/scan.ts';
import { lanesOf, type TransitTimes, transitHours, weightAt, windowFrom } from './lanes.ts';

const START = new Date('2031-04-05T06:00:00Z');
const later = (hours: number) => new Date(START.getTime() + hours * 3_600_000);
const iso = (hours: number) => later(hours).toISOString().replace('.000Z', 'Z');
const scan = (hours: number, status: Scan['status']): Scan => {
  const time = iso(hours);
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description: status, status };
};
/** Parcels for each number of hours, delivered today. */
const parcels = (counts: Readonly<Record<number, number>>, at = START): TransitTimes =>
  Object.entries(counts).map(([hours, count]) => ({ hours: Number(hours), weight: count * weightAt(at) }));

test('the transit time of a parcel runs from its first movement to its delivery', () => {
  const scans = [
    scan(-48, 'info_received'),
    scan(0, 'in_transit'),
    scan(25, 'out_for_delivery'),
    scan(31, 'delivered'),
  ];
  expect(transitHours(scans, undefined)).toEqual({ hours: 33, deliveredAt: later(31) });
  const again = [...scans, scan(55, 'delivered')];
  expect(transitHours(again, undefined)).toEqual({ hours: 33, deliveredAt: later(31) });
});

test('that of a shipment of several pieces, to the delivery of the last one', () => {
  const scans = [scan(0, 'in_transit'), scan(31, 'delivered'), scan(55, 'delivered')];
  expect(transitHours(scans, { total: 2, delivered: 2 })).toEqual({ hours: 57, deliveredAt: later(55) });
});

test.each([
  ['not delivered', [scan(0, 'in_transit'), scan(30, 'available_for_pickup')]],
  ['without a movement before', [scan(0, 'delivered')]],
  ['delivered after months', [scan(0, 'in_transit'), scan(24 * 70, 'delivered')]],
  ['without scans', []],
])('a parcel %s is not counted', (_, scans) => {
  expect(transitHours(scans, undefined)).toBeNull();
});

test('a lane is looked up by regions, then by countries, then without its destination', () => {
  const keys = (destination: string | null) =>
    lanesOf({ carrier: 'yto', origin: 'CN-GD', destination }).map((lane) => `${lane.origin} ${lane.destination}`);
  expect(keys('CN-BJ')).toEqual(['CN-GD CN-BJ', 'CN CN', 'CN-GD *', 'CN *']);
  expect(keys(null)).toEqual(['CN-GD *', 'CN *']);
  expect(lanesOf({ carrier: 'dhl', origin: 'DE', destination: 'FR' })).toHaveLength(2);
});

test('the window leaves out the fastest and the slowest tenth', () => {
  const times = parcels({ 24: 5, 36: 20, 48: 50, 60: 20, 240: 5 });
  expect(windowFrom(times, START, START)).toEqual({ from: iso(33), to: iso(60) });
});

test('a late parcel is compared with parcels that were late', () => {
  const times = parcels({ 24: 100, 96: 20 });
  expect(windowFrom(times, START, later(30))).toEqual({ from: iso(93), to: iso(96) });
  expect(windowFrom(times, START, later(95))).toEqual({ from: iso(95), to: iso(96) });
});

test('few parcels give no estimate, and neither do many if hardly any took that long', () => {
  expect(windowFrom(parcels({ 24: 29 }), START, START)).toBeNull();
  expect(windowFrom(parcels({ 24: 100, 96: 9 }), START, later(30))).toBeNull();
  expect(windowFrom([], START, START)).toBeNull();
});

test('old parcels count less: half as much after 45 days', () => {
  const old = later(-45 * 24);
  expect(weightAt(START) / weightAt(old)).toBeCloseTo(2, 9);
  expect(windowFrom(parcels({ 24: 59 }, old), START, START)).toBeNull();
  expect(windowFrom(parcels({ 24: 60 }, old), START, START)).not.toBeNull();
});
