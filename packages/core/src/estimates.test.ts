import { boundWindow, lanesOf, type TransitTimes, transitHours, weightAt, windowFrom } from './estimates.ts';
import type { Found } from './tracking/answer.ts';
import { applyAnswer, type Snapshot } from './tracking/change.ts';
import type { Scan } from './tracking/scan.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const REGISTERED: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
const DAY = { from: '2031-04-08', to: '2031-04-08' };
const CONTEXT = { now: NOW, registeredAt: NOW };

const scan = (status: Scan['status'], hour = 1): Scan => {
  const time = `2031-04-05T0${hour}:00:00Z`;
  return { time, timeRaw: time, zoneSource: 'carrier', location: 'Fennbrook', description: status, status };
};
const found = (estimatedDelivery?: Found['estimatedDelivery'], status: Scan['status'] = 'in_transit'): Found => ({
  kind: 'found',
  scans: [scan(status)],
  ...(estimatedDelivery && { estimatedDelivery }),
});

test.each([
  ['a day', DAY],
  ['a window of days', { from: '2031-04-08', to: '2031-04-10' }],
  ['a window of hours', { from: '2031-04-05T10:00:00Z', to: '2031-04-05T14:00:00Z' }],
])('%s is an estimate', (_, window) => {
  expect(boundWindow(window, NOW)).toEqual(window);
});

test.each([
  ['the wrong way round', { from: '2031-04-09', to: '2031-04-08' }],
  ['a date and an instant', { from: '2031-04-08', to: '2031-04-08T10:00:00Z' }],
  ['a time without a zone', { from: '2031-04-08T10:00:00', to: '2031-04-08T10:00:00' }],
  ['an impossible date', { from: '2031-13-40', to: '2031-13-40' }],
  ['years away', { from: '2131-04-08', to: '2131-04-08' }],
  ['years ago', { from: '1970-01-01', to: '1970-01-01' }],
  ['words', { from: 'soon', to: 'later' }],
])('%s is not an estimate', (_, window) => {
  expect(boundWindow(window, NOW)).toBeUndefined();
  expect(applyAnswer(REGISTERED, found(window), CONTEXT).after.annotations?.estimate).toBeUndefined();
});

test('the estimate of the carrier is kept with its source, and a new day is news', () => {
  const { after } = applyAnswer(REGISTERED, found(DAY), CONTEXT);
  expect(after.annotations).toMatchObject({ estimate: { ...DAY, source: 'carrier' } });
  expect(applyAnswer(after, found(DAY), CONTEXT).emits).toEqual([]);
  const later = applyAnswer(after, found({ from: '2031-04-09', to: '2031-04-09' }), CONTEXT);
  expect(later.emits).toEqual(['tracking_update']);
});

test('a window that shifts within its day is stored, but is not news', () => {
  const hours = (from: number) => ({ from: `2031-04-08T0${from}:00:00Z`, to: '2031-04-08T09:00:00Z' });
  const { after } = applyAnswer(REGISTERED, found(hours(1)), CONTEXT);
  const shifted = applyAnswer(after, found(hours(2)), CONTEXT);
  expect(shifted.after.annotations?.estimate).toMatchObject(hours(2));
  expect(shifted.emits).toEqual([]);
});

// biome-ignore format: one change per line is readable as a table
test.each([
  ['within a day that UTC divides', '2031-04-08T22:00:00Z', '2031-04-09T01:00:00Z', false],
  ['to another day, which UTC does not divide', '2031-04-08T06:00:00Z', '2031-04-08T22:00:00Z', true],
])('by the clocks at the parcel, a window that shifts %s', (_, before, after, isNews) => {
  const local = { ...scan('in_transit'), timeRaw: '2031-04-04 18:00:00' };
  const at = (time: string) => ({ ...found({ from: time, to: time }), scans: [local] });
  const known = applyAnswer(REGISTERED, at(before), CONTEXT).after;
  expect(applyAnswer(known, at(after), CONTEXT).emits).toEqual(isNews ? ['tracking_update'] : []);
});

test.each(['delivered', 'returned'] as const)('a parcel that is %s no longer has an estimate', (status) => {
  const { after } = applyAnswer(REGISTERED, found(DAY), CONTEXT);
  const arrived = { ...found(DAY), scans: [scan('in_transit'), scan(status, 2)] };
  expect(applyAnswer(after, arrived, CONTEXT).after).toMatchObject({ subStatus: status });
  expect(applyAnswer(after, arrived, CONTEXT).after.annotations?.estimate).toBeUndefined();
});

test('similar parcels give the estimate if the carrier gives none', () => {
  const window = { from: '2031-04-07T00:00:00Z', to: '2031-04-09T00:00:00Z' };
  const context = { ...CONTEXT, estimate: () => window };
  expect(applyAnswer(REGISTERED, found(), context).after.annotations?.estimate).toEqual({
    ...window,
    source: 'history',
  });
  expect(applyAnswer(REGISTERED, found(DAY), context).after.annotations?.estimate?.source).toBe('carrier');
});

test('a changed estimate from history alone is not news', () => {
  const days = (day: number) => ({ from: `2031-04-0${day}T00:00:00Z`, to: `2031-04-0${day}T00:00:00Z` });
  const { after } = applyAnswer(REGISTERED, found(), { ...CONTEXT, estimate: () => days(7) });
  const changed = applyAnswer(after, found(), { ...CONTEXT, estimate: () => days(8) });
  expect(changed.emits).toEqual([]);
  expect(changed.after.annotations?.estimate).toMatchObject(days(8));
});

const START = new Date('2031-04-05T06:00:00Z');
const later = (hours: number) => new Date(START.getTime() + hours * 3_600_000);
const iso = (hours: number) => later(hours).toISOString().replace('.000Z', 'Z');
const laneScan = (hours: number, status: Scan['status']): Scan => {
  const time = iso(hours);
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description: status, status };
};
/** Parcels for each number of hours, delivered today. */
const parcels = (counts: Readonly<Record<number, number>>, at = START): TransitTimes =>
  Object.entries(counts).map(([hours, count]) => ({ hours: Number(hours), weight: count * weightAt(at) }));

test('the transit time of a parcel runs from its first movement to its delivery', () => {
  const scans = [
    laneScan(-48, 'info_received'),
    laneScan(0, 'in_transit'),
    laneScan(25, 'out_for_delivery'),
    laneScan(31, 'delivered'),
  ];
  expect(transitHours(scans, undefined)).toEqual({ hours: 33, deliveredAt: later(31) });
  const again = [...scans, laneScan(55, 'delivered')];
  expect(transitHours(again, undefined)).toEqual({ hours: 33, deliveredAt: later(31) });
});

test('that of a shipment of several pieces, to the delivery of the last one', () => {
  const scans = [laneScan(0, 'in_transit'), laneScan(31, 'delivered'), laneScan(55, 'delivered')];
  expect(transitHours(scans, { total: 2, delivered: 2 })).toEqual({ hours: 57, deliveredAt: later(55) });
});

test.each([
  ['not delivered', [laneScan(0, 'in_transit'), laneScan(30, 'available_for_pickup')]],
  ['without a movement before', [laneScan(0, 'delivered')]],
  ['delivered after months', [laneScan(0, 'in_transit'), laneScan(24 * 70, 'delivered')]],
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
