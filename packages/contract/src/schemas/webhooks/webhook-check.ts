import { webhookById } from './webhooks.ts';

/** POST /webhooks/{id}/check. */
export const checkWebhookRequest = webhookById;

export const checkWebhookResponse = {
  title: 'WebhookCheck',
  type: 'object',
  required: ['passed', 'checks'],
  properties: {
    passed: { type: 'boolean', description: 'Whether all four passed.' },
    checks: {
      type: 'array',
      description: 'The results of the four pings, in the order sent.',
      items: {
        title: 'WebhookCheckStep',
        type: 'object',
        required: ['name', 'expected', 'http_status', 'response_ms', 'passed', 'advice'],
        properties: {
          name: {
            type: 'string',
            enum: ['valid', 'stale', 'tampered', 'duplicate'],
            description: 'What was sent.',
          },
          expected: { type: 'string', enum: ['2xx', '400', '401'], description: 'The expected status.' },
          http_status: {
            type: 'integer',
            description: 'The HTTP status of the response; 0 if there was none or the ping was not sent.',
          },
          response_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
          passed: { type: 'boolean', description: 'Whether the response was as expected.' },
          advice: { type: ['string', 'null'], description: 'What to fix; null if the check passed.' },
        },
      },
    },
  },
} as const;
