import { message } from '@pts/core/languages/message';
import { OPTIONAL_FIELD_SCHEMAS, TRACKING_FIELD_SCHEMAS } from '@pts/core/tracking/fields';
import type { Scan } from '@pts/core/tracking/scan';
import {
  EVENT_KINDS,
  EVENTS,
  type EventKind,
  TRACKING_EVENT_KINDS,
  type TrackingEventKind,
} from '@pts/core/tracking/status';
import { accountNoticeMessage, pingBody, pushHeaders, trackingBody } from '@pts/core/webhook/push';
import {
  always,
  carrierCode,
  id,
  instant,
  pieces,
  reason,
  status,
  subStatus,
  trackingEvent,
  trackingNumber,
} from './common.ts';
import { notice } from './notices.ts';
import { pascalCase, type References } from './openapi/components.ts';
import { object, optional } from './schema.ts';
import { pushedAttention } from './shipments.ts';
import { estimatedDelivery, trackingPageUrl } from './trackings.ts';
import { registerResponse } from './webhooks.ts';

/** The parcel of a push, as it stood right after the change (spec section 6.2). */
export const pushedTracking = {
  title: 'PushedTracking',
  type: 'object',
  description: 'The parcel right after the change.',
  required: ['id', 'tracking_number', 'carrier', 'status', 'seq', 'events'],
  properties: {
    id,
    tracking_number: trackingNumber,
    carrier: carrierCode,
    status,
    sub_status: subStatus,
    seq: {
      type: 'integer',
      description:
        "The sequence number of the event within this parcel, from 1. After a failover or restore of the service's database it continues from a much higher number. The push with the larger number is newer.",
      examples: [7],
    },
    reason,
    pieces,
    estimated_delivery: estimatedDelivery,
    tracking_page_url: trackingPageUrl,
    ...OPTIONAL_FIELD_SCHEMAS,
    order_id: {
      ...TRACKING_FIELD_SCHEMAS.order_id,
      description: 'Your own order number at that time. Absent if there was none.',
    },
    title: {
      ...TRACKING_FIELD_SCHEMAS.title,
      description: 'Your display name for the parcel. Absent if there was none.',
    },
    metadata: TRACKING_FIELD_SCHEMAS.metadata,
    events: { type: 'array', items: trackingEvent, description: 'The whole history, not only the new events.' },
  },
} as const;

const createdAt = { ...instant, description: 'When the event occurred; the same on every attempt.' } as const;

/** The mark of pushes of a test account. */
export const testMark = {
  ...always,
  description: 'Always true for test keys. Absent for live keys.',
} as const;

/** The parcel of a push that it needs attention. */
const troubledTracking = {
  ...pushedTracking,
  title: 'AttentionTracking',
  description: 'The parcel when it began to need attention.',
  required: [...pushedTracking.required, 'attention'],
  properties: { ...pushedTracking.properties, attention: pushedAttention },
} as const;

/** The kind of a push: one value for each, which tells them apart. */
function pushEvent<const K extends EventKind | 'ping'>(event: K) {
  return {
    title: `${pascalCase(event)}PushEvent`,
    type: 'string',
    enum: [event],
    description: 'The kind of event, as in `X-Webhook-Event`.',
  } as const;
}

/** The body of a push of one kind that is about a parcel. */
function trackingPush<const K extends TrackingEventKind>(event: K) {
  return object(
    {
      event: pushEvent(event),
      created_at: createdAt,
      test: optional(testMark),
      data: event === 'tracking_attention' ? troubledTracking : pushedTracking,
    },
    { title: `${pascalCase(event)}Push` },
  );
}

/** The body of a notice. */
const noticePush = object(
  {
    event: pushEvent('account_notice'),
    created_at: createdAt,
    test: optional(testMark),
    data: object({ notice }, { title: 'AccountNoticeData', description: 'The notice, without a parcel.' }),
  },
  { title: 'AccountNoticePush' },
);

/** The body of a ping. */
const pingPush = object(
  {
    event: pushEvent('ping'),
    created_at: createdAt,
    test: optional(testMark),
    data: object(
      { webhook_id: { ...id, description: 'The webhook that is tested.' } },
      { title: 'PingData', description: 'The webhook under test, without a parcel.' },
    ),
  },
  { title: 'PingPush' },
);

/** The body of any push. */
export const anyPush = {
  title: 'Push',
  description: 'A push of any kind, as named in `event`.',
  oneOf: [...TRACKING_EVENT_KINDS.map((kind) => trackingPush(kind)), noticePush, pingPush],
} as const;

/** The headers of a push. The type of `pushHeaders` cannot ensure that the list is complete, so a test does. */
const PUSH_HEADERS: Readonly<Record<string, string>> = {
  'User-Agent': 'Always the same.',
  'X-Webhook-Signature':
    '`t=<timestamp>,v1=<signature>`: the lowercase hexadecimal HMAC-SHA256 over the timestamp, a period and the raw body, with the whole secret as key. There is a `v1` for each secret that was replaced in the last 24 hours, newest first; accept any of them. Compare in constant time, and answer 401 if none matches.',
  'X-Webhook-Timestamp':
    'When it was sent, in Unix seconds. Respond with 400 if it differs from your clock by more than 300 seconds in either direction.',
  'X-Webhook-Event': 'The kind of event.',
  'X-Webhook-Attempt': 'The number of this attempt, from 1.',
  'X-Webhook-Id': 'The same on every attempt and in the event feed. Use it to ignore duplicates.',
  'webhook-id': 'The same for libraries of Standard Webhooks 1.0.',
  'webhook-timestamp': 'The same for libraries of Standard Webhooks 1.0.',
  'webhook-signature':
    'Standard Webhooks 1.0: `v1,` and the base64 HMAC-SHA256 over id, timestamp and body, joined by periods; the key is the decoded base64 part of the secret. After a rotation there are several, separated by spaces.',
};

