import type { Scan } from '@pts/core/tracking/scan';
import type { DeliveredParcel } from '@pts/db/lanes';
import { backtest } from './estimates.ts';

const scan = (hour: number, location: string, status: Scan['status']): Scan => {
  const time = new Date(Date.UTC(2031, 3, 1, hour)).toISOString().replace('.000Z', 'Z');
  return { time, timeRaw: time, zoneSource: 'carrier', location, description: status, status };
};
/** A parcel that starts to move at an hour and takes a number of hours. */
const parcel = (start: number, hours: number, carrier = 'yto'): DeliveredParcel => ({
  carrier,
  destinationCountry: null,
  scans: [scan(start, '广东省深圳市', 'in_transit'), scan(start + hours, '北京市', 'delivered')],
});
const many = (count: number, make: (n: number) => DeliveredParcel) => Array.from({ length: count }, (_, n) => make(n));

test('each parcel is estimated from those delivered before it began to move', () => {
  const parcels = [...many(60, () => parcel(0, 48)), ...many(10, () => parcel(100, 48))];
  const [all, yto] = backtest(parcels);
  // The first 60 had no history to learn from.
  expect(all).toMatchObject({ carrier: 'all', parcels: 70, estimated: 10, coverage: 1 });
  expect(all?.maeHours).toBeCloseTo(1.5, 5);
  expect(yto).toMatchObject({ carrier: 'yto', parcels: 70 });
});

test('parcels that arrive outside of the window lower the coverage and raise the error', () => {
  const parcels = [
    ...many(60, () => parcel(0, 48)),
    ...many(5, () => parcel(100, 48)),
    ...many(5, () => parcel(100, 90)),
  ];
  expect(backtest(parcels)[0]).toMatchObject({ estimated: 10, coverage: 0.5 });
});

test('on lanes with varying times, four in five arrive within the window', () => {
  const hours = (n: number) => 24 + ((n * 37) % 96);
  const parcels = [...many(400, (n) => parcel(0, hours(n))), ...many(400, (n) => parcel(200, hours(n + 7)))];
  const [all] = backtest(parcels);
  expect(all?.estimated).toBe(400);
  expect(all?.coverage).toBeGreaterThan(0.77);
  expect(all?.coverage).toBeLessThan(0.87);
});

test('without deliveries there is nothing to measure', () => {
  const none = { carrier: 'all', parcels: 0, estimated: 0, maeHours: null, coverage: null };
  expect(backtest([])).toEqual([none]);
  expect(backtest([{ carrier: 'yto', destinationCountry: null, scans: [] }])).toEqual([none]);
});
