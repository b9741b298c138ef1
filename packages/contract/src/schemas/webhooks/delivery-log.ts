import { EVENT_KINDS } from '@pts/core/tracking/status';
import { idOrEmpty, instant, instantOrNull, pageLimit, pageLimitAsNumber } from '../../common.ts';
import { EXAMPLE_RECORD_ID, recordId } from '../../record-id.ts';

/** A record of the delivery log (spec section 2.5), the spec's fields first. */
export const deliveryRecord = {
  title: 'DeliveryRecord',
  type: 'object',
  description: 'One attempt to push one event to one webhook.',
  required: [
    ...['ts', 'event', 'status_code', 'attempt', 'error', 'id', 'message_id', 'webhook_id', 'duration_ms'],
    ...['next_attempt_at', 'response_excerpt', 'round'],
  ],
  properties: {
    ts: { ...instant, description: 'When it was sent.' },
    event: { type: 'string', description: 'The kind of event.', examples: ['tracking_update'] },
    status_code: {
      type: 'integer',
      description: 'The HTTP status of the response; 0 if there was none.',
      examples: [200],
    },
    attempt: { type: 'integer', description: 'The attempt number, from 1.', examples: [1] },
    error: { type: ['string', 'null'], description: 'Why it failed; null if it was delivered.' },
    id: { type: 'string', description: 'The id of this record.', examples: [EXAMPLE_RECORD_ID] },
    message_id: { type: 'string', description: 'Its `X-Webhook-Id`: the same on every attempt.' },
    webhook_id: { type: 'string', description: 'The id of the webhook.' },
    duration_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
    next_attempt_at: { ...instantOrNull, description: 'When the next attempt is due; null if there is none.' },
    response_excerpt: { type: ['string', 'null'], description: "The first 1 KiB of the receiver's response." },
    round: { type: 'integer', description: '0 = the original delivery; each redelivery has the next number.' },
  },
} as const;

/** A filter by status. */
export const statusCode = {
  type: 'string',
  pattern: '^(0|[1-9][0-9]{2})$',
  description: 'Only attempts with this HTTP status; `0`: there was no response.',
  examples: ['503'],
} as const;

/** Which attempts: of the delivery log and of bulk redeliveries. */
export const deliveryFilters = {
  webhook_id: { ...idOrEmpty, description: 'Only attempts to this webhook.' },
  event: { type: 'string', enum: [...EVENT_KINDS, 'ping'], description: 'Only events of this kind.' },
  message_id: { ...idOrEmpty, description: 'Only attempts of this message, by its `X-Webhook-Id`; never pings.' },
  tracking_id: { ...idOrEmpty, description: "Only attempts for this parcel's events." },
  failed: {
    type: 'string',
    enum: ['true', 'false'],
    description: '`true`: only failed attempts; `false`: only those that succeeded.',
  },
  status_code: statusCode,
  outcome: {
    type: 'string',
    enum: ['delivered', 'failed', 'exhausted'],
    description: '`exhausted`: it failed, and no further attempt follows.',
  },
} as const;

const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;
/** When attempts began. */
export const attemptRange = {
  since: {
    ...time,
    description: 'Only attempts at this time or later. RFC 3339, any time zone.',
    examples: ['2026-03-01T16:00:00Z'],
  },
  until: { ...time, description: 'Only attempts before this time.', examples: ['2026-03-02T04:00:00Z'] },
} as const;

/** GET /webhooks/deliveries: the filters. */
export const deliveriesQuery = {
  type: 'object',
  properties: {
    ...deliveryFilters,
    ...attemptRange,
    limit: pageLimit,
    before: { ...recordId, description: 'The `next_before` of the previous page.' },
  },
} as const;

/** The delivery log. */
export const deliveriesResponse = {
  title: 'DeliveryLog',
  type: 'object',
  required: ['count', 'items', 'next_before'],
  properties: {
    count: { type: 'integer', description: 'The number of entries.' },
    items: {
      type: 'array',
      maxItems: pageLimitAsNumber.maximum,
      items: deliveryRecord,
      description: 'The delivery records, newest first.',
    },
    next_before: {
      type: ['string', 'null'],
      description:
        'The value for `before` on the next page; null on the last page. A page with fewer entries than `limit`, even none, need not be the last.',
    },
  },
} as const;
