import { EVENT_KINDS } from '@pts/core/tracking/emit';
import { LOG_PAGE, MAX_WEBHOOKS, MOST_PENDING } from '@pts/core/webhook/limits';
import { always, eventKind, id, instant, instantOrNull } from './common.ts';

const events = {
  type: 'array',
  items: eventKind,
  description: 'The kinds of event that are sent to it.',
  examples: [['tracking_update', 'tracking_delivered']],
} as const;
const url = {
  type: 'string',
  description:
    'Where pushes go: an absolute https URL on a public host, at most 2,048 characters, without credentials.',
  examples: ['https://shop.example.cn/hooks/parcels'],
} as const;
const webhookId = { ...id, description: 'The id of the webhook.' } as const;

const supersede = {
  type: 'boolean',
  description:
    'Whether, while its deliveries fail, only the newest undelivered `tracking_update` of each parcel stays owed. `tracking_delivered` and `tracking_exception` are never dropped.',
} as const;

/** POST /webhooks. What is wrong with the address is told by the URL policy, not by a pattern. */
export const registerRequest = {
  title: 'NewWebhook',
  type: 'object',
  required: ['url', 'events'],
  properties: { url, events: { ...events, minItems: 1 }, supersede },
} as const;

export const registerResponse = {
  title: 'RegisteredWebhook',
  type: 'object',
  description: 'A webhook and, this once, its secret.',
  required: ['id', 'url', 'events', 'enabled', 'secret', 'created_at', 'signature_header'],
  properties: {
    id: webhookId,
    url,
    events,
    enabled: { ...always, description: 'True: it is enabled from the start.' },
    secret: {
      type: 'string',
      pattern: '^whsec_',
      description: 'Signs every push. Keep it: it is never shown again.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5V3o0nU1f3A='],
    },
    created_at: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
      description:
        'When it was registered: ISO 8601 in UTC, but without a zone suffix, so it is no RFC 3339 `date-time`.',
      examples: ['2025-11-20T12:30:04'],
    },
    signature_header: { type: 'string', description: 'How the signature header is made, in words.' },
  },
} as const;

/** POST /webhooks/{id}/rotate-secret: the webhook may be disabled. */
export const rotatedResponse = {
  ...registerResponse,
  title: 'RotatedWebhook',
  properties: { ...registerResponse.properties, enabled: { type: 'boolean', description: 'Whether pushes go there.' } },
} as const;

export const testRequest = {
  title: 'WebhookToTest',
  type: 'object',
  properties: { id: { ...id, description: 'Which webhook; left out, the newest.' } },
} as const;

export const testResponse = {
  title: 'WebhookTest',
  type: 'object',
  required: ['reachable', 'http_status', 'response_ms'],
  properties: {
    reachable: { type: 'boolean', description: 'Whether it answered at all.' },
    http_status: { type: 'integer', description: 'What it answered; 0: nothing.' },
    response_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
    error: { type: 'string', description: 'Why the ping was not taken; absent where it was.' },
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
    status_code: { type: 'integer', description: 'What the receiver answered; 0: nothing.', examples: [200] },
    attempt: { type: 'integer', description: '1 = first.', examples: [1] },
    error: { type: ['string', 'null'], description: 'Why it failed; null when it was delivered.' },
    id: { type: 'string', description: 'The id of this record.' },
    message_id: { type: 'string', description: 'Its `X-Webhook-Id`: the same on every attempt.' },
    webhook_id: { type: 'string', description: 'Which webhook.' },
    duration_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
    next_attempt_at: { ...instantOrNull, description: 'When it is tried again; null: it is not.' },
    response_excerpt: { type: ['string', 'null'], description: "The first 1 KiB of the receiver's answer." },
    round: { type: 'integer', description: '0 = the event itself; each time it is sent again has the next number.' },
  },
} as const;

/** GET /webhooks/deliveries: which of them. */
export const deliveriesQuery = {
  type: 'object',
  properties: {
    webhook_id: { type: 'string', description: 'Only attempts to this webhook.' },
    event: { type: 'string', enum: [...EVENT_KINDS, 'ping'], description: 'Only events of this kind.' },
    message_id: { type: 'string', description: 'Only attempts of this message, an `X-Webhook-Id`; not of pings.' },
    failed: { type: 'string', enum: ['true', 'false'], description: 'true: only attempts that failed.' },
    before: { type: 'string', pattern: '^[0-9]{1,18}$', description: 'A `next_before`: the page after that one.' },
  },
} as const;

/** The delivery log. */
export const deliveriesResponse = {
  title: 'DeliveryLog',
  type: 'object',
  required: ['count', 'items', 'next_before'],
  properties: {
    count: { type: 'integer', description: 'How many there are.' },
    items: {
      type: 'array',
      maxItems: LOG_PAGE,
      items: deliveryRecord,
      description: 'The most recent ones, newest first.',
    },
    next_before: { type: ['string', 'null'], description: '`before` of the next page; null: this is the last.' },
  },
} as const;

/** A webhook as it is managed: everything but its secret. */
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
    enabled: { type: 'boolean', description: 'Whether pushes go there.' },
    status: {
      type: 'string',
      enum: ['healthy', 'failing', 'disabled'],
      description: '`failing`: its last delivery has failed, and none has succeeded since.',
    },
    supersede,
    pending: {
      type: 'integer',
      minimum: 0,
      maximum: MOST_PENDING,
      description: `Deliveries that are owed to it; ${MOST_PENDING} stands for that many or more.`,
    },
    failing_since: { ...instantOrNull, description: 'Its first failure since its last success.' },
    retry_after: { ...instantOrNull, description: 'Until when it asked to be left alone (`Retry-After`).' },
    disabled_reason: {
      type: ['string', 'null'],
      description: 'Why the service disabled it; null while it did not.',
    },
    disabled_at: { ...instantOrNull, description: 'Since when it has been disabled.' },
    previous_secret_until: {
      ...instantOrNull,
      description: 'Until when the secret before the last rotation signs, too; null: it does not.',
    },
    created_at: registerResponse.properties.created_at,
  },
} as const;

export const webhooksResponse = {
  title: 'WebhookList',
  type: 'object',
  required: ['count', 'webhooks'],
  properties: {
    count: { type: 'integer', description: `How many there are; at most ${MAX_WEBHOOKS}.` },
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
    url: { ...url, description: 'Another address, judged as at registration. Secret and deliveries stay.' },
    enabled: { type: 'boolean', description: 'False: nothing more is sent there. True: pushes go on.' },
    supersede,
  },
} as const;

export const deletedResponse = {
  title: 'DeletedWebhook',
  type: 'object',
  required: ['id'],
  properties: { id: webhookId },
} as const;
