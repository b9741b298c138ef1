import { toUtcSeconds } from '@pts/core/time';
import { OPTIONAL_FIELD_SCHEMAS } from '@pts/core/tracking/fields';
import { EVENT_KINDS } from '@pts/core/tracking/status';
import { ENDPOINT_HOURS, MAX_PENDING, MAX_SIGNING, MAX_WEBHOOKS, RECENT_ATTEMPTS } from '@pts/core/webhook/endpoint';
import { MAX_FILTER_VALUES } from '@pts/core/webhook/filter';
import { MAX_STATIC_HEADERS } from '@pts/core/webhook/headers';
import { PUSH_FORMATS, SIGNATURE_HEADER_TEXT } from '@pts/core/webhook/push';
import {
  ANY_CHANGE,
  always,
  carrierCode,
  documentedWith,
  eventKind,
  id,
  instant,
  instantOrNull,
  subStatus,
  withDryRun,
} from './common.ts';
import { defineOperation, NO_INPUT } from './operation.ts';
import { object, optional } from './schema.ts';

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
export const webhookId = { ...id, description: 'The id of the webhook.' } as const;

const supersede = {
  type: 'boolean',
  description:
    'If true, only the newest undelivered `tracking_update` of each parcel stays pending while deliveries fail. Events of other kinds are never dropped.',
} as const;

const HEADERS = `Additional headers for every push, test and replay, for example for a gateway, at most ${MAX_STATIC_HEADERS}. Names that the service or the connection uses are rejected. Values are stored encrypted, and only their last two characters are shown.`;

/** The values of one condition of a filter. */
function anyOf<const S extends object>(items: S, description: string) {
  return { type: 'array', items, maxItems: MAX_FILTER_VALUES, uniqueItems: true, description } as const;
}

const filter = {
  title: 'WebhookFilter',
  type: ['object', 'null'],
  additionalProperties: false,
  description:
    'Sends only events of parcels that meet all of these conditions. Other events cause no delivery. Null removes the filter, and a new one replaces it. Absent in responses if there is no filter.',
  properties: {
    carriers: anyOf(documentedWith(carrierCode, { pattern: '^[a-z0-9][a-z0-9-]+$' }), 'Only of these carriers.'),
    sub_statuses: anyOf(subStatus, 'Only events that leave the parcel in one of these sub-statuses.'),
    problems: anyOf(OPTIONAL_FIELD_SCHEMAS.problem, 'Only events after which the parcel has one of these problems.'),
    metadata: {
      title: 'MetadataFilter',
      type: 'object',
      maxProperties: 10,
      additionalProperties: anyOf({ type: 'string', maxLength: 256 }, 'The values that pass.'),
      description: 'Only events of parcels whose metadata has one of these values for each of these keys.',
      examples: [{ shop: ['hangzhou', 'ningbo'] }],
    },
  },
} as const;

const format = {
  title: 'PushFormat',
  type: 'string',
  enum: PUSH_FORMATS,
  description:
    'The format of the pushes: `v1`, or `v4` for the body and headers of version 4 of the TrackingMore / 51Tracking API. Absent in responses for `v1`.',
} as const;

/** Whether its host is public is not in the form. */
const ABSOLUTE_URL = {
  maxLength: 2048,
  pattern: '^https?://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,4})?([/?][!"$-~]*)?$',
};

/** POST /webhooks. The URL policy validates the URL, not a pattern. */
export const registerRequest = object(
  {
    url: documentedWith(url, ABSOLUTE_URL),
    events: { ...events, minItems: 1 },
    supersede: optional(supersede),
    headers: optional({
      title: 'WebhookHeadersInput',
      type: 'object',
      maxProperties: MAX_STATIC_HEADERS,
      additionalProperties: { type: 'string' },
      description: HEADERS,
      examples: [{ 'X-Api-Key': 'gateway-key-1' }],
    }),
    filter: optional(filter),
    format: optional(format),
    enabled: optional({
      type: 'boolean',
      description: 'If false, nothing is sent until the webhook is enabled. Default: true.',
    }),
  },
  { title: 'WebhookInput' },
);

