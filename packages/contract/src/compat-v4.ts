import { id, instant } from './common.ts';

const text = { type: 'string' } as const;
const optionalText = { type: ['string', 'null'] } as const;

/** The family's own states of a parcel. */
const deliveryStatus = {
  type: 'string',
  enum: [
    'pending',
    'notfound',
    'inforeceived',
    'transit',
    'pickup',
    'delivered',
    'undelivered',
    'exception',
    'expired',
  ],
} as const;

const created = {
  id: text,
  tracking_number: text,
  courier_code: text,
  order_number: optionalText,
  created_at: instant,
  delivery_status: deliveryStatus,
} as const;

/** What a registration answers in version 4 of the API family. */
export const v4Created = { type: 'object', required: Object.keys(created), properties: created } as const;

/** A tracking in version 4 of the API family. */
export const v4Record = {
  type: 'object',
  required: [...Object.keys(created), 'title', 'update_at', 'latest_event', 'latest_checkpoint_time', 'origin_info'],
  properties: {
    ...created,
    title: optionalText,
    update_at: instant,
    latest_event: optionalText,
    latest_checkpoint_time: { anyOf: [instant, { type: 'null' }] },
    origin_info: {
      type: 'object',
      required: ['courier_code', 'trackinfo'],
      properties: {
        courier_code: text,
        trackinfo: {
          type: 'array',
          items: {
            type: 'object',
            required: ['checkpoint_date', 'checkpoint_delivery_status', 'tracking_detail', 'location'],
            properties: {
              checkpoint_date: instant,
              checkpoint_delivery_status: deliveryStatus,
              tracking_detail: text,
              location: text,
            },
          },
        },
      },
    },
  },
} as const;

export const idParam = { type: 'object', required: ['id'], properties: { id } } as const;

/** The envelope of version 4 of the API family. */
export function v4Envelope(data: object) {
  return {
    type: 'object',
    required: ['meta', 'data'],
    properties: {
      meta: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { const: 200 }, message: { type: 'string' } },
      },
      data,
    },
  } as const;
}
