import { TRACKING_FIELD_SCHEMAS } from '@pts/core/tracking/fields';
import {
  carrierCode,
  documentedWith,
  EXAMPLE_NUMBER,
  entryCount,
  instantOrNull,
  TYPED_NUMBER,
  trackingNumber,
} from './common.ts';
import { BODY_BYTES } from './limits.ts';
import { defineOperation, NO_INPUT, type OperationDoc } from './operation.ts';
import { object, optional } from './schema.ts';

export const courier = object(
  {
    courier_code: { ...carrierCode, description: 'The carrier code, as used in `courier_code` and `carrier`.' },
    courier_name: { type: 'string', description: 'Its name in English.', examples: ['YTO Express'] },
    courier_name_zh: { type: 'string', description: 'Its name in Chinese.', examples: ['圆通速递'] },
    courier_country_iso2: {
      type: 'string',
      description: 'Its home country: ISO 3166-1 alpha-2.',
      examples: ['CN'],
    },
    courier_url: { type: 'string', description: 'Its website.', examples: ['https://www.yto.net.cn'] },
    courier_phone: { type: ['string', 'null'], description: 'Its hotline.', examples: ['95554'] },
    courier_type: {
      title: 'CourierType',
      type: 'string',
      enum: ['express', 'globalpost', 'freight'],
      description: '`express` carries parcels door to door, `globalpost` is a national post, `freight` moves pallets.',
    },
    tracking_required_fields: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The fields that the carrier requires besides the number: `phone`, `postal_code` or `destination_country`.',
      examples: [['phone']],
    },
    trackable: { type: 'boolean', description: 'Whether this installation can track parcels of this carrier.' },
    tracked_by: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The providers that this installation queries for the carrier, in order. If one is unavailable for long, the next one is queried.',
      examples: [['kuaidi100']],
    },
  },
  { title: 'Courier', description: 'A carrier.' },
);

/** A carrier that may have issued the number. */
export const candidate = object(
  {
    ...courier.properties,
    confidence: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: 'The confidence of the match, up to 100 for certain.',
    },
  },
  { title: 'CourierCandidate', description: 'A carrier that may have issued the number.' },
);

const health = object(
  {
    courier_code: courier.properties.courier_code,
    state: {
      title: 'CourierHealthState',
      type: 'string',
      enum: ['on_time', 'late', 'paused', 'unserved'],
      description:
        '`paused`: its source does not answer, and is asked again at `paused_until`; nothing is lost. `unserved`: this installation cannot check it.',
    },
    late_seconds: {
      type: 'integer',
      minimum: 0,
      description: 'How long the oldest check of any account has been waiting. Up to a minute is normal.',
    },
    paused_until: { ...instantOrNull, description: 'When the pause of the checks ends; null if they are not paused.' },
    checked_at: { ...instantOrNull, description: 'When a regular check last started; null if none has.' },
  },
  { title: 'CourierHealth', description: 'Whether the parcels of a carrier are checked.' },
);

/** POST /carrier/detect. */
export const detectRequest = object(
  {
    tracking_number: documentedWith(
      { ...trackingNumber, description: 'The number, as printed. Spaces and hyphens are ignored.' },
      TYPED_NUMBER,
    ),
    destination_country: optional({
      ...TRACKING_FIELD_SCHEMAS.destination_country,
      description:
        'The destination country (ISO 3166-1 alpha-2). If the format of the number fits several carriers, those of this country come first.',
    }),
    phone: optional({
      ...TRACKING_FIELD_SCHEMAS.phone,
      description: "The recipient's or sender's phone number. A calling code also indicates a country.",
      examples: ['+82 10 2840 1736'],
    }),
  },
  { title: 'NumberToDetect' },
);

export const detectResponse = object(
  {
    tracking_number: trackingNumber,
    carrier: {
      type: ['string', 'null'],
      description: 'The carrier that a registration would choose; null if none can be determined.',
      examples: ['yto'],
    },
    candidates: { type: 'array', items: candidate, description: 'Possible carriers of the number, best first.' },
  },
  { title: 'Detection' },
);

const COURIER_EXAMPLE = {
  courier_code: 'yto',
  courier_name: 'YTO Express',
  courier_name_zh: '圆通速递',
  courier_country_iso2: 'CN',
  courier_url: 'https://www.yto.net.cn',
  courier_phone: '95554',
  courier_type: 'express',
  tracking_required_fields: [],
  trackable: true,
  tracked_by: ['kuaidi100'],
};

export const listCouriers = defineOperation({
  method: 'get',
  path: '/couriers/all',
  limit: 'couriers',
  repeat: 'safe',
  scope: 'read',
  input: null,
  cacheable: true,
  request: NO_INPUT,
  response: object(
    {
      count: entryCount,
      couriers: { type: 'array', items: courier, description: 'The known carriers.' },
    },
    { title: 'CourierList' },
  ),
  doc: {
    id: 'listCouriers',
    tag: 'Carriers',
    summary: 'List the known carriers',
    summaryZh: '列出承运商',
    description:
      'Use the codes in `courier_code`. `trackable` says whether this installation can track parcels of a carrier. The list rarely changes, so cache it and revalidate with `If-None-Match`.',
    example: { response: { count: 1, couriers: [COURIER_EXAMPLE] } },
  },
});

export const getCouriersHealth = defineOperation({
  method: 'get',
  path: '/couriers/health',
  limit: 'account',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: object(
    {
      count: entryCount,
      couriers: { type: 'array', items: health, description: 'The carriers of your parcels, most parcels first.' },
    },
    { title: 'CourierHealthList' },
  ),
  doc: {
    id: 'getCouriersHealth',
    tag: 'Carriers',
    summary: 'Read whether carriers are checked on time',
    summaryZh: '承运商是否按时查询',
    description:
      'For each carrier of your parcels, whether the service checks it on time, is late, or has paused because its provider is not responding.',
    example: {
      response: {
        count: 1,
        couriers: [
          {
            courier_code: 'yto',
            state: 'paused',
            late_seconds: 312,
            paused_until: '2026-03-01T16:05:00Z',
            checked_at: '2026-03-01T15:58:12Z',
          },
        ],
      },
    },
  },
});

/** Possible carriers of a number, best first. It registers nothing. */
export const detectCarrier = detectAt('/carrier/detect', {
  id: 'detectCarrier',
  summaryZh: '识别承运商',
  description:
    'Nothing is registered or charged. `carrier` is the one that a registration without `courier_code` would choose. If the number matches no carrier, the list is empty.',
});

/** Possible carriers of a number, best first, under the API family's own path. It registers nothing. */
export const detectCourier = detectAt('/couriers/detect', {
  id: 'detectCourier',
  summaryZh: '识别承运商（兼容）',
  description: 'Same as `POST /carrier/detect`, under the path that the API family uses.',
});

function detectAt(path: string, named: Pick<OperationDoc, 'id' | 'summaryZh' | 'description'>) {
  return defineOperation({
    method: 'post',
    path,
    limit: 'detect',
    repeat: 'safe',
    scope: 'read',
    bodyBytes: BODY_BYTES.number,
    input: 'body',
    request: detectRequest,
    response: detectResponse,
    doc: {
      ...named,
      tag: 'Carriers',
      summary: 'Detect the carrier of a number',
      errors: ['invalid_number', 'number_missing'],
      example: {
        request: { tracking_number: EXAMPLE_NUMBER },
        response: {
          tracking_number: EXAMPLE_NUMBER,
          carrier: 'yto',
          candidates: [{ ...COURIER_EXAMPLE, confidence: 95 }],
        },
      },
    },
  });
}
