import { STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';

/** Text that a merchant gives and gets back: no control characters, so that it is the same everywhere. */
export function freeText(maxLength: number) {
  return { type: 'string', maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$' } as const;
}

export const id = { type: 'string', pattern: '^[0-9a-f]{24}$' } as const;
export const instant = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$' } as const;
export const status = { type: 'string', enum: STATUSES } as const;
export const subStatus = { type: 'string', enum: SUB_STATUSES } as const;

/** A tracking event (spec section 2.4). */
export const trackingEvent = {
  type: 'object',
  required: ['time', 'location', 'description', 'status'],
  properties: {
    time: instant,
    location: { type: 'string' },
    description: { type: 'string' },
    status: { type: 'string' },
  },
} as const;

/** What may come with a number besides itself; all of it is answered back. */
export const registrationInputs = {
  courier_code: freeText(40),
  phone: freeText(40),
  postal_code: freeText(20),
  destination_country: { type: 'string', pattern: '^[A-Za-z]{2}$' },
  order_id: freeText(100),
  title: freeText(200),
  metadata: {
    type: 'object',
    maxProperties: 10,
    propertyNames: { maxLength: 40, pattern: '^[^\\u0000-\\u001f]+$' },
    additionalProperties: freeText(256),
  },
} as const;

/** The envelope of every answer (spec section 2.1) around some data. */
export function envelope(data: object) {
  return {
    type: 'object',
    required: ['code', 'meta', 'message', 'data'],
    properties: { code: { const: 200 }, meta: { const: 200 }, message: { const: SUCCESS_MESSAGE }, data },
  } as const;
}

/** The fixed success text (spec section 2.1). */
export const SUCCESS_MESSAGE = '请求响应成功。';

/** An error's envelope: the number twice, what to do, and the fields at fault where there are any. */
export const errorEnvelope = {
  type: 'object',
  required: ['code', 'meta', 'message', 'data'],
  properties: {
    code: { type: 'integer' },
    meta: { type: 'integer' },
    message: { type: 'string' },
    data: {
      type: 'object',
      properties: {
        errors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['field', 'message'],
            properties: { field: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
} as const;
