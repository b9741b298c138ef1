import { MAX_OTHER_ATTEMPTS } from '@pts/core/webhook/endpoint';
import { instant, instantOrNull } from '../../common.ts';
import { recordId } from '../../record-id.ts';
import { deliveryRecord } from './delivery-log.ts';

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const numberOrNull = { type: ['number', 'null'] } as const;

export const deliveryById = {
  type: 'object',
  required: ['id'],
  properties: { id: recordId },
} as const;

/** The state of a delivery on the retry schedule. */
const standing = {
  state: {
    title: 'DeliveryState',
    type: 'string',
    enum: ['owed', 'delivered', 'exhausted', 'cancelled', 'superseded'],
    description:
      '`owed`: pending, it will be sent. `exhausted`: all 14 attempts failed. `cancelled`: the webhook was disabled. `superseded`: a newer update replaced it.',
  },
  attempts: { type: 'integer', description: 'Attempts made in this round.' },
  round: { type: 'integer', description: 'How often it was redelivered.' },
  next_attempt_at: { ...instantOrNull, description: 'When the next attempt is due; null if there is none.' },
} as const;

/** The same as an object. */
export const deliveryStanding = {
  title: 'DeliveryStanding',
  type: 'object',
  required: ['state', 'attempts', 'round', 'next_attempt_at'],
  properties: standing,
} as const;

/** POST /webhooks/deliveries/{id}/redeliver. */
export const redeliverResponse = {
  title: 'Redelivery',
  type: 'object',
  description: 'The message and its current state.',
  required: ['id', 'message_id', 'webhook_id', 'event', 'state', 'attempts', 'round', 'next_attempt_at'],
  properties: {
    id: { ...text, description: 'The id of the record in the request.' },
    message_id: { ...text, description: 'Its `X-Webhook-Id`, unchanged.' },
    webhook_id: { ...text, description: 'The id of the webhook.' },
    event: { ...text, description: 'The kind of event.' },
    ...standing,
  },
} as const;

const request = {
  title: 'SentPush',
  type: 'object',
  description: 'What was sent, as far as it is still stored.',
  required: ['method', 'url', 'headers', 'body', 'signed_string', 'curl', 'notes'],
  properties: {
    method: { type: 'string', enum: ['POST'], description: 'The method.' },
    url: {
      ...textOrNull,
      description: 'Where it was sent. Null if the webhook was deleted.',
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
    notes: { type: 'array', items: text, description: 'What is missing here, and why.' },
  },
} as const;

const response = {
  title: 'ReceiverAnswer',
  type: 'object',
  description: 'The response of the receiver.',
  required: ['status_code', 'head', 'excerpt'],
  properties: {
    status_code: { type: 'integer', description: 'The HTTP status; 0 if there was no response.' },
    head: { ...textOrNull, description: 'Status line and headers, at most 2 KiB.' },
    excerpt: { ...textOrNull, description: 'The first 1 KiB of the body.' },
  },
} as const;

const timing = {
  title: 'DeliveryTiming',
  type: 'object',
  description: 'The duration of each step in milliseconds; null if it did not take place or was not recorded.',
  required: ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'total_ms', 'address', 'reused'],
  properties: {
    dns_ms: { ...numberOrNull, description: 'The DNS lookup.' },
    connect_ms: { ...numberOrNull, description: 'The TCP connection.' },
    tls_ms: { ...numberOrNull, description: 'The TLS handshake.' },
    first_byte_ms: { ...numberOrNull, description: 'From the start to the first byte of the response.' },
    total_ms: { type: 'integer', description: 'The whole attempt.' },
    address: { ...textOrNull, description: 'The IP address of the connection.' },
    reused: { type: ['boolean', 'null'], description: 'Whether an open connection was reused.' },
  },
} as const;

const otherAttempt = {
  title: 'OtherAttempt',
  type: 'object',
  required: ['id', 'ts', 'status_code', 'attempt', 'round'],
  properties: {
    id: { ...text, description: 'The id of the delivery record.' },
    ts: { ...instant, description: 'When it was sent.' },
    status_code: { type: 'integer', description: 'The HTTP status of the response; 0 if there was none.' },
    attempt: { type: 'integer', description: 'The attempt number, from 1.' },
    round: { type: 'integer', description: '0 = the original delivery.' },
  },
} as const;

/** GET /webhooks/deliveries/{id}: a record with everything needed to debug it. */
export const deliveryResponse = {
  title: 'Delivery',
  type: 'object',
  description: 'An attempt: what was sent, what came back, and how long it took.',
  required: [...deliveryRecord.required, 'delivery', 'request', 'response', 'timing', 'other_attempts'],
  properties: {
    ...deliveryRecord.properties,
    delivery: {
      description: 'The current state of the message; null for a ping and for a message that has expired.',
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
} as const;
