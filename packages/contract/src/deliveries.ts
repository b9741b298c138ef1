import { EVENT_KINDS } from '@pts/core/tracking/status';
import { MAX_OTHER_ATTEMPTS, MAX_REPLAYS } from '@pts/core/webhook/endpoint';
import { curlCommand, pushHeaders, trackingBody } from '@pts/core/webhook/push';
import {
  always,
  EXAMPLE_RECORD_ID,
  entryCount,
  id,
  idOrEmpty,
  instant,
  instantOrNull,
  nextBefore,
  pageLimit,
  pageLimitAsNumber,
  recordId,
  withDryRun,
} from './common.ts';
import { defineOperation } from './operation.ts';
import { object, optional } from './schema.ts';
import { REGISTERED_EXAMPLE, WEBHOOK_EXAMPLE, webhookById, webhookId } from './webhooks.ts';

/** A record of the delivery log (spec section 2.5), the spec's fields first. */
const deliveryRecord = object(
  {
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
    round: { type: 'integer', description: '0 for the original delivery. Each redelivery has the next number.' },
    tracking_id: optional({
      type: ['string', 'null'],
      description:
        'The id of the parcel; null for a test, a notice or an expired message. In the log, present only with `parcels=true`.',
    }),
    tracking_number: optional({
      type: ['string', 'null'],
      description: 'The tracking number, even if the parcel was deleted. In the log, present only with `parcels=true`.',
    }),
  },
  { title: 'DeliveryRecord', description: 'One attempt to push one event to one webhook.' },
);

/** A filter by status. */
export const statusCode = {
  type: 'string',
  pattern: '^(0|[1-9][0-9]{2})$',
  description: 'Only attempts with this HTTP status, or `0` for those without a response.',
  examples: ['503'],
} as const;

/** Which attempts: of the delivery log and of bulk redeliveries. */
export const deliveryFilters = {
  webhook_id: { ...idOrEmpty, description: 'Only attempts to this webhook.' },
  event: {
    title: 'DeliveryEventFilter',
    type: 'string',
    enum: [...EVENT_KINDS, 'ping'],
    description: 'Only events of this kind.',
  },
  message_id: {
    ...idOrEmpty,
    description: 'Only attempts of this message, by its `X-Webhook-Id`. Pings are never included.',
  },
  tracking_id: { ...idOrEmpty, description: "Only attempts for this parcel's events." },
  failed: {
    title: 'DeliveryFailedFilter',
    type: 'string',
    enum: ['true', 'false'],
    description: '`true` for failed attempts only, `false` for successful ones only.',
  },
  status_code: statusCode,
  outcome: {
    title: 'DeliveryOutcomeFilter',
    type: 'string',
    enum: ['delivered', 'failed', 'exhausted'],
    description: '`exhausted` means that it failed and no further attempt follows.',
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
    parcels: {
      type: 'string',
      enum: ['true', 'false'],
      description: 'If true, each record names its parcel in `tracking_id` and `tracking_number`.',
    },
    limit: pageLimit,
    before: { ...recordId, description: 'The `next_before` of the previous page.' },
  },
} as const;

/** The delivery log. */
export const deliveriesResponse = object(
  {
    count: entryCount,
    items: {
      type: 'array',
      maxItems: pageLimitAsNumber.maximum,
      items: deliveryRecord,
      description: 'The delivery records, newest first.',
    },
    next_before: {
      ...nextBefore,
      description: `${nextBefore.description} A page can have fewer entries than \`limit\`, or even none, without being the last one.`,
    },
  },
  { title: 'DeliveryLog' },
);

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const numberOrNull = { type: ['number', 'null'] } as const;

const deliveryById = object({ id: recordId });

/** The state of a delivery on the retry schedule. */
export const deliveryStanding = object(
  {
    state: {
      title: 'DeliveryState',
      type: 'string',
      enum: ['owed', 'delivered', 'exhausted', 'cancelled', 'superseded'],
      description:
        '`owed`: pending, it will be sent. `exhausted`: all 14 attempts failed. `cancelled`: the webhook was disabled. `superseded`: a newer update replaced it.',
    },
    attempts: { type: 'integer', description: 'Attempts made in this round.' },
    round: { type: 'integer', description: 'How often the message was redelivered.' },
    next_attempt_at: { ...instantOrNull, description: 'When the next attempt is due; null if there is none.' },
  },
  { title: 'DeliveryStanding' },
);

