const courierFields = {
  courier_code: { type: 'string' },
  courier_name: { type: 'string' },
  courier_name_zh: { type: 'string' },
  courier_country_iso2: { type: 'string' },
  courier_url: { type: 'string' },
  courier_phone: { type: ['string', 'null'] },
  courier_type: { type: 'string', enum: ['express', 'globalpost', 'freight'] },
  tracking_required_fields: { type: 'array', items: { type: 'string' } },
  trackable: { type: 'boolean' },
} as const;
const courierRequired = Object.keys(courierFields);

/** GET /couriers/all. */
export const couriersResponse = {
  type: 'object',
  required: ['count', 'couriers'],
  properties: {
    count: { type: 'integer' },
    couriers: { type: 'array', items: { type: 'object', required: courierRequired, properties: courierFields } },
  },
} as const;

/** POST /carrier/detect. */
export const detectRequest = {
  type: 'object',
  required: ['tracking_number'],
  properties: { tracking_number: { type: 'string' } },
} as const;

export const detectResponse = {
  type: 'object',
  required: ['tracking_number', 'carrier', 'candidates'],
  properties: {
    tracking_number: { type: 'string' },
    carrier: { type: ['string', 'null'] },
    candidates: {
      type: 'array',
      items: {
        type: 'object',
        required: [...courierRequired, 'confidence'],
        properties: { ...courierFields, confidence: { type: 'integer', minimum: 0, maximum: 100 } },
      },
    },
  },
} as const;
