import { newId } from '../id.ts';
import type { Scan } from '../tracking/scan.ts';
import { pingBody, trackingBody } from './payload.ts';
import { scanLagSeconds } from './scan-lag.ts';

const REGISTERED = new Date('2026-03-01T10:00:00Z');
const NEWS = new Date('2026-03-01T12:00:30Z');
const ID = newId(REGISTERED, new Uint8Array(8));
const scanAt = (time: string, description = 'Departed'): Scan => ({
  ...{ time, timeRaw: '', zoneSource: 'default', location: 'Lyon', description, status: 'in_transit' },
});

function lag(scans: Scan[], more: object = {}): number | null {
  const tracking = { id: ID, trackingNumber: 'X1', carrier: 'ups', seq: 1, scans, ...more };
  const state = { status: '查询中' as const, subStatus: 'in_transit' as const };
  return scanLagSeconds(trackingBody('tracking_update', NEWS, { ...tracking, ...state }), ID);
}

test('the time from the newest scan to its event, whatever the history before it and the texts in it', () => {
  const forged = scanAt('2026-03-01T12:00:00Z', '[{"time":"2020-01-01T00:00:00Z"}],"events":["reason":"x"');
  expect(lag([scanAt('2026-02-20T08:00:00Z'), forged])).toBe(30);
});

test('a scan from the future took no time', () => {
  expect(lag([scanAt('2026-03-01T12:05:00Z')])).toBe(0);
});

test('the history that a parcel had when it was registered is not late', () => {
  expect(lag([scanAt('2026-03-01T09:59:59Z')])).toBeNull();
});

test('what no scan has caused has no lag: a conclusion, an event without a history, a ping', () => {
  const scans = [scanAt('2026-03-01T12:00:00Z')];
  expect(lag(scans, { annotations: { reason: 'presumed' } })).toBeNull();
  expect(lag([])).toBeNull();
  expect(scanLagSeconds(pingBody(NEWS, 'w1'), ID)).toBeNull();
});