const request = object(
  {
    method: { title: 'PushMethod', type: 'string', enum: ['POST'], description: 'The method.' },
    url: {
      ...textOrNull,
      description: 'The URL that it was sent to; null if the webhook was deleted.',
    },
    headers: {
      title: 'SentHeaders',
      type: 'object',
      additionalProperties: textOrNull,
      description: 'All headers; null if they are no longer stored.',
    },
    body: { ...textOrNull, description: 'The raw body; null if it is no longer stored.' },
    signed_string: { ...textOrNull, description: 'The signed string: timestamp, period, raw body.' },
    curl: { ...textOrNull, description: 'A command for a POSIX shell that sends the request again.' },
    notes: { type: 'array', items: text, description: 'What is missing here and why.' },
  },
  { title: 'SentPush', description: 'What was sent, as far as it is still stored.' },
);

const response = object(
  {
    status_code: { type: 'integer', description: 'The HTTP status; 0 if there was no response.' },
    head: { ...textOrNull, description: 'Status line and headers, at most 2 KiB.' },
    excerpt: { ...textOrNull, description: 'The first 1 KiB of the body.' },
  },
  { title: 'ReceiverAnswer', description: 'The response of the receiver.' },
);

const timing = object(
  {
    dns_ms: { ...numberOrNull, description: 'The DNS lookup.' },
    connect_ms: { ...numberOrNull, description: 'The TCP connection.' },
    tls_ms: { ...numberOrNull, description: 'The TLS handshake.' },
    first_byte_ms: { ...numberOrNull, description: 'From the start to the first byte of the response.' },
    total_ms: { type: 'integer', description: 'The whole attempt.' },
    address: { ...textOrNull, description: 'The IP address of the connection.' },
    reused: { type: ['boolean', 'null'], description: 'Whether an open connection was reused.' },
  },
  {
    title: 'DeliveryTiming',
    description: 'The duration of each step in milliseconds; null if the step did not take place or was not recorded.',
  },
);

const otherAttempt = object(
  {
    id: { ...text, description: 'The id of the delivery record.' },
    ts: { ...instant, description: 'When it was sent.' },
    status_code: { type: 'integer', description: 'The HTTP status of the response; 0 if there was none.' },
    attempt: { type: 'integer', description: 'The attempt number, from 1.' },
    round: { type: 'integer', description: '0 for the original delivery.' },
  },
  { title: 'OtherAttempt' },
);

/** GET /webhooks/deliveries/{id}: a record with everything needed to debug it. */
const deliveryResponse = object(
  {
    ...deliveryRecord.properties,
    delivery: {
      description: 'The current state of the message; null for a ping or an expired message.',
      anyOf: [deliveryStanding, { type: 'null' }],
    },
    request,
    response,
    timing,
    other_attempts: {
      type: 'array',
      items: otherAttempt,
      description: `The other attempts of this message to this webhook, newest first, at most ${MAX_OTHER_ATTEMPTS}.`,
    },
  },
  { title: 'DeliveryDetail', description: 'An attempt with its request, response and timing.' },
);

/** POST /webhooks/{id}/replay. */
const replayRequest = object(
  {
    id: webhookId,
    since: {
      type: 'string',
      format: 'date-time',
      description: 'Start of the range, inclusive (RFC 3339, any time zone).',
      examples: ['2026-03-01T16:00:00Z'],
    },
    until: optional({
      type: 'string',
      format: 'date-time',
      description: 'End of the range, exclusive. Omit it for now.',
      examples: ['2026-03-02T04:00:00Z'],
    }),
    dry_run: optional({ type: 'boolean', description: 'If true, only counts the messages. No replay is started.' }),
  },
  { title: 'ReplayRange' },
);

export const replay = object(
  {
    id: { ...id, description: 'The id of the replay.' },
    webhook_id: { ...id, description: 'The id of the webhook.' },
    since: { ...instant, description: 'Start of the range, inclusive.' },
    until: { ...instant, description: 'End of the range, exclusive.' },
    state: {
      title: 'ReplayState',
      type: 'string',
      enum: ['running', 'done', 'cancelled'],
      description: '`done`: all messages are queued. `cancelled`: you cancelled it, or the webhook was disabled.',
    },
    total: {
      type: ['integer', 'null'],
      description: 'The number of messages to resend; null if there are too many to count.',
    },
    replayed: { type: 'integer', description: 'The number of messages queued so far.' },
    created_at: { ...instant, description: 'When it started.' },
    finished_at: { ...instantOrNull, description: 'When it ended; null while it is running.' },
  },
  { title: 'Replay', description: 'A replay, which resends the events of a time range to a webhook.' },
);

