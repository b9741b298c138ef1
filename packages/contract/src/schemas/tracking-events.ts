import { MAX_TRACKING_EVENTS } from '@pts/core/webhook/endpoint';
import { eventKind, id, instant, status, subStatus } from '../common.ts';
import { deliveryStanding } from './webhooks/webhook-deliveries.ts';

const lastAttempt = {
  title: 'LastAttempt',
  type: 'object',
  required: ['id', 'ts', 'status_code', 'error', 'duration_ms'],
  properties: {
    id: { type: 'string', description: 'The id of the delivery record.' },
    ts: { ...instant, description: 'When it was sent.' },
    status_code: { type: 'integer', description: 'The HTTP status of the response; 0 if there was none.' },
    error: { type: ['string', 'null'], description: 'Why it failed; null if it was delivered.' },
    duration_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
  },
} as const;

const push = {
  title: 'EventPush',
  type: 'object',
  description: 'The push of the event to one webhook.',
  required: ['webhook_id', ...deliveryStanding.required, 'last_attempt'],
  properties: {
    webhook_id: { ...id, description: 'The id of the webhook, which may have been deleted.' },
    ...deliveryStanding.properties,
    last_attempt: { anyOf: [lastAttempt, { type: 'null' }], description: 'Null before the first attempt.' },
  },
} as const;

/** GET /trackings/{id}/events. */
export const trackingEventsResponse = {
  title: 'TrackingEvents',
  type: 'object',
  required: ['events'],
  properties: {
    events: {
      type: 'array',
      description: `Newest first, at most ${MAX_TRACKING_EVENTS}.`,
      items: {
        title: 'EmittedTrackingEvent',
        type: 'object',
        required: ['id', 'event', 'seq', 'created_at', 'status', 'sub_status', 'pushes'],
        properties: {
          id: { ...id, description: 'Its `X-Webhook-Id`.' },
          event: eventKind,
          seq: { type: ['integer', 'null'], description: 'Its number among the events of the tracking, from 1.' },
          created_at: { ...instant, description: 'When it occurred.' },
          status,
          sub_status: subStatus,
          pushes: { type: 'array', items: push, description: 'One for each webhook that subscribed to it.' },
        },
      },
    },
  },
} as const;