const DELIVERY =
  '\n\nAnswer 2xx within 10 seconds. Anything else is tried again, 14 times in all: after 30 seconds, then after twice as long each time, up to 34 hours. Verify the signature before you believe the body, and drop ids that you have seen.';

const SENT_AT = new Date('2025-11-21T08:14:05Z');
const SECRET = registerResponse.properties.secret.examples[0];
const TRACKING_ID = '691f0a3c5d2b4e6f8a9c0d1e';

/**
 * The pushes as OpenAPI webhooks. Their examples come from the code that creates pushes, so the signatures are valid.
 */
export function webhooksSection(references: References): Record<string, object> {
  const kinds = EVENT_KINDS.map((kind) => [
    kind,
    push(
      references,
      kind === 'account_notice' ? noticePush : trackingPush(kind),
      EVENTS[kind].summary,
      EVENTS[kind].when + DELIVERY,
      bodyOf(kind),
    ),
  ]);
  const ping = push(
    references,
    pingPush,
    'A webhook is tested',
    'Sent only by `POST /webhooks/test` and `POST /webhooks/{id}/check`, and not retried. It is signed like any event, so verify it the same way.',
    pingBody(new Date('2025-11-21T08:14:04Z'), '69201f4c1b9e0c5a7d3f2e61'),
  );
  return Object.fromEntries([...kinds, ['ping', ping]]);
}

/** The pushes as callbacks of the registration, for tools that support callbacks but not webhooks. */
export function pushCallbacks(references: References): Record<string, object> {
  const post = {
    operationId: 'receiveCallback',
    summary: 'A push of any kind',
    description: 'The section Pushes describes the headers and when each kind is sent.',
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema: references.refer(anyPush) } } },
    responses: RESPONSES,
  };
  return { push: { '{$request.body#/url}': { post } } };
}

const RESPONSES = {
  '2XX': { description: 'Accepted. The response body is ignored; its first 1 KiB is in the delivery log.' },
  '400': {
    description:
      'Rejected, because the timestamp differs by more than 300 seconds. The push is retried with a new signature.',
  },
  '401': { description: 'Rejected, because no signature matches. The push is retried.' },
  '410': { description: 'Gone. The webhook is disabled, and nothing more is sent.' },
};

type PushSchema = ReturnType<typeof trackingPush> | typeof noticePush | typeof pingPush;

function push(references: References, schema: PushSchema, summary: string, description: string, body: string): object {
  const kind = schema.properties.event;
  const [event] = kind.enum;
  const sent = { messageId: '69201f4c1b9e0c5a7d3f2e62', event, attempt: 1, body, secrets: [SECRET], sentAt: SENT_AT };
  const headers = Object.entries(pushHeaders(sent)).filter(([name]) => name !== 'Content-Type');
  return {
    post: {
      // For OpenAPI Generator, which would generate incomplete client calls otherwise.
      'x-internal': true,
      operationId: `on${pascalCase(event)}`,
      tags: ['Pushes'],
      summary,
      description,
      security: [],
      parameters: headers.map(([name, value]) => ({
        name,
        in: 'header',
        required: true,
        description: PUSH_HEADERS[name] ?? '',
        schema: name === 'X-Webhook-Event' ? references.refer(kind) : { type: 'string' },
        example: value,
      })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: references.refer(schema), example: JSON.parse(body) } },
      },
      responses: RESPONSES,
    },
  };
}

const SCAN: Scan = {
  time: '2025-11-21T08:10:00Z',
  timeRaw: '2025-11-21 16:10:00',
  zoneSource: 'default',
  status: 'delivered',
  location: '杭州市',
  description: '已签收',
};

const QUIET_PUSH = trackingBody('tracking_attention', new Date('2025-11-21T08:14:04Z'), {
  id: TRACKING_ID,
  trackingNumber: 'YT8962646785999',
  carrier: 'yto',
  status: '查询中',
  subStatus: 'in_transit',
  seq: 8,
  attention: { reason: 'no_news', since: '2025-11-21T08:14:00Z', details: 'There have been no updates for 7 days.' },
  scans: [{ ...SCAN, time: '2025-11-14T08:10:00Z', timeRaw: '2025-11-14 16:10:00', status: 'in_transit' }],
});

const NOTICE_PUSH = accountNoticeMessage(
  new Date('2025-11-21T08:14:04Z'),
  {
    kind: 'webhook_disabled',
    id: '69201f4c1b9e0c5a7d3f2e63',
    subject: '69201f4c1b9e0c5a7d3f2e61',
    details: { url: 'https://old.example.com/hooks', reason: `${message('endpoint.gone')}` },
    since: new Date('2025-11-21T08:14:00Z'),
    until: null,
  },
  { language: 'en' },
).body;

function bodyOf(kind: EventKind): string {
  const isTrouble = kind === 'tracking_exception';
  if (kind === 'tracking_attention') return QUIET_PUSH;
  if (kind === 'account_notice') return NOTICE_PUSH;
  return trackingBody(kind, new Date('2025-11-21T08:14:04Z'), {
    id: TRACKING_ID,
    trackingNumber: 'YT8962646785999',
    carrier: 'yto',
    status: isTrouble ? '异常' : '已签收',
    subStatus: isTrouble ? 'returned' : 'delivered',
    seq: 7,
    scans: [isTrouble ? { ...SCAN, status: 'returned', description: '快件已退回' } : SCAN],
  });
}
