import { webhookById } from './webhooks.ts';

/** POST /webhooks/{id}/check. */
export const checkWebhookRequest = webhookById;

export const checkWebhookResponse = {
  type: 'object',
  required: ['passed', 'checks'],
  properties: {
    /** Whether all four passed. */
    passed: { type: 'boolean' },
    checks: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'expected', 'http_status', 'response_ms', 'passed', 'advice'],
        properties: {
          name: { type: 'string', enum: ['valid', 'stale', 'tampered', 'duplicate'] },
          expected: { type: 'string', enum: ['2xx', '400', '401'] },
          /** 0: no answer, or not sent. */
          http_status: { type: 'integer' },
          response_ms: { type: 'integer' },
          passed: { type: 'boolean' },
          advice: { type: ['string', 'null'] },
        },
      },
    },
  },
} as const;