export const registerResponse = object(
  {
    id: webhookId,
    url,
    events,
    enabled: { type: 'boolean', description: 'Whether the webhook receives pushes; true unless you chose otherwise.' },
    secret: {
      type: 'string',
      pattern: '^whsec_',
      description: 'The secret that signs every push. Store it now, because it is shown only once.',
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
  { title: 'RegisteredWebhook', description: 'A webhook and its secret, which is shown only here.' },
);

/** A webhook: everything but its secret. */
export const webhook = object(
  {
    id: webhookId,
    url,
    events,
    enabled: { type: 'boolean', description: 'Whether the webhook receives pushes.' },
    status: {
      title: 'WebhookStatus',
      type: 'string',
      enum: ['healthy', 'failing', 'disabled'],
      description: '`failing`: the last delivery failed, and none has succeeded since.',
    },
    supersede,
    headers: optional({
      title: 'WebhookHeaders',
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The static headers, with only the last two characters of each value. Absent if there are none.',
      examples: [{ 'X-Api-Key': '****-1' }],
    }),
    filter: optional(filter),
    format: optional(format),
    in_progress: {
      type: 'array',
      items: { title: 'WebhookWork', type: 'string', enum: ['moving_checks', 'dropping_pending'] },
      description:
        'Background work since the webhook was enabled or disabled, usually none. `moving_checks`: the parcels of the account are being moved to the shorter check interval. `dropping_pending`: the deliveries that were pending are being dropped, and new ones wait until that is done.',
    },
    pending: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_PENDING,
      description: `The number of pending deliveries. ${MAX_PENDING} means that many or more. 0 while \`dropping_pending\`.`,
    },
    next_attempt_at: {
      ...instantOrNull,
      description: 'When the next pending delivery is due. A time in the past means now. Null if none is pending.',
    },
    recent: object(
      {
        attempts: { type: 'integer', minimum: 0, maximum: RECENT_ATTEMPTS, description: 'The number of attempts.' },
        failed: {
          type: 'integer',
          minimum: 0,
          description: 'The number of attempts that the receiver did not accept.',
        },
        median_ms: {
          type: ['integer', 'null'],
          description: 'The median duration of the accepted attempts, in milliseconds; null if there are none.',
        },
        last_status_code: {
          type: ['integer', 'null'],
          description:
            'The HTTP status of the newest attempt; 0 if there was no response, null if there are no attempts.',
        },
      },
      {
        title: 'RecentAttempts',
        description: `The newest attempts to push events to the webhook, at most ${RECENT_ATTEMPTS}. Pings do not count.`,
      },
    ),
    hours: {
      type: 'array',
      minItems: ENDPOINT_HOURS,
      maxItems: ENDPOINT_HOURS,
      description: `The attempts of the last ${ENDPOINT_HOURS} hours (UTC), oldest first. Pings do not count. The current hour is included.`,
      items: object(
        {
          start: { ...instant, description: 'The start of the hour.' },
          accepted: { type: 'integer', minimum: 0, description: 'Attempts that the receiver accepted.' },
          failed: { type: 'integer', minimum: 0, description: 'Attempts that failed. Each is retried on schedule.' },
          filtered_out: optional({
            type: 'integer',
            minimum: 1,
            description: 'Events that were not sent because of the filter. Absent if there are none.',
          }),
        },
        { title: 'EndpointHour' },
      ),
    },
    failing_since: { ...instantOrNull, description: 'The time of the first failure since the last success.' },
    retry_after: {
      ...instantOrNull,
      description: 'No deliveries before this time, as the receiver requested (`Retry-After`).',
    },
    disabled_reason: {
      type: ['string', 'null'],
      description: 'Why the service disabled the webhook; null if it did not.',
    },
    disabled_at: { ...instantOrNull, description: 'When the webhook was disabled.' },
    previous_secret_until: {
      ...instantOrNull,
      description: 'When the previous secret stops signing; null if there is none.',
    },
    created_at: registerResponse.properties.created_at,
  },
  { title: 'Webhook', description: 'A webhook, without its secret.' },
);

export const webhookById = object({ id: webhookId });

const patchRequest = documentedWith(
  object(
    {
      id: webhookId,
      events: optional({ ...events, minItems: 1 }),
      url: optional(
        documentedWith(
          { ...url, description: 'A new URL, validated as at registration. Secret and deliveries are kept.' },
          ABSOLUTE_URL,
        ),
      ),
      enabled: optional({ type: 'boolean', description: 'False stops all pushes. True resumes them.' }),
      replay: optional({
        type: 'boolean',
        description:
          'With `enabled: true`, also sends the events that a disabled webhook missed and those that were pending when it was disabled. The response names the replay. It does nothing for a webhook that is already enabled.',
      }),
      supersede: optional(supersede),
      headers: optional({
        title: 'WebhookHeadersChange',
        type: 'object',
        maxProperties: 2 * MAX_STATIC_HEADERS,
        additionalProperties: { type: ['string', 'null'] },
        description: `The headers to set. Null removes a header, and others stay. ${HEADERS}`,
      }),
      filter: optional(filter),
      format: optional(format),
    },
    { title: 'WebhookChange' },
  ),
  ANY_CHANGE,
);

/** How many of the newest events a check puts through the filter. */
export const CHECKED_EVENTS = 200;

const checkName = {
  title: 'TestPushKind',
  type: 'string',
  enum: ['valid', 'stale', 'tampered', 'duplicate'],
  description:
    'The kind of push: a valid one, a stale one (signed 7 minutes ago), a tampered one (its body changed after it was signed), or a valid one sent twice with the same `X-Webhook-Id`.',
} as const;
const expected = {
  title: 'ExpectedStatus',
  type: 'string',
  enum: ['2xx', '400', '401'],
  description: 'The status that a correct receiver responds with.',
} as const;

const checkWebhookResponse = object(
  {
    passed: { type: 'boolean', description: 'Whether all four passed.' },
    checks: {
      type: 'array',
      description: 'The results of the four pings, in the order sent.',
      items: object(
        {
          name: checkName,
          expected,
          http_status: {
            type: 'integer',
            description: 'The HTTP status of the response; 0 if there was none or the ping was not sent.',
          },
          response_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
          passed: { type: 'boolean', description: 'Whether the response was as expected.' },
          advice: { type: ['string', 'null'], description: 'What to fix; null if the check passed.' },
        },
        { title: 'WebhookCheckStep' },
      ),
    },
    filter: optional(
      object(
        {
          recent_events: {
            type: 'integer',
            description: `The number of such events among the newest ${CHECKED_EVENTS} of the account.`,
          },
          passed: { type: 'integer', description: 'The number of these events that pass the filter.' },
        },
        {
          title: 'FilterCheck',
          description:
            'The effect of the filter on the newest events of the subscribed kinds. Absent if there is no filter.',
        },
      ),
    ),
  },
  { title: 'WebhookCheck' },
);

/** POST /webhooks/test. */
const testRequest = {
  title: 'WebhookToTest',
  type: 'object',
  properties: {
    id: { ...id, description: 'The id of the webhook. If omitted, the newest webhook is used.' },
    kind: checkName,
    event: {
      title: 'TestPushEvent',
      type: 'string',
      enum: [...EVENT_KINDS, 'ping'],
      description:
        'What to send: a sample event with `"test": true`, about a parcel that does not exist, or a ping. It is valid unless `kind` says otherwise.',
    },
    dry_run: {
      type: 'boolean',
      description: 'If true, the response only shows what would be sent. Nothing is sent or recorded.',
    },
  },
} as const;

const testPush = {
  kind: checkName,
  event: { type: 'string', description: 'The kind of event.' },
  message_id: { type: 'string', description: 'Its `X-Webhook-Id`.' },
  body: { type: 'string', description: 'The raw body.' },
  expected,
} as const;

export const testResponse = object({
  reachable: { type: 'boolean', description: 'Whether the receiver responded.' },
  http_status: { type: 'integer', description: 'The HTTP status of the response; 0 if there was none.' },
  response_ms: { type: 'integer', description: 'How long it took, in milliseconds.' },
  error: optional({ type: 'string', description: 'Why the ping was not accepted; absent if it was.' }),
  push: optional(
    object({
      ...testPush,
      passed: { type: 'boolean', description: 'Whether the response was as expected.' },
      response_excerpt: { type: ['string', 'null'], description: "The first 1 KiB of the receiver's response." },
    }),
  ),
});

export const dryRunTest = object({
  dry_run: { ...always, description: 'True in a dry run: nothing is sent. Absent otherwise.' },
  push: object({
    ...testPush,
    url: { type: 'string', description: 'The URL that receives the push.' },
    headers: {
      title: 'TestPushHeaders',
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'All headers.',
    },
    signed_string: {
      type: 'string',
      description:
        'The signed string: timestamp, period, raw body. For a tampered push, with the body before the change.',
    },
  }),
});

/** POST /webhooks/test. */
const testAnswer = withDryRun(
  'WebhookTestOutcome',
  'The response of the receiver, or in a dry run, what would be sent.',
  testResponse,
  dryRunTest,
  {
    push: withDryRun(
      'TestPush',
      'What was sent, and whether the response is that of a correct receiver. Present only with `kind` or `event`. In a dry run, what would be sent now. When it is really sent, it gets a new id, new times and new signatures.',
      testResponse.properties.push,
      dryRunTest.properties.push,
    ),
  },
);

const registered = {
  id: '691f0a2e5d2b4e6f8a9c0d1d',
  url: 'https://shop.example.cn/hooks/parcels',
  events: ['tracking_update', 'tracking_delivered', 'tracking_exception'],
  enabled: true,
  created_at: '2025-11-20T12:30:04',
};

/** A webhook as the reference shows it. */
export const WEBHOOK_EXAMPLE = {
  ...registered,
  status: 'failing',
  supersede: false,
  in_progress: [],
  pending: 17,
  next_attempt_at: '2025-11-21T02:30:00Z',
  recent: { attempts: 200, failed: 23, median_ms: 38, last_status_code: 503 },
  hours: Array.from({ length: ENDPOINT_HOURS }, (_, n) => ({
    start: toUtcSeconds(new Date(Date.UTC(2025, 10, 20, 3 + n))),
    accepted: n === 23 ? 2 : 31 + ((n * 17) % 40),
    failed: n === 23 ? 23 : 0,
  })),
  failing_since: '2025-11-21T02:10:51Z',
  retry_after: '2025-11-21T02:30:00Z',
  disabled_reason: null,
  disabled_at: null,
  previous_secret_until: null,
};

/** A newly registered webhook as the reference shows it, with its secret, which is shown only once. */
export const REGISTERED_EXAMPLE = {
  ...registered,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5V3o0nU1f3A=',
  signature_header: SIGNATURE_HEADER_TEXT,
};

export const registerWebhook = defineOperation({
  method: 'post',
  path: '/webhooks',
  limit: 'webhooks',
  // Each makes another secret.
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'body',
  request: registerRequest,
  response: registerResponse,
  doc: {
    id: 'registerWebhook',
    registersReceiver: true,
    tag: 'Webhooks',
    summary: 'Register a webhook',
    summaryZh: '注册 Webhook',
    description: `Every change to the account’s parcels is pushed to this URL, and parcels are checked every 5 minutes instead of every hour. For a large account, the checks are moved in the background, which \`in_progress\` shows. The response contains the secret that signs the pushes, which is shown only once. A URL that is already registered gets a new secret and these events, and the old secret keeps signing for 24 hours. An account can have ${MAX_WEBHOOKS} webhooks. The section Webhooks below describes the pushes and how to verify them.`,
    example: {
      request: { url: WEBHOOK_EXAMPLE.url, events: WEBHOOK_EXAMPLE.events },
      response: REGISTERED_EXAMPLE,
    },
  },
});

export const listWebhooks = defineOperation({
  method: 'get',
  path: '/webhooks',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: null,
  request: NO_INPUT,
  response: object(
    {
      count: { type: 'integer', description: `The number of webhooks; at most ${MAX_WEBHOOKS}.` },
      webhooks: { type: 'array', items: webhook, description: 'Your webhooks.' },
    },
    { title: 'WebhookList' },
  ),
  doc: {
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    summaryZh: '列出 Webhook',
    description:
      'The webhooks with their health, without their secrets. `disabled_reason` says why the service disabled one.',
    example: { response: { count: 1, webhooks: [WEBHOOK_EXAMPLE] } },
  },
});

export const getWebhook = defineOperation({
  method: 'get',
  path: '/webhooks/:id',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'params',
  request: webhookById,
  response: webhook,
  doc: {
    id: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Read one webhook by its id',
    summaryZh: '读取一个 Webhook',
    description: 'The webhook with its health, without its secret. `disabled_reason` says why the service disabled it.',
    errors: ['not_found'],
    example: { response: WEBHOOK_EXAMPLE },
  },
});

export const updateWebhook = defineOperation({
  method: 'patch',
  path: '/webhooks/:id',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'body',
  request: patchRequest,
  strict: true,
  response: {
    ...webhook,
    title: 'ChangedWebhook',
    properties: {
      ...webhook.properties,
      replay_id: { ...id, description: 'The replay of the missed events. Absent if none was started.' },
    },
  },
  doc: {
    id: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change, disable or enable a webhook',
    summaryZh: '修改 Webhook',
    description:
      'Disabling a webhook drops its pending deliveries in the background. `in_progress` shows this, and nothing is sent until it is done, even if the webhook is enabled again at once. With `enabled: true`, `replay: true` also sends the missed events. Enabling a disabled webhook clears its failures, and `enabled: true` also ends any `Retry-After`. A new URL is validated as at registration and receives the pending deliveries. New `events` and a new `filter` apply to future events. Pending deliveries, and those of a running replay, are still sent.',
    errors: ['not_found'],
    example: { request: { enabled: true }, response: WEBHOOK_EXAMPLE },
  },
});

export const deleteWebhook = defineOperation({
  method: 'delete',
  path: '/webhooks/:id',
  limit: 'webhooks',
  repeat: 'once',
  scope: 'webhooks',
  input: 'params',
  request: webhookById,
  response: object({ id: webhookId }, { title: 'DeletedWebhook' }),
  doc: {
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Remove a webhook',
    summaryZh: '删除 Webhook',
    description: 'No more pushes are sent, including pending deliveries. Its records stay in the delivery log.',
    errors: ['not_found'],
    example: { response: { id: WEBHOOK_EXAMPLE.id } },
  },
});

export const rotateWebhookSecret = defineOperation({
  method: 'post',
  path: '/webhooks/:id/rotate-secret',
  limit: 'webhooks',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'params',
  request: webhookById,
  response: { ...registerResponse, title: 'RotatedWebhook' },
  doc: {
    id: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the secret',
    summaryZh: '更换签名密钥',
    description: `The response contains the new secret, which is shown only once. The old secret keeps signing for 24 hours (the signature header has a \`v1\` for each), so receivers can switch without losing a push, and repeating the call after a timeout is safe. At most ${MAX_SIGNING} secrets sign at once, and a further rotation is rejected with 4130. To revoke a secret immediately, delete the webhook and register it again.`,
    errors: ['not_found', 'invalid_field'],
    example: { response: REGISTERED_EXAMPLE },
  },
});

export const testWebhook = defineOperation({
  method: 'post',
  path: '/webhooks/test',
  limit: 'webhooks',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'body',
  request: testRequest,
  strict: 'misspelt',
  response: testAnswer,
  doc: {
    id: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a ping',
    summaryZh: '发送测试推送',
    description:
      'Sends one signed `ping` to the given webhook, or to the newest one, and returns the response of the receiver. If the receiver cannot be reached, `reachable` is false and `error` says why. The ping is not retried, and the delivery log records it. The request takes as long as the receiver does, up to 10 seconds. With `kind` or `event`, it sends a push of your choice instead, which can be wrong on purpose. `push` then says what was sent and how a correct receiver responds, and the delivery log records it as a ping. With `dry_run`, the response only shows that push, with its headers and the signed content.',
    errors: ['not_found'],
    bodyIsOptional: true,
    example: { request: {}, response: { reachable: true, http_status: 200, response_ms: 41 } },
  },
});

export const checkWebhook = defineOperation({
  method: 'post',
  path: '/webhooks/:id/check',
  limit: 'webhooks',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'params',
  request: webhookById,
  response: checkWebhookResponse,
  doc: {
    id: 'checkWebhook',
    tag: 'Webhooks',
    summary: 'Check whether a receiver verifies pushes',
    summaryZh: '检查接收端',
    description:
      'Sends four pings, one after the other: a valid one, a stale one (signed 7 minutes ago), a tampered one (its body changed after it was signed), and the valid one again under the same `X-Webhook-Id`. A correct receiver responds with 2xx, 400 (or 401, as in Standard Webhooks), 401 and 2xx. Otherwise, `advice` says what to fix. No parcel changes. The delivery log records each ping. A disabled webhook can be checked, too. For a webhook with a filter, `filter` says how many of the newest events pass it. The request takes up to 40 seconds, 10 for each ping.',
    errors: ['not_found'],
    example: {
      response: {
        passed: false,
        checks: [
          { name: 'valid', expected: '2xx', http_status: 200, response_ms: 41, passed: true, advice: null },
          {
            name: 'stale',
            expected: '400',
            http_status: 200,
            response_ms: 38,
            passed: false,
            advice:
              'The receiver accepted a push that was signed 7 minutes ago, so an attacker could replay a recorded push. Respond with 400 when X-Webhook-Timestamp differs from your clock by more than 300 s in either direction.',
          },
          { name: 'tampered', expected: '401', http_status: 401, response_ms: 36, passed: true, advice: null },
          { name: 'duplicate', expected: '2xx', http_status: 200, response_ms: 39, passed: true, advice: null },
        ],
      },
    },
  },
});
