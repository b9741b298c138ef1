import {
  checkAfter,
  EXPIRES_AFTER_DAYS,
  expiresAt,
  IDLE_INTERVAL_SECONDS,
  JITTER,
  MONITORING_INTERVAL_SECONDS,
  RETRACK_INTERVAL_SECONDS,
} from './schedule.ts';
import type { SubStatus } from './status.ts';

const NOW = new Date('2026-02-27T10:00:00.000Z');
const nextCheck = (subStatus: SubStatus, finalLook: boolean) =>
  checkAfter({ subStatus, answered: null, finalLook }, NOW);

test('parcels are checked every 5 minutes or every 60, give or take 10 %, and retracked at most hourly', () => {
  expect([MONITORING_INTERVAL_SECONDS, IDLE_INTERVAL_SECONDS, JITTER, RETRACK_INTERVAL_SECONDS]).toEqual([
    300, 3600, 0.1, 3600,
  ]);
});

test.each<SubStatus>([
  'pending',
  'info_received',
  'in_transit',
  'out_for_delivery',
  'available_for_pickup',
  'exception',
  'undeliverable',
])('polling of a parcel that is %s continues, even after its final check', (state) => {
  expect(nextCheck(state, false)).toEqual({ watch: 'regularly' });
  expect(nextCheck(state, true)).toEqual({ watch: 'regularly' });
});

test.each<SubStatus>(['delivered', 'returned'])('a parcel that is %s is checked once more, 24 hours later', (state) => {
  expect(nextCheck(state, false)).toEqual({ watch: 'once-more', at: new Date('2026-02-28T10:00:00.000Z') });
});

test.each<SubStatus>(['delivered', 'returned'])('polling of a parcel that is still %s at that check stops', (state) => {
  expect(nextCheck(state, true)).toEqual({ watch: 'never' });
});

test('polling of an expired parcel stops', () => {
  expect(nextCheck('expired', false)).toEqual({ watch: 'never' });
});

test('a parcel expires 30 days after its last news', () => {
  expect(EXPIRES_AFTER_DAYS).toBe(30);
  expect(expiresAt(NOW)).toEqual(new Date('2026-03-29T10:00:00.000Z'));
});
