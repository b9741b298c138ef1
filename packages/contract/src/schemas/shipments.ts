import { STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import { carrierCode, id, instant, pageLimit, status, subStatus, trackingEvent, trackingNumber } from '../common.ts';
import { lang, statusTexts } from '../languages.ts';

export const shipmentsQuery = {
  type: 'object',
  properties: {
    status: {
      type: 'string',
      maxLength: 30,
      description: `Only shipments of this \`status\` (${STATUSES.join(', ')}, percent-encoded) or \`sub_status\` (${SUB_STATUSES.join(', ')}).`,
      examples: ['派送中'],
    },
    limit: pageLimit,
    cursor: {
      type: 'string',
      maxLength: 200,
      description: 'The `next_cursor` of the previous page.',
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

export const shipment = {
  title: 'Shipment',
  type: 'object',
  description: 'A summary of a tracking: its status and its latest event.',
  required: ['id', 'tracking_number', 'carrier', 'status', 'sub_status', 'latest_event', 'updated_at'],
  properties: {
    id,
    tracking_number: trackingNumber,
    carrier: carrierCode,
    status,
    sub_status: subStatus,
    ...statusTexts,
    latest_event: { anyOf: [trackingEvent, { type: 'null' }], description: 'Null while there are no events.' },
    updated_at: { ...instant, description: 'The time of the last news.' },
  },
} as const;

export const shipmentsResponse = {
  title: 'ShipmentPage',
  type: 'object',
  required: ['shipments', 'next_cursor'],
  properties: {
    shipments: { type: 'array', items: shipment, description: 'Newest change first; empty if none match.' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'The value for `cursor` on the next page; null on the last page.',
    },
  },
} as const;
