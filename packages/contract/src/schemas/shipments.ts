import { ATTENTION_REASONS, REASON_TEXTS } from '@pts/core/attention';
import { MIN_SEARCHED } from '@pts/core/search';
import { STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import {
  carrierCode,
  freeText,
  id,
  instant,
  pageLimit,
  status,
  subStatus,
  trackingEvent,
  trackingNumber,
} from '../common.ts';
import { lang, latestEventLang, statusTexts } from '../languages.ts';
import { estimatedDelivery } from './estimated-delivery.ts';
import { registrationInputs } from './merchant-fields.ts';

const REASONS = ATTENTION_REASONS.map((reason) => `\`${reason}\`: ${REASON_TEXTS[reason]}`).join('; ');

/** A time in any zone. */
function bound(description: string) {
  return {
    type: 'string',
    format: 'date-time',
    maxLength: 40,
    description: `${description} RFC 3339, any time zone.`,
    examples: ['2025-11-01T00:00:00Z'],
  } as const;
}

/** Which shipments: of lists, exports and bulk actions. */
export const shipmentFilters = {
  status: {
    type: 'string',
    maxLength: 30,
    description: `Only shipments of this \`status\` (${STATUSES.join(', ')}, percent-encoded) or \`sub_status\` (${SUB_STATUSES.join(', ')}); or \`active\`: those that are neither delivered, returned nor expired.`,
    examples: ['派送中'],
  },
  q: {
    ...freeText(100),
    description: `Only shipments whose tracking number, order id or title contains this text: at least ${MIN_SEARCHED} characters, or 2 of Chinese, Japanese or Korean. Upper and lower case are the same; spaces and hyphens in a tracking number do not matter.`,
    examples: ['jacket'],
  },
  carrier: { ...freeText(40), description: 'Only shipments of this carrier, by its code.', examples: ['yto'] },
  created_after: bound('Only shipments registered at this time or later, in whole seconds.'),
  created_before: bound('Only shipments registered before this time, in whole seconds.'),
  updated_after: bound('Only shipments whose last news came at this time or later (`updated_at`).'),
  updated_before: bound('Only shipments whose last news came before this time.'),
  needs_attention: {
    title: 'AttentionFilter',
    type: 'string',
    enum: ['true', ...ATTENTION_REASONS],
    description: `Only shipments that need attention: \`true\` for any reason, or one of the reasons. ${REASONS}.`,
  },
} as const;

export const SORTS = ['-updated_at', 'updated_at', '-created_at', 'created_at'] as const;

const sort = {
  type: 'string',
  enum: SORTS,
  description:
    'The order: by the time of the last news, or of the registration; with `-`, newest first. Within a second, registrations have no particular order.',
} as const;
const listSort = { ...sort, title: 'ShipmentSort', default: '-updated_at' } as const;
/** Of an order that a change does not alter: while a file is written, shipments change. */
const exportSort = { ...sort, title: 'ExportSort', default: '-created_at' } as const;

export const shipmentsQuery = {
  type: 'object',
  properties: {
    ...shipmentFilters,
    sort: listSort,
    count: {
      type: 'string',
      enum: ['true', 'false'],
      description:
        'With `true`, the response says how many shipments match (`total`), unless counting them takes too long.',
    },
    limit: pageLimit,
    cursor: {
      type: 'string',
      maxLength: 200,
      description: 'The `next_cursor` of the previous page. Send it with the same filters and the same order.',
      examples: ['MTc2MzY4ODg1MjAwMC42OTFmMGEzYzVkMmI0ZTZmOGE5YzBkMWU'],
    },
    ids: {
      type: 'string',
      maxLength: 5000,
      description: 'Only these trackings: ids, separated by commas. A `poll_url` contains them.',
      examples: ['691f0a3c5d2b4e6f8a9c0d1e'],
    },
    lang,
  },
} as const;

export const exportQuery = { type: 'object', properties: { ...shipmentFilters, sort: exportSort } } as const;

const reason = {
  title: 'AttentionReason',
  type: 'string',
  enum: ATTENTION_REASONS,
  description: `${REASONS}. More may be added.`,
} as const;
const message = { type: 'string', description: 'The reason in words, for humans. The wording may change.' } as const;

export const shipment = {
  title: 'Shipment',
  type: 'object',
  description: 'A summary of a tracking: its status and its latest event.',
  required: ['id', 'tracking_number', 'carrier', 'status', 'sub_status', 'latest_event', 'created_at', 'updated_at'],
  properties: {
    id,
    tracking_number: trackingNumber,
    carrier: carrierCode,
    status,
    sub_status: subStatus,
    ...statusTexts,
    latest_event: { anyOf: [trackingEvent, { type: 'null' }], description: 'Null while there are no events.' },
    latest_event_lang: latestEventLang,
    order_id: registrationInputs.order_id,
    title: registrationInputs.title,
    estimated_delivery: estimatedDelivery,
    attention: {
      title: 'Attention',
      type: 'object',
      description: 'Why the shipment needs somebody’s attention; absent if it does not.',
      required: ['reason', 'message'],
      properties: { reason, message },
    },
    created_at: { ...instant, description: 'When the number was registered.' },
    updated_at: { ...instant, description: 'The time of the last news.' },
  },
} as const;

export const shipmentsResponse = {
  title: 'ShipmentPage',
  type: 'object',
  required: ['shipments', 'next_cursor'],
  properties: {
    shipments: {
      type: 'array',
      items: shipment,
      description:
        'In the requested order; empty if none match. With filters that few of many shipments match, a page may have fewer entries than `limit`, even none, although `next_cursor` is not null.',
    },
    next_cursor: {
      type: ['string', 'null'],
      description: 'The value for `cursor` on the next page; null on the last page.',
    },
    total: {
      type: 'integer',
      minimum: 0,
      description: 'With `count=true`: how many shipments match, on all pages. Absent if counting them took too long.',
    },
    total_is_lower_bound: {
      type: 'boolean',
      description: 'With `count=true`: whether there may be more than `total`. Up to 10,000 are counted.',
    },
  },
} as const;
