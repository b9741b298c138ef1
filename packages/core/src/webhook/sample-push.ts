import { toUtcSeconds } from '../time.ts';
import type { EventKind } from '../tracking/emit.ts';
import type { ScanStatus, Status } from '../tracking/status.ts';
import { trackingBody } from './payload.ts';

/** A number that no carrier has. */
const NUMBER = 'TEST0000000000';

const SAMPLES = {
  tracking_update: { status: '查询中', scan: 'in_transit', description: 'Sample: on its way' },
  tracking_delivered: { status: '已签收', scan: 'delivered', description: 'Sample: delivered' },
  tracking_exception: { status: '异常', scan: 'exception', description: 'Sample: held up' },
} as const satisfies Record<EventKind, { status: Status; scan: ScanStatus; description: string }>;

/** The body of an event of a parcel that does not exist. It is marked as a test, as those of test accounts are. */
export function sampleBody(event: EventKind, at: Date): string {
  const { status, scan, description } = SAMPLES[event];
  const time = toUtcSeconds(at);
  return trackingBody(event, at, {
    id: '0'.repeat(24),
    trackingNumber: NUMBER,
    carrier: 'sandbox',
    status,
    subStatus: scan,
    seq: 1,
    scans: [{ time, timeRaw: time, zoneSource: 'carrier', location: '', description, status: scan }],
    isTest: true,
  });
}
