import { toUtcSeconds } from '../time.ts';
import type { Annotations } from '../tracking/change.ts';
import type { EventKind } from '../tracking/emit.ts';
import { type Scan, toTrackingEvent } from '../tracking/scan.ts';
import type { Status, SubStatus } from '../tracking/status.ts';

export type PushedTracking = {
  id: string;
  trackingNumber: string;
  carrier: string;
  status: Status;
  subStatus: SubStatus;
  /** The number of this event among all of its tracking. */
  seq: number;
  scans: readonly Scan[];
  annotations?: Annotations;
};

/** The exact body of a tracking event (spec section 6.2): a snapshot of the parcel at the moment of the change. */
export function trackingBody(event: EventKind, createdAt: Date, tracking: PushedTracking): string {
  return JSON.stringify({
    event,
    created_at: toUtcSeconds(createdAt),
    data: {
      id: tracking.id,
      tracking_number: tracking.trackingNumber,
      carrier: tracking.carrier,
      status: tracking.status,
      sub_status: tracking.subStatus,
      seq: tracking.seq,
      // Left out where there are none.
      reason: tracking.annotations?.reason,
      pieces: tracking.annotations?.pieces,
      events: tracking.scans.map(toTrackingEvent),
    },
  });
}

/** The exact body of a ping; its `data` names the endpoint that is tested. */
export function pingBody(createdAt: Date, webhookId: string): string {
  return JSON.stringify({ event: 'ping', created_at: toUtcSeconds(createdAt), data: { webhook_id: webhookId } });
}
