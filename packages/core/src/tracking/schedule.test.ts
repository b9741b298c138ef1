import { nextCheck } from './schedule.ts';
import type { SubStatus } from './status.ts';

const NOW = new Date('2026-02-27T10:00:00.000Z');

test.each<SubStatus>([
  'pending',
  'info_received',
  'in_transit',
  'out_for_delivery',
  'available_for_pickup',
  'exception',
  'undeliverable',
])('polling of a parcel that is %s continues, even after its final check', (state) => {
  expect(nextCheck(state, false, NOW)).toEqual({ watch: 'regularly' });
  expect(nextCheck(state, true, NOW)).toEqual({ watch: 'regularly' });
});
