import { ENDPOINT_HOURS, MAX_PENDING, MAX_WEBHOOKS, RECENT_ATTEMPTS } from '@pts/core/webhook/endpoint';
import { always, eventKind, id, instant, instantOrNull } from '../../common.ts';

const events = {
  type: 'array',
  items: eventKind,
  description: 'The kinds of event to send.',
  examples: [['tracking_update', 'tracking_delivered']],
} as const;
const url = {
  type: 'string',
  description:
    'The URL that receives the pushes: absolute, https, on a public host, at most 2,048 characters, without credentials and fragment (`#…`).',
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

/** A webhook: everything but its secret. */
export const webhook = {
  title: 'Webhook',
  type: 'object',
  description: 'A webhook, without its secret.',
  required: [
    ...['id', 'url', 'events', 'enabled', 'status', 'supersede', 'in_progress', 'pending', 'next_attempt_at', 'recent'],
    'hours',
    ...['failing_since', 'retry_after', 'disabled_reason', 'disabled_at', 'previous_secret_until', 'created_at'],
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
    in_progress: {
      type: 'array',
      items: { type: 'string', enum: ['moving_checks', 'dropping_pending'] },
      description:
        'What goes on in the background since the webhook was enabled or disabled; usually nothing. `moving_checks`: the parcels of the account are being moved to the shorter interval between checks. `dropping_pending`: the deliveries that were pending are being dropped; nothing is sent until that is done, new ones wait.',
    },
    pending: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_PENDING,
      description: `The number of pending deliveries; ${MAX_PENDING} means that many or more. 0 while \`dropping_pending\`.`,
    },
    next_attempt_at: {
      ...instantOrNull,
      description: 'When the next of them is due; in the past: now. Null if none is pending.',
    },
    recent: {
      title: 'RecentAttempts',
      type: 'object',
      description: `The newest attempts to push an event to it, at most ${RECENT_ATTEMPTS}; pings do not count.`,
      required: ['attempts', 'failed', 'median_ms', 'last_status_code'],
      properties: {
        attempts: { type: 'integer', minimum: 0, maximum: RECENT_ATTEMPTS, description: 'How many there are.' },
        failed: { type: 'integer', minimum: 0, description: 'Those that the receiver did not accept.' },
        median_ms: {
          type: ['integer', 'null'],
          description: 'Half of the accepted ones took at most this long; null if there are none.',
        },
        last_status_code: {
          type: ['integer', 'null'],
          description: 'The HTTP status of the newest one; 0 if there was no response, null if there is none.',
        },
      },
    },
    hours: {
      type: 'array',
      minItems: ENDPOINT_HOURS,
      maxItems: ENDPOINT_HOURS,
      description: `The attempts of the last ${ENDPOINT_HOURS} hours (UTC), oldest first; pings do not count. The current hour is not over.`,
      items: {
        title: 'EndpointHour',
        type: 'object',
        required: ['start', 'accepted', 'failed'],
        properties: {
          start: { ...instant, description: 'The start of the hour.' },
          accepted: { type: 'integer', minimum: 0, description: 'Attempts that the receiver accepted.' },
          failed: { type: 'integer', minimum: 0, description: 'Attempts that failed; each is repeated on schedule.' },
        },
      },
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
