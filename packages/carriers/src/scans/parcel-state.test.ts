import type { Scan } from '@pts/core/tracking/scan';
import { GOING_BACK, type Meaning } from './meaning.ts';
import { foundWith } from './parcel-state.ts';

const scan = (hour: number, status: Scan['status'], more: Partial<Scan> = {}): Scan => {
  const time = `2031-01-02T${String(hour).padStart(2, '0')}:00:00Z`;
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '', status, ...more };
};
const statuses = (state: Meaning | undefined, ...scans: Scan[]) =>
  foundWith(scans, state).scans.map(({ status }) => status);

test.each<[string, Meaning['status'], Scan['status'], Scan['status']]>([
  ['a state that says more', 'delivered', 'in_transit', 'delivered'],
  ['an exception', 'exception', 'out_for_delivery', 'exception'],
  ['a return', 'returned', 'delivered', 'returned'],
  ['a state that only says that it moves', 'in_transit', 'out_for_delivery', 'out_for_delivery'],
  ['a state that lags behind', 'info_received', 'in_transit', 'in_transit'],
  ['a state from before the delivery', 'out_for_delivery', 'delivered', 'delivered'],
])('%s: %s over %s is %s', (_, state, own, expected) => {
  expect(statuses({ status: state }, scan(1, 'info_received'), scan(2, own))).toEqual(['info_received', expected]);
});

test('the scan keeps its own status', () => {
  const { scans } = foundWith([scan(2, 'in_transit'), scan(1, 'info_received')], GOING_BACK);
  expect(scans).toMatchObject([
    { status: 'exception', course: 'going_back', ownStatus: 'in_transit' },
    { status: 'info_received' },
  ]);
  expect(scans[1]).not.toHaveProperty('ownStatus');
});

test('of several newest scans, none is changed if one has the state', () => {
  expect(statuses({ status: 'delivered' }, scan(2, 'in_transit'), scan(2, 'delivered'))).toEqual([
    'in_transit',
    'delivered',
  ]);
});

test('without any scan, the state is the answer', () => {
  expect(foundWith([], { status: 'delivered' })).toEqual({ kind: 'found', scans: [], parcelStatus: 'delivered' });
  expect(foundWith([], undefined)).toEqual({ kind: 'found', scans: [] });
});
