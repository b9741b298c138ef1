import { EVENT_KINDS } from '@pts/core/tracking/emit';
import { id, instant } from './common.ts';

const events = { type: 'array', items: { type: 'string', enum: EVENT_KINDS } } as const;

/** POST /webhooks. What is wrong with the address is told by the URL policy, not by a pattern. */
export const registerRequest = {
  type: 'object',
  required: ['url', 'events'],
  properties: { url: { type: 'string' }, events: { ...events, minItems: 1 } },
} as const;

export const registerResponse = {
  type: 'object',
  required: ['id', 'url', 'events', 'enabled', 'secret', 'created_at', 'signature_header'],
  properties: {
    id,
    url: { type: 'string' },
    events,
    enabled: { const: true },
    secret: { type: 'string', pattern: '^whsec_' },
    created_at: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$' },
    signature_header: { type: 'string' },
  },
} as const;

export const testRequest = { type: 'object', properties: { id: { type: 'string' } } } as const;

export const testResponse = {
  type: 'object',
  required: ['reachable', 'http_status', 'response_ms'],
  properties: {
    reachable: { type: 'boolean' },
    http_status: { type: 'integer' },
    response_ms: { type: 'integer' },
    error: { type: 'string' },
  },
} as const;

/** The delivery log (spec section 2.5), the spec's fields first. */
export const deliveriesResponse = {
  type: 'object',
  required: ['count', 'items'],
  properties: {
    count: { type: 'integer' },
    items: {
      type: 'array',
      maxItems: 50,
      items: {
        type: 'object',
        required: [
          'ts',
          'event',
          'status_code',
          'attempt',
          'error',
          'id',
          'message_id',
          'webhook_id',
          'duration_ms',
          'next_attempt_at',
          'response_excerpt',
        ],
        properties: {
          ts: instant,
          event: { type: 'string' },
          status_code: { type: 'integer' },
          attempt: { type: 'integer' },
          error: { type: ['string', 'null'] },
          id: { type: 'string' },
          message_id: { type: 'string' },
          webhook_id: { type: 'string' },
          duration_ms: { type: 'integer' },
          next_attempt_at: { anyOf: [instant, { type: 'null' }] },
          response_excerpt: { type: ['string', 'null'] },
        },
      },
    },
  },
} as const;

/** A webhook as it is managed: everything but its secret. */
export const webhook = {
  type: 'object',
  required: ['id', 'url', 'events', 'enabled', 'disabled_reason', 'created_at'],
  properties: {
    id,
    url: { type: 'string' },
    events,
    enabled: { type: 'boolean' },
    /** Why the service disabled it; null while it did not. */
    disabled_reason: { type: ['string', 'null'] },
    created_at: registerResponse.properties.created_at,
  },
} as const;

export const webhooksResponse = {
  type: 'object',
  required: ['count', 'webhooks'],
  properties: { count: { type: 'integer' }, webhooks: { type: 'array', items: webhook } },
} as const;

export const webhookById = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } as const;

export const patchRequest = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, events: { ...events, minItems: 1 }, enabled: { type: 'boolean' } },
} as const;

export const deletedResponse = { type: 'object', required: ['id'], properties: { id } } as const;
