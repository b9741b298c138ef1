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
      description: 'The four pings, in the order sent.',
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
          expected: { type: 'string', enum: ['2xx', '400', '401'], description: 'What a right receiver answers.' },
          http_status: { type: 'integer', description: 'What it answered; 0: no answer, or not sent.' },
          response_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
          passed: { type: 'boolean', description: 'Whether that is as expected.' },
          advice: { type: ['string', 'null'], description: 'What to mend; null where it passed.' },
        },
      },
    },
  },
} as const;
