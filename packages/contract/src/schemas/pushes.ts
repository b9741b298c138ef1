import { EVENT_KINDS, type EventKind } from '@pts/core/tracking/status';
import {
  always,
  carrierCode,
  id,
  instant,
  pieces,
  reason,
  status,
  subStatus,
  trackingEvent,
  trackingNumber,
} from '../common.ts';
import { estimatedDelivery } from './estimated-delivery.ts';
import { trackingPageUrl } from './pages/settings.ts';

/** The parcel of a push, as it stood right after the change (spec section 6.2). */
export const pushedTracking = {
  title: 'PushedTracking',
  type: 'object',
  description: 'The parcel as it stood right after the change.',
  required: ['id', 'tracking_number', 'carrier', 'status', 'seq', 'events'],
  properties: {
    id,
    tracking_number: trackingNumber,
    carrier: carrierCode,
    status,
    sub_status: subStatus,
    seq: {
      type: 'integer',
      description:
        "The sequence number of the event within this parcel, from 1. After a failover or restore of the service's database it continues from a much higher number. Of two pushes, the one with the larger number is newer.",
      examples: [7],
    },
    reason,
    pieces,
    estimated_delivery: estimatedDelivery,
    tracking_page_url: trackingPageUrl,
    events: { type: 'array', items: trackingEvent, description: 'The whole history, not only the new events.' },
  },
} as const;

const createdAt = { ...instant, description: 'When the event occurred; the same on every attempt.' } as const;

/** Of pushes of a test account. */
export const testMark = {
  ...always,
  description: 'Always true, with test keys. Absent for live ones.',
} as const;

const PUSH_TITLES: Readonly<Record<EventKind, string>> = {
  tracking_update: 'TrackingUpdatePush',
  tracking_delivered: 'TrackingDeliveredPush',
  tracking_exception: 'TrackingExceptionPush',
};

/** The body of a push of one kind. */
export function trackingPush<const K extends EventKind>(event: K) {
  return {
    title: PUSH_TITLES[event],
    type: 'object',
    required: ['event', 'created_at', 'data'],
    properties: {
      event: { type: 'string', enum: [event], description: 'The kind of event, as in `X-Webhook-Event`.' },
      created_at: createdAt,
      test: testMark,
      data: pushedTracking,
    },
  } as const;
}

/** The body of a ping. */
export const pingPush = {
  title: 'PingPush',
  type: 'object',
  required: ['event', 'created_at', 'data'],
  properties: {
    event: { type: 'string', enum: ['ping'], description: 'The kind of event, as in `X-Webhook-Event`.' },
    created_at: createdAt,
    test: testMark,
    data: {
      title: 'PingData',
      type: 'object',
      required: ['webhook_id'],
      properties: { webhook_id: { ...id, description: 'The webhook that is tested.' } },
      description: 'The webhook under test; no parcel.',
    },
  },
} as const;

/** The body of any push. */
export const anyPush = {
  title: 'Push',
  description: 'A push of any kind; `event` says which.',
  oneOf: [...EVENT_KINDS.map((kind) => trackingPush(kind)), pingPush],
} as const;