export const dryRunReplay = object({
  dry_run: { ...always, description: 'True in a dry run: nothing is sent. Absent otherwise.' },
  webhook_id: replay.properties.webhook_id,
  since: replay.properties.since,
  until: replay.properties.until,
  total: replay.properties.total,
});

const SENT_AT = new Date('2025-11-21T00:34:13Z');
const MESSAGE_ID = '69201f4c1b9e0c5a7d3f2e61';
const NEXT_ATTEMPT = '2025-11-21T00:34:43Z';
const { id: EXAMPLE_WEBHOOK_ID, url } = WEBHOOK_EXAMPLE;

// Created by the code that creates pushes, so that the signature is valid.
const body = trackingBody('tracking_update', SENT_AT, {
  id: '691f0a3c5d2b4e6f8a9c0d1e',
  trackingNumber: 'YT8962646785999',
  carrier: 'yto',
  status: '派送中',
  subStatus: 'out_for_delivery',
  seq: 3,
  scans: [],
});
const headers = pushHeaders({
  messageId: MESSAGE_ID,
  event: 'tracking_update',
  attempt: 1,
  body,
  secrets: [REGISTERED_EXAMPLE.secret],
  sentAt: SENT_AT,
});

/** An example attempt with all its details. */
const DELIVERY_EXAMPLE = {
  ts: '2025-11-21T00:34:13Z',
  event: 'tracking_update',
  status_code: 503,
  attempt: 1,
  round: 0,
  error: 'the receiver responded with 503; only 200 to 299 counts as success',
  id: EXAMPLE_RECORD_ID,
  message_id: MESSAGE_ID,
  webhook_id: EXAMPLE_WEBHOOK_ID,
  duration_ms: 41,
  next_attempt_at: NEXT_ATTEMPT,
  response_excerpt: 'busy',
  tracking_id: '691f0a3c5d2b4e6f8a9c0d1e',
  tracking_number: 'YT8962646785999',
  delivery: { state: 'owed', attempts: 1, round: 0, next_attempt_at: NEXT_ATTEMPT },
  request: {
    method: 'POST',
    url,
    headers,
    body,
    curl: curlCommand({ url, headers, body }),
    signed_string: `${headers['X-Webhook-Timestamp']}.${body}`,
    notes: ['Receivers reject this request once it is more than 300 seconds old. To send it again, redeliver it.'],
  },
  response: { status_code: 503, head: 'HTTP/1.1 503 Service Unavailable', excerpt: 'busy' },
  timing: {
    dns_ms: 2,
    connect_ms: 9,
    tls_ms: 14,
    first_byte_ms: 40,
    total_ms: 41,
    address: '198.51.100.7',
    reused: false,
  },
  other_attempts: [],
};

const ID = EXAMPLE_RECORD_ID;
const IDS = { message_id: '69a463e0a1b2c3d4e5f60718', webhook_id: '69a45f02b1c2d3e4f5061728' };

export const listDeliveries = defineOperation({
  method: 'get',
  path: '/webhooks/deliveries',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'query',
  request: deliveriesQuery,
  response: deliveriesResponse,
  doc: {
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'List recent deliveries',
    summaryZh: '列出推送记录',
    description:
      'Lists the most recent delivery attempts, newest first. For the next page, send the `next_before` of a page as `before`, as far back as records are kept. Filters can be combined. If only few of many attempts match the filters, a page can have fewer entries than `limit`, or even none, although `next_before` is not null.',
    example: {
      response: {
        count: 1,
        items: [
          {
            ts: '2026-03-01T16:00:01Z',
            event: 'tracking_delivered',
            status_code: 503,
            attempt: 1,
            error: 'the receiver responded with 503; only 200 to 299 counts as success',
            id: ID,
            ...IDS,
            duration_ms: 84,
            next_attempt_at: '2026-03-01T16:00:31Z',
            response_excerpt: 'busy',
            round: 0,
          },
        ],
        next_before: null,
      },
    },
  },
});

export const explainDelivery = defineOperation({
  method: 'get',
  path: '/webhooks/deliveries/:id',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'params',
  request: deliveryById,
  response: deliveryResponse,
  doc: {
    id: 'explainDelivery',
    tag: 'Webhooks',
    summary: 'Read one delivery in detail',
    summaryZh: '查看一次推送的详情',
    description:
      'The delivery record with the request (headers, raw body, the exact signed text and a `curl` command), the response, the duration of each step (`timing`), and the other attempts of the same message. The signature is recomputed. After the secret was rotated it is null, and `notes` says so. Use the `curl` command only for debugging, because receivers reject it once it is more than 300 seconds old.',
    errors: ['not_found'],
    example: { response: DELIVERY_EXAMPLE },
  },
});

