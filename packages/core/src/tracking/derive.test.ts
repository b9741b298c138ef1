import { deriveSubStatus } from './derive.ts';
import { fold } from './fold.ts';
import type { Course, Scan } from './scan.ts';
import { type ScanStatus, SUB_STATUSES, type SubStatus } from './status.ts';

/** A scan a day, in order: a status, or a status and the course that it begins. */
type Step = ScanStatus | readonly [ScanStatus, Course];

function history(...steps: Step[]): Scan[] {
  return steps.map((step, index) => {
    const [status, course] = typeof step === 'string' ? [step] : step;
    const time = `2026-03-${10 + index}T08:00:00Z`;
    const scan: Scan = { time, timeRaw: time, zoneSource: 'carrier', location: '', description: status, status };
    return course === undefined ? scan : { ...scan, course };
  });
}

const stateOf = (...steps: Step[]) => deriveSubStatus(history(...steps));
const reported = SUB_STATUSES.filter((s): s is ScanStatus => s !== 'pending' && s !== 'expired');
const REFUSED = ['exception', 'refused'] as const;
const GOING_BACK = ['exception', 'going_back'] as const;

test('without scans it is pending', () => {
  expect(stateOf()).toBe('pending');
});

test.each(reported)('after only %s it is that', (status) => {
  expect(stateOf(status)).toBe(status);
});

// biome-ignore format: one history per line is readable as a table
test.each<[string, Step[], SubStatus]>([
  ['the newest scan decides', ['info_received', 'in_transit', 'out_for_delivery', 'delivered'], 'delivered'],
  ['a parcel that missed its delivery moves on', ['out_for_delivery', 'in_transit'], 'in_transit'],
  ['trouble ends with movement', ['out_for_delivery', 'exception', 'in_transit'], 'in_transit'],
  ['trouble ends with the next delivery run', ['exception', 'out_for_delivery'], 'out_for_delivery'],
  ['an undelivered parcel waits at a pickup point', ['out_for_delivery', 'undeliverable', 'available_for_pickup'], 'available_for_pickup'],
  ['a label does not undo movement', ['in_transit', 'info_received'], 'in_transit'],
  ['a label does not undo trouble', ['exception', 'info_received'], 'exception'],
  ['two labels are one', ['info_received', 'info_received'], 'info_received'],
  ['movement after the delivery changes nothing', ['delivered', 'in_transit'], 'delivered'],
  ['trouble after the delivery changes nothing', ['delivered', 'exception'], 'delivered'],
  ['a label after the delivery changes nothing', ['delivered', 'info_received'], 'delivered'],
  ['a return undoes a delivery', ['delivered', 'returned'], 'returned'],
  ['a return after a lost delivery run undoes a delivery', ['delivered', 'out_for_delivery', 'returned'], 'returned'],
  ['movement after the return changes nothing', ['returned', 'in_transit'], 'returned'],
  ['a parcel going back is in trouble', ['out_for_delivery', GOING_BACK], 'exception'],
  ['a parcel that moves on its way back is still in trouble', [GOING_BACK, 'in_transit', 'out_for_delivery'], 'exception'],
  ['delivered after going back is delivered to the sender', [GOING_BACK, 'in_transit', 'delivered'], 'returned'],
  ['delivered after going back and a delivery run is delivered to the sender', [GOING_BACK, 'out_for_delivery', 'delivered'], 'returned'],
  ['a signature for a returning parcel is not a delivery', ['delivered', GOING_BACK], 'exception'],
  ['a delivered parcel that goes back is returned in the end', ['delivered', GOING_BACK, 'delivered'], 'returned'],
  ['a refused parcel is in trouble', ['out_for_delivery', REFUSED], 'exception'],
  ['a refused parcel that moves is on its way', [REFUSED, 'in_transit'], 'in_transit'],
  ['delivered after a refusal is delivered to the sender', [REFUSED, 'in_transit', 'delivered'], 'returned'],
  ['out for delivery after a refusal counts', [REFUSED, 'out_for_delivery'], 'out_for_delivery'],
  ['delivered on another run after a refusal is delivered', [REFUSED, 'in_transit', 'out_for_delivery', 'delivered'], 'delivered'],
  ['collected from a pickup point after a refusal is delivered', [REFUSED, 'available_for_pickup', 'delivered'], 'delivered'],
  ['a refusal on the way back does not stop it', [GOING_BACK, REFUSED, 'out_for_delivery', 'delivered'], 'returned'],
  ['a returned parcel is not delivered by a later scan', [GOING_BACK, 'returned', 'delivered'], 'returned'],
])('%s', (_promise, steps, state) => {
  expect(stateOf(...steps)).toBe(state);
});

test('a shipment of several pieces is delivered when all are', () => {
  const scans = history('in_transit', 'delivered');
  expect(deriveSubStatus(scans, { total: 3, delivered: 1 })).toBe('out_for_delivery');
  expect(deriveSubStatus(scans, { total: 3, delivered: 3 })).toBe('delivered');
});

test('of two scans in the same second, the one further along decides, in whatever order they arrived', () => {
  const [arrived, leaving] = history('in_transit', 'out_for_delivery').map((s) => ({
    ...s,
    time: '2026-03-03T08:00:00Z',
  }));
  if (!arrived || !leaving) throw new Error('two scans');
  for (const answer of [
    [arrived, leaving],
    [leaving, arrived],
  ])
    expect(deriveSubStatus(fold([], answer).scans)).toBe('out_for_delivery');
});
