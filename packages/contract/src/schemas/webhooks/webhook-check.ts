import { EVENT_KINDS } from '@pts/core/tracking/status';
import { always, id } from '../../common.ts';
import { webhookById } from './webhooks.ts';

const checkName = { type: 'string', enum: ['valid', 'stale', 'tampered', 'duplicate'] } as const;

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
          name: { ...checkName, description: 'What was sent.' },
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

/** POST /webhooks/test. */
export const testRequest = {
  title: 'WebhookToTest',
  type: 'object',
  properties: {
    id: { ...id, description: 'The id of the webhook; the newest if omitted.' },
    kind: {
      ...checkName,
      description:
        'A valid push, one that was signed 7 minutes ago, one whose body was changed after it was signed, or a valid one twice under the same `X-Webhook-Id`. A valid one if only `event` is given.',
    },
    event: {
      type: 'string',
      enum: [...EVENT_KINDS, 'ping'],
      description:
        'What is sent: a sample of an event, of a parcel that does not exist, with `"test": true`; or a ping.',
    },
    dry_run: { type: 'boolean', description: 'Only show what would be sent: nothing is sent or recorded.' },
  },
} as const;

const testPush = {
  kind: { ...checkName, description: 'Right, or what is wrong with it.' },
  event: { type: 'string', description: 'The kind of event.' },
  message_id: { type: 'string', description: 'Its `X-Webhook-Id`.' },
  body: { type: 'string', description: 'The raw body.' },
  expected: { type: 'string', enum: ['2xx', '400', '401'], description: 'The status that a correct receiver answers.' },
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
    push: {
      title: 'TestPush',
      type: 'object',
      description:
        'What was sent, and whether the response is that of a correct receiver. Only with `kind` or `event`.',
      required: ['kind', 'event', 'message_id', 'body', 'expected', 'passed', 'response_excerpt'],
      properties: {
        ...testPush,
        passed: { type: 'boolean', description: 'Whether the response was as expected.' },
        response_excerpt: { type: ['string', 'null'], description: "The first 1 KiB of the receiver's response." },
      },
    },
  },
} as const;

export const dryRunTest = {
  title: 'DryRunTest',
  type: 'object',
  required: ['dry_run', 'push'],
  properties: {
    dry_run: { ...always, description: 'Always true: nothing is sent.' },
    push: {
      title: 'TestPushPreview',
      type: 'object',
      description: 'What would be sent now. When it is sent, its id, times and signatures are new.',
      required: ['kind', 'event', 'message_id', 'body', 'expected', 'url', 'headers', 'signed_string'],
      properties: {
        ...testPush,
        url: { type: 'string', description: 'Where it goes.' },
        headers: {
          title: 'TestPushHeaders',
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'All headers.',
        },
        signed_string: {
          type: 'string',
          description:
            'The signed string: timestamp, period, raw body; of a tampered push, the body before the change.',
        },
      },
    },
  },
} as const;

/** POST /webhooks/test. */
export const testAnswer = { title: 'WebhookTestOutcome', anyOf: [testResponse, dryRunTest] } as const;
