import type { Scan } from '../tracking/scan.ts';
import type { SubStatus } from '../tracking/status.ts';
import { isGone } from './gone.ts';

const NOW = new Date('2031-06-10T12:00:00Z');

function scan(time: string): Scan {
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '', status: 'delivered' };
}

// biome-ignore format: one parcel per line is readable as a table
test.each<[SubStatus, string | null, string, boolean]>([
  ['delivered', '2031-03-12T12:00:01Z', '2031-03-12T13:00:00Z', false],
  ['delivered', '2031-03-12T11:59:59Z', '2031-03-12T13:00:00Z', true],
  // What counts is the delivery, not when it became known.
  ['delivered', '2031-01-01T12:00:00Z', '2031-06-01T12:00:00Z', true],
  ['delivered', null, '2031-01-01T12:00:00Z', true],
  ['returned', '2031-01-01T12:00:00Z', '2031-01-01T12:00:00Z', true],
  ['expired', '2031-01-01T12:00:00Z', '2031-05-01T12:00:00Z', false],
  ['expired', '2031-01-01T12:00:00Z', '2031-02-01T12:00:00Z', true],
  // A parcel that is still on its way keeps its page.
  ['in_transit', '2030-01-01T12:00:00Z', '2030-01-01T12:00:00Z', false],
  ['exception', '2030-01-01T12:00:00Z', '2030-01-01T12:00:00Z', false],
])('the page of a %s parcel with a scan at %s and news at %s is gone: %s', (subStatus, time, updatedAt, gone) => {
  const scans = time === null ? [] : [scan(time)];
  expect(isGone({ subStatus, scans, updatedAt: new Date(updatedAt), stoppedAt: null }, 90, NOW)).toBe(gone);
});

// biome-ignore format: one parcel per line is readable as a table
test.each<[SubStatus, string, boolean]>([
  ['in_transit', '2031-03-12T12:00:01Z', false],
  ['in_transit', '2031-03-12T11:59:59Z', true],
  ['pending', '2031-03-12T11:59:59Z', true],
  // It has arrived before: that counts.
  ['delivered', '2031-06-01T12:00:00Z', true],
])('the page of a %s parcel whose polling was stopped at %s is gone: %s', (subStatus, stoppedAt, gone) => {
  const [scans, updatedAt] = [[scan('2031-01-01T12:00:00Z')], new Date('2031-01-01T12:00:00Z')];
  expect(isGone({ subStatus, scans, updatedAt, stoppedAt: new Date(stoppedAt) }, 90, NOW)).toBe(gone);
});

test('after as many days as the account has chosen', () => {
  const parcel = {
    subStatus: 'delivered',
    scans: [scan('2031-06-08T12:00:00Z')],
    updatedAt: NOW,
    stoppedAt: null,
  } as const;
  expect([isGone(parcel, 1, NOW), isGone(parcel, 3, NOW)]).toEqual([true, false]);
});
