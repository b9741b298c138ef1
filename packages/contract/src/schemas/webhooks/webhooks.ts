import { EVENT_KINDS } from '@pts/core/tracking/emit';
import { LOG_PAGE, MAX_PENDING, MAX_WEBHOOKS } from '@pts/core/webhook/limits';
import { always, eventKind, id, instant, instantOrNull } from '../../common.ts';
import { EXAMPLE_RECORD_ID, recordId } from '../../record-id.ts';

const events = {
  type: 'array',
  items: eventKind,
  description: 'The kinds of event to send.',
  examples: [['tracking_update', 'tracking_delivered']],
} as const;
const url = {
  type: 'string',
  description:
    'The URL that receives the pushes: absolute, https, on a public host, at most 2,048 characters, without credentials.',
  examples: ['https://shop.example.cn/hooks/parcels'],
} as const;
const webhookId = { ...id, description: 'The id of the webhook.' } as const;

const supersede = {
  type: 'boolean',
  description:
    'If true, only the newest undelivered `tracking_update` of each parcel stays pending while deliveries fail. `tracking_delivered` and `tracking_exception` are never dropped.',
} as const;

/** POST /webhooks. The URL policy validates the URL, not a pattern. */
export const registerRequest = {
  title: 'NewWebhook',
  type: 'object',
  required: ['url', 'events'],
  properties: { url, events: { ...events, minItems: 1 }, supersede },
} as const;

export const registerResponse = {
  title: 'RegisteredWebhook',
  type: 'object',
  description: 'A webhook and its secret, which is shown only here.',
  required: ['id', 'url', 'events', 'enabled', 'secret', 'created_at', 'signature_header'],
  properties: {
    id: webhookId,
    url,
    events,
    enabled: { ...always, description: 'Always true: a new webhook is enabled.' },
    secret: {
      type: 'string',
      pattern: '^whsec_',
      description: 'Signs every push. Store it: it is not shown again.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5V3o0nU1f3A='],
    },
    created_at: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
      description: 'When it was registered: ISO 8601 in UTC without a zone suffix, so not an RFC 3339 `date-time`.',
      examples: ['2025-11-20T12:30:04'],
    },
    signature_header: { type: 'string', description: 'A description of the signature header.' },
  },
} as const;

/** POST /webhooks/{id}/rotate-secret: the webhook may be disabled. */
export const rotatedResponse = {
  ...registerResponse,
  title: 'RotatedWebhook',
  properties: {
    ...registerResponse.properties,
    enabled: { type: 'boolean', description: 'Whether the webhook receives pushes.' },
  },
} as const;

export const testRequest = {
  title: 'WebhookToTest',
  type: 'object',
  properties: { id: { ...id, description: 'The id of the webhook; the newest if omitted.' } },
} as const;

export const testResponse = {
  title: 'WebhookTest',
  type: 'object',
  required: ['reachable', 'http_status', 'response_ms'],
  properties: {
    reachable: { type: 'boolean', description: 'Whether the receiver responded.' },
    http_status: { type: 'integer', description: 'The HTTP status of the response; 0 if there was none.' },
    response_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
    error: { type: 'string', description: 'Why the ping was not accepted; absent if it was.' },
  },
} as const;

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

/** Which attempts: of the delivery log and of bulk redeliveries. */
export const deliveryFilters = {
  webhook_id: { type: 'string', description: 'Only attempts to this webhook.' },
  event: { type: 'string', enum: [...EVENT_KINDS, 'ping'], description: 'Only events of this kind.' },
  message_id: { type: 'string', description: 'Only attempts of this message, by its `X-Webhook-Id`; never pings.' },
  failed: { type: 'string', enum: ['true', 'false'], description: '`true`: only failed attempts.' },
  status_code: {
    type: 'string',
    pattern: '^(0|[1-5][0-9]{2})$',
    description: 'Only attempts with this HTTP status; `0`: there was no response.',
    examples: ['503'],
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
      maxItems: LOG_PAGE,
      items: deliveryRecord,
      description: 'The delivery records, newest first.',
    },
    next_before: {
      type: ['string', 'null'],
      description: 'The value for `before` on the next page; null on the last page.',
    },
  },
} as const;

/** A webhook: everything but its secret. */
export const webhook = {
  title: 'Webhook',
  type: 'object',
  description: 'A webhook, without its secret.',
  required: [
    ...['id', 'url', 'events', 'enabled', 'status', 'supersede', 'pending', 'failing_since', 'retry_after'],
    ...['disabled_reason', 'disabled_at', 'previous_secret_until', 'created_at'],
  ],
  properties: {
    id: webhookId,
    url,
    events,
    enabled: { type: 'boolean', description: 'Whether the webhook receives pushes.' },
    status: {
      type: 'string',
      enum: ['healthy', 'failing', 'disabled'],
      description: '`failing`: the last delivery failed, and none has succeeded since.',
    },
    supersede,
    pending: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_PENDING,
      description: `The number of pending deliveries; ${MAX_PENDING} means that many or more.`,
    },
    failing_since: { ...instantOrNull, description: 'The time of the first failure since the last success.' },
    retry_after: {
      ...instantOrNull,
      description: 'No deliveries before this time, as the receiver requested (`Retry-After`).',
    },
    disabled_reason: {
      type: ['string', 'null'],
      description: 'Why the service disabled it; null if it did not.',
    },
    disabled_at: { ...instantOrNull, description: 'When it was disabled.' },
    previous_secret_until: {
      ...instantOrNull,
      description: 'Until when the previous secret also signs; null if it does not.',
    },
    created_at: registerResponse.properties.created_at,
  },
} as const;

export const webhooksResponse = {
  title: 'WebhookList',
  type: 'object',
  required: ['count', 'webhooks'],
  properties: {
    count: { type: 'integer', description: `The number of webhooks; at most ${MAX_WEBHOOKS}.` },
    webhooks: { type: 'array', items: webhook, description: 'Your webhooks.' },
  },
} as const;

export const webhookById = { type: 'object', required: ['id'], properties: { id: webhookId } } as const;

export const patchRequest = {
  title: 'WebhookChange',
  type: 'object',
  required: ['id'],
  properties: {
    id: webhookId,
    events: { ...events, minItems: 1 },
    url: { ...url, description: 'A new URL, validated as at registration. Secret and deliveries are kept.' },
    enabled: { type: 'boolean', description: 'False stops all pushes. True resumes them.' },
    supersede,
  },
} as const;

export const deletedResponse = {
  title: 'DeletedWebhook',
  type: 'object',
  required: ['id'],
  properties: { id: webhookId },
} as const;
