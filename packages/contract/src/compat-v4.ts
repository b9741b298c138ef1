import { FAMILY_STATUS } from '@pts/core/webhook/family';
import { itemError } from './batch.ts';
import { id, instant, pageLimit, subStatus, warnings } from './common.ts';
import { candidate, courier, detectRequest } from './couriers.ts';
import { BODY_BYTES } from './limits.ts';
import { ANY_INPUT, defineRoute, NO_INPUT } from './operation.ts';
import { object, optional } from './schema.ts';
import { registerRequest, registerResponse } from './webhooks.ts';

const text = { type: 'string' } as const;
const optionalText = { type: ['string', 'null'] } as const;
const instantOrNull = { anyOf: [instant, { type: 'null' }] } as const;
const anyNull = { type: 'null' } as const;

/** The family's own states of a parcel. */
const deliveryStatus = { type: 'string', enum: [...new Set(Object.values(FAMILY_STATUS))] } as const;

const created = {
  id: text,
  tracking_number: text,
  courier_code: text,
  order_number: optionalText,
  created_at: instant,
  delivery_status: deliveryStatus,
} as const;

/** The response of a registration in version 4 of the API family. */
const v4Created = object({ ...created, warnings: optional(warnings) });

const checkpoint = object({
  checkpoint_date: instant,
  checkpoint_delivery_status: deliveryStatus,
  checkpoint_delivery_substatus: text,
  tracking_detail: text,
  location: text,
});

const originInfo = object({
  courier_code: text,
  courier_phone: optionalText,
  weblink: optionalText,
  trackinfo: { type: 'array', items: checkpoint },
});

/** A tracking in version 4 of the API family. */
const v4Record = object({
  ...created,
  customer_name: optionalText,
  customer_email: optionalText,
  customer_sms: optionalText,
  note: optionalText,
  language: optionalText,
  title: optionalText,
  update_at: instant,
  substatus: subStatus,
  archived: { type: 'boolean' },
  updating: { type: 'boolean' },
  source: text,
  destination_country: optionalText,
  tracking_postal_code: optionalText,
  latest_event: optionalText,
  latest_checkpoint_time: instantOrNull,
  scheduled_delivery_date: optionalText,
  status_info: optionalText,
  origin_info: originInfo,
  destination_info: anyNull,
  // Where the account includes them.
  transit_time: optional({ type: ['integer', 'null'] }),
  milestone_date: optional(
    object({
      pickup_date: instantOrNull,
      outfordelivery_date: instantOrNull,
      delivery_date: instantOrNull,
    }),
  ),
  signed_by: optional(optionalText),
  warnings: optional(warnings),
});

/** The response of a bulk registration: registered and refused numbers. */
const v4Batch = object({
  success: { type: 'array', items: v4Created },
  error: { type: 'array', items: itemError },
  warnings: optional(warnings),
});

export const idParam = object({ id });

/** The envelope of version 4 of the API family. */
export function v4Envelope(data: object) {
  return object({
    meta: object({ code: { const: 200 }, message: { type: 'string' } }),
    data,
  });
}

/** Without numbers, the newest trackings are returned: the family's clients drop the query on the way. */
const v4Query = {
  type: 'object',
  properties: {
    tracking_numbers: { type: 'string', maxLength: 4000 },
    order_numbers: { type: 'string', maxLength: 4000 },
    courier_code: { type: 'string', maxLength: 40 },
    items_amount: pageLimit,
  },
} as const;

/** Version 4 of the API family, below /v4. Each operation shares the limit of our equivalent operation. */
export const createV4 = defineRoute({
  method: 'post',
  path: '/trackings/create',
  limit: 'trackings.create',
  scope: 'write',
  input: 'body',
  request: ANY_INPUT,
  response: v4Created,
});

export const batchV4 = defineRoute({
  method: 'post',
  path: '/trackings/batch',
  limit: 'trackings.batch',
  scope: 'write',
  bodyBytes: BODY_BYTES.bulk,
  input: 'body',
  request: ANY_INPUT,
  response: v4Batch,
});

export const getV4 = defineRoute({
  method: 'get',
  path: '/trackings/get',
  limit: 'trackings.get',
  scope: 'read',
  input: 'query',
  request: v4Query,
  response: { type: 'array', items: v4Record },
});

export const updateV4 = defineRoute({
  method: 'put',
  path: '/trackings/update/:id',
  limit: 'trackings.one',
  scope: 'write',
  input: 'body',
  request: { type: 'object' },
  response: v4Record,
});

export const deleteV4 = defineRoute({
  method: 'delete',
  path: '/trackings/delete/:id',
  limit: 'trackings.one',
  scope: 'write',
  input: 'params',
  request: idParam,
  response: v4Created,
});

export const retrackV4 = defineRoute({
  method: 'post',
  path: '/trackings/retrack/:id',
  limit: 'trackings.retrack',
  scope: 'write',
  input: 'params',
  request: idParam,
  response: v4Record,
});

export const couriersV4 = defineRoute({
  method: 'get',
  path: '/couriers/all',
  limit: 'couriers',
  scope: 'read',
  input: null,
  cacheable: true,
  request: NO_INPUT,
  response: { type: 'array', items: courier },
});

export const detectV4 = defineRoute({
  method: 'post',
  path: '/couriers/detect',
  limit: 'detect',
  scope: 'read',
  bodyBytes: BODY_BYTES.number,
  input: 'body',
  request: detectRequest,
  response: { type: 'array', items: candidate },
});

/** A receiver of the family's pushes: it has the form of `/v4` and, unless it names events, one push per change. */
export const registerWebhookV4 = defineRoute({
  method: 'post',
  path: '/webhooks',
  limit: 'webhooks',
  scope: 'webhooks',
  input: 'body',
  request: {
    ...registerRequest,
    required: ['url'],
  },
  response: registerResponse,
});
