import { MOST_OTHER_ATTEMPTS } from '@pts/core/webhook/limits';
import { instant, instantOrNull } from './common.ts';
import { deliveryRecord } from './webhooks.ts';

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const numberOrNull = { type: ['number', 'null'] } as const;

/** Delivery records are numbered. */
export const recordId = {
  type: 'string',
  pattern: '^[0-9]{1,18}$',
  description: 'The id of a delivery record: up to 18 digits.',
  examples: ['48210'],
} as const;

export const deliveryById = {
  type: 'object',
  required: ['id'],
  properties: { id: recordId },
} as const;

/** Where a message stands on the ladder to an endpoint. */
const standing = {
  state: {
    title: 'DeliveryState',
    type: 'string',
    enum: ['owed', 'delivered', 'exhausted', 'cancelled', 'superseded'],
    description:
      '`owed`: it will be sent. `exhausted`: its 14 attempts have failed. `cancelled`: the webhook was disabled. `superseded`: a newer update took its place.',
  },
  attempts: { type: 'integer', description: 'Attempts made in this round.' },
  round: { type: 'integer', description: 'How often it was sent again.' },
  next_attempt_at: { ...instantOrNull, description: 'When it is tried next; null: it is not.' },
} as const;

/** POST /webhooks/deliveries/{id}/redeliver. */
export const redeliverResponse = {
  title: 'Redelivery',
  type: 'object',
  description: 'The message, and where it stands now.',
  required: ['id', 'message_id', 'webhook_id', 'event', 'state', 'attempts', 'round', 'next_attempt_at'],
  properties: {
    id: { ...text, description: 'The record it was asked for by.' },
    message_id: { ...text, description: 'Its `X-Webhook-Id`: the same as ever.' },
    webhook_id: { ...text, description: 'Which webhook.' },
    event: { ...text, description: 'The kind of event.' },
    ...standing,
  },
} as const;

const request = {
  title: 'SentPush',
  type: 'object',
  description: 'What was sent, as far as it is still known.',
  required: ['method', 'url', 'headers', 'body', 'signed_string', 'curl', 'notes'],
  properties: {
    method: { type: 'string', enum: ['POST'], description: 'The method.' },
    url: { ...textOrNull, description: 'The address of the webhook today; null: it was deleted.' },
    headers: {
      title: 'SentHeaders',
      type: 'object',
      additionalProperties: textOrNull,
      description: 'All headers; null: not known any more.',
    },
    body: { ...textOrNull, description: 'The raw body; null: it is not kept.' },
    signed_string: { ...textOrNull, description: 'What was signed: timestamp, period, raw body.' },
    curl: { ...textOrNull, description: 'A command that sends it again, for a POSIX shell.' },
    notes: { type: 'array', items: text, description: 'What is missing, and why.' },
  },
} as const;

const response = {
  title: 'ReceiverAnswer',
  type: 'object',
  description: 'What the receiver answered.',
  required: ['status_code', 'head', 'excerpt'],
  properties: {
    status_code: { type: 'integer', description: '0: nothing.' },
    head: { ...textOrNull, description: 'Status line and headers, at most 2 KiB.' },
    excerpt: { ...textOrNull, description: 'The first 1 KiB of the body.' },
  },
} as const;

const timing = {
  title: 'DeliveryTiming',
  type: 'object',
  description: 'How long each step took, in milliseconds; null: it did not happen, or was not noted.',
  required: ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'total_ms', 'address', 'reused'],
  properties: {
    dns_ms: { ...numberOrNull, description: 'Looking up the name.' },
    connect_ms: { ...numberOrNull, description: 'Connecting.' },
    tls_ms: { ...numberOrNull, description: 'The TLS handshake.' },
    first_byte_ms: { ...numberOrNull, description: 'From the start to the first byte of the answer.' },
    total_ms: { type: 'integer', description: 'All of it.' },
    address: { ...textOrNull, description: 'The address that was connected to.' },
    reused: { type: ['boolean', 'null'], description: 'Whether the connection was open already.' },
  },
} as const;

const otherAttempt = {
  title: 'OtherAttempt',
  type: 'object',
  required: ['id', 'ts', 'status_code', 'attempt', 'round'],
  properties: {
    id: { ...text, description: 'The id of its record.' },
    ts: { ...instant, description: 'When it was sent.' },
    status_code: { type: 'integer', description: 'What the receiver answered; 0: nothing.' },
    attempt: { type: 'integer', description: '1 = first.' },
    round: { type: 'integer', description: '0 = the event itself.' },
  },
} as const;

/** GET /webhooks/deliveries/{id}: a record and all that helps to find out why. */
export const deliveryResponse = {
  title: 'Delivery',
  type: 'object',
  description: 'An attempt, with what was sent, what came back, and how long it took.',
  required: [...deliveryRecord.required, 'delivery', 'request', 'response', 'timing', 'other_attempts'],
  properties: {
    ...deliveryRecord.properties,
    delivery: {
      description: 'Where the message stands now; null for a ping, and for what is not kept any more.',
      anyOf: [
        {
          title: 'DeliveryStanding',
          type: 'object',
          required: ['state', 'attempts', 'round', 'next_attempt_at'],
          properties: standing,
        },
        { type: 'null' },
      ],
    },
    request,
    response,
    timing,
    other_attempts: {
      type: 'array',
      items: otherAttempt,
      description: `The other attempts of this message to this webhook, newest first, at most ${MOST_OTHER_ATTEMPTS}.`,
    },
  },
} as const;