export const redeliver = defineOperation({
  method: 'post',
  path: '/webhooks/deliveries/:id/redeliver',
  limit: 'webhooks.redeliver',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'params',
  request: deliveryById,
  response: object(
    {
      id: { ...text, description: 'The id of the record in the request.' },
      message_id: { ...text, description: 'The unchanged `X-Webhook-Id`.' },
      webhook_id: { ...text, description: 'The id of the webhook.' },
      event: { ...text, description: 'The kind of event.' },
      ...deliveryStanding.properties,
    },
    { title: 'Redelivery', description: 'The message and its current state.' },
  ),
  doc: {
    id: 'redeliver',
    tag: 'Webhooks',
    summary: 'Send one delivery again',
    summaryZh: '重新推送一条消息',
    description:
      'Takes the id of a delivery record and resends its message to the same webhook now. If that fails, it is retried like any event, up to 14 attempts. `X-Webhook-Id` and the body stay the same. A message that waits for a later attempt is sent now instead. One that is already due is returned unchanged and not sent twice. To send another ping, use `POST /webhooks/test`.',
    errors: ['not_found', 'invalid_field'],
    example: {
      response: {
        id: ID,
        ...IDS,
        event: 'tracking_delivered',
        state: 'owed',
        attempts: 0,
        round: 1,
        next_attempt_at: '2026-03-01T18:20:00Z',
      },
    },
  },
});

const EXAMPLE = {
  id: '69a47c11c2d3e4f506172839',
  webhook_id: '69a45f02b1c2d3e4f5061728',
  since: '2026-03-01T16:00:00Z',
  until: '2026-03-01T17:30:00Z',
  state: 'running',
  total: 1284,
  replayed: 0,
  created_at: '2026-03-01T17:51:29Z',
  finished_at: null,
};

export const startReplay = defineOperation({
  method: 'post',
  path: '/webhooks/:id/replay',
  limit: 'webhooks.replay',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'body',
  request: replayRequest,
  strict: true,
  response: withDryRun(
    'ReplayOutcome',
    'The replay that was started, or in a dry run, what it would send.',
    replay,
    dryRunReplay,
    {
      total: {
        ...replay.properties.total,
        description: 'The number of messages to send; null if there are too many to count.',
      },
    },
  ),
  doc: {
    id: 'startReplay',
    tag: 'Webhooks',
    summary: 'Replay the events of a time range',
    summaryZh: '重放一段时间的消息',
    description:
      'Resends to this webhook every event of your account from `since` (inclusive) to `until` (exclusive, now if omitted) whose kind it subscribes to, including events from before it was registered. The request returns at once. The replay runs in the background, and live events go first. `X-Webhook-Id` and the body stay the same. Deliveries that wait for a later attempt are sent now instead. Those that are already due are not sent twice. Each webhook can have one running replay. With `dry_run`, the response has only the number of messages.',
    errors: ['not_found'],
    example: { request: { since: '2026-03-01T16:00:00Z', until: '2026-03-01T17:30:00Z' }, response: EXAMPLE },
  },
});

export const listReplays = defineOperation({
  method: 'get',
  path: '/webhooks/:id/replays',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'params',
  request: webhookById,
  response: object(
    {
      count: entryCount,
      replays: { type: 'array', items: replay, description: `The last ${MAX_REPLAYS}, newest first.` },
    },
    { title: 'ReplayList' },
  ),
  doc: {
    id: 'listReplays',
    tag: 'Webhooks',
    summary: 'List replays',
    summaryZh: '列出重放任务',
    description: 'The replays of a webhook, newest first, each with the number of messages queued so far.',
    errors: ['not_found'],
    example: { response: { count: 1, replays: [{ ...EXAMPLE, replayed: 500 }] } },
  },
});

export const cancelReplay = defineOperation({
  method: 'delete',
  path: '/webhooks/:id/replays/:replay_id',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'params',
  request: object({ id: webhookId, replay_id: { ...id, description: 'The id of the replay.' } }),
  response: replay,
  doc: {
    id: 'cancelReplay',
    tag: 'Webhooks',
    summary: 'Cancel a replay',
    summaryZh: '取消重放',
    description:
      'No more messages are queued. Those that are already queued are still sent. A replay that has ended is returned unchanged.',
    errors: ['not_found'],
    example: {
      response: { ...EXAMPLE, state: 'cancelled', replayed: 500, finished_at: '2026-03-01T17:52:10Z' },
    },
  },
});
