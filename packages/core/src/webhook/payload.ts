import type { DeliveryEstimate } from '../estimates/estimate.ts';
import { toUtcSeconds } from '../time.ts';
import type { Annotations, Reason } from '../tracking/change.ts';
import type { Pieces } from '../tracking/derive.ts';
import type { EventKind } from '../tracking/emit.ts';
import { type Scan, type TrackingEvent, toTrackingEvent } from '../tracking/scan.ts';
import type { Status, SubStatus } from '../tracking/status.ts';
import { messageId } from './message-id.ts';

export type PushedTracking = {
  id: string;
  trackingNumber: string;
  carrier: string;
  status: Status;
  subStatus: SubStatus;
  /** The sequence number of this event within its tracking. */
  seq: number;
  scans: readonly Scan[];
  annotations?: Annotations | undefined;
  /** The address of the buyer's page; absent without one. */
  pageUrl?: string;
  /** Of a test account. */
  isTest?: true;
};

/** A tracking event as it is pushed, parsed (spec section 6.2). */
export type TrackingPush = {
  event: EventKind;
  created_at: string;
  test?: true;
  data: {
    id: string;
    tracking_number: string;
    carrier: string;
    status: Status;
    sub_status: SubStatus;
    seq: number;
    reason?: Reason;
    pieces?: Pieces;
    estimated_delivery?: DeliveryEstimate;
    tracking_page_url?: string;
    events: TrackingEvent[];
  };
};

/** The exact body of a tracking event (spec section 6.2), a snapshot of the parcel at the moment of the change, and its id. */
export function trackingMessage(
  event: EventKind,
  createdAt: Date,
  tracking: PushedTracking,
): { id: string; body: string } {
  const data = JSON.stringify(pushedData(tracking));
  const head = JSON.stringify({
    event,
    created_at: toUtcSeconds(createdAt),
    ...(tracking.isTest && { test: true }),
  }).slice(0, -1);
  return { id: messageId(event, createdAt, data), body: `${head},"data":${data}}` };
}

/** The exact body of a tracking event. */
export function trackingBody(event: EventKind, createdAt: Date, tracking: PushedTracking): string {
  return trackingMessage(event, createdAt, tracking).body;
}

function pushedData(tracking: PushedTracking): TrackingPush['data'] {
  const { reason, pieces, estimate } = tracking.annotations ?? {};
  return {
    id: tracking.id,
    tracking_number: tracking.trackingNumber,
    carrier: tracking.carrier,
    status: tracking.status,
    sub_status: tracking.subStatus,
    seq: tracking.seq,
    ...(reason === undefined ? {} : { reason }),
    ...(pieces === undefined ? {} : { pieces }),
    ...(estimate === undefined ? {} : { estimated_delivery: estimate }),
    ...(tracking.pageUrl === undefined ? {} : { tracking_page_url: tracking.pageUrl }),
    events: tracking.scans.map(toTrackingEvent),
  };
}

/** Parses the output of `trackingBody`. */
export function readTrackingBody(body: string): TrackingPush {
  return JSON.parse(body);
}

/** The exact body of a ping; its `data` names the endpoint that is tested. */
export function pingBody(createdAt: Date, webhookId: string, { isTest = false }: { isTest?: boolean } = {}): string {
  const test = isTest ? { test: true } : {};
  return JSON.stringify({
    event: 'ping',
    created_at: toUtcSeconds(createdAt),
    ...test,
    data: { webhook_id: webhookId },
  });
}
