import { carrierCode, instantOrNull, trackingNumber } from '../common.ts';

const courierFields = {
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
    description: 'Fields that it requires besides the number: `phone`, `postal_code` or `destination_country`.',
    examples: [['phone']],
  },
  trackable: { type: 'boolean', description: 'Whether this installation can track parcels of this carrier.' },
  tracked_by: {
    type: 'array',
    items: { type: 'string' },
    description:
      'The providers that this installation queries for it, in order: if one cannot answer for long, the next one is queried.',
    examples: [['kuaidi100']],
  },
} as const;
const courierRequired = [
  'courier_code',
  'courier_name',
  'courier_name_zh',
  'courier_country_iso2',
  'courier_url',
  'courier_phone',
  'courier_type',
  'tracking_required_fields',
  'trackable',
  'tracked_by',
] as const;

export const courier = {
  title: 'Courier',
  type: 'object',
  description: 'A carrier.',
  required: courierRequired,
  properties: courierFields,
} as const;

/** A carrier that may have issued the number. */
export const candidate = {
  title: 'CourierCandidate',
  type: 'object',
  description: 'A carrier that may have issued the number.',
  required: [...courierRequired, 'confidence'],
  properties: {
    ...courierFields,
    confidence: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: 'The confidence of the match: 100 is certain.',
    },
  },
} as const;

/** GET /couriers/all. */
export const couriersResponse = {
  title: 'CourierList',
  type: 'object',
  required: ['count', 'couriers'],
  properties: {
    count: { type: 'integer', description: 'The number of entries.' },
    couriers: { type: 'array', items: courier, description: 'The known carriers.' },
  },
} as const;

const health = {
  title: 'CourierHealth',
  type: 'object',
  description: 'Whether the parcels of a carrier are checked.',
  required: ['courier_code', 'state', 'late_seconds', 'paused_until', 'checked_at'],
  properties: {
    courier_code: courierFields.courier_code,
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
      description: 'How long the oldest check, of any account, has been waiting; up to a minute is normal.',
    },
    paused_until: { ...instantOrNull, description: 'Until when checks are paused; null if they are not.' },
    checked_at: { ...instantOrNull, description: 'When a regular check was last begun; null: not yet.' },
  },
} as const;

/** GET /couriers/health. */
export const couriersHealthResponse = {
  title: 'CourierHealthList',
  type: 'object',
  required: ['count', 'couriers'],
  properties: {
    count: { type: 'integer', description: 'The number of entries.' },
    couriers: { type: 'array', items: health, description: 'Those with most parcels first.' },
  },
} as const;

/** POST /carrier/detect. */
export const detectRequest = {
  title: 'NumberToDetect',
  type: 'object',
  required: ['tracking_number'],
  properties: {
    tracking_number: { ...trackingNumber, description: 'The number, as printed. Spaces and hyphens are ignored.' },
  },
} as const;

export const detectResponse = {
  title: 'Detection',
  type: 'object',
  required: ['tracking_number', 'carrier', 'candidates'],
  properties: {
    tracking_number: trackingNumber,
    carrier: {
      type: ['string', 'null'],
      description: 'The carrier that a registration would choose; null if none can be determined.',
      examples: ['yto'],
    },
    candidates: { type: 'array', items: candidate, description: 'Possible carriers of the number, best first.' },
  },
} as const;
