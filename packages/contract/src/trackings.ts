import { freeText, id, instant, registrationInputs, status, subStatus, trackingEvent } from './common.ts';

/** POST /trackings/create: a number and what may come with it. */
export const createRequest = {
  type: 'object',
  required: ['tracking_number'],
  properties: { tracking_number: { type: 'string' }, ...registrationInputs },
} as const;

export const createdTracking = {
  type: 'object',
  required: ['id', 'tracking_number', 'carrier', 'status'],
  properties: {
    id,
    tracking_number: { type: 'string' },
    carrier: { type: 'string' },
    status,
    detected_carrier: { type: 'string' },
  },
} as const;

export const getQuery = {
  type: 'object',
  required: ['tracking_numbers'],
  properties: { tracking_numbers: { type: 'string', minLength: 1, maxLength: 4000 } },
} as const;

const optionalInstant = { anyOf: [instant, { type: 'null' }] } as const;

/** A tracking (spec section 2.3) and what is known of its checks. */
export const tracking = {
  type: 'object',
  required: [
    'id',
    'tracking_number',
    'carrier',
    'status',
    'sub_status',
    'events',
    'created_at',
    'updated_at',
    'last_checked_at',
    'next_check_at',
  ],
  properties: {
    id,
    tracking_number: { type: 'string' },
    carrier: { type: 'string' },
    detected_carrier: { type: 'string' },
    status,
    sub_status: subStatus,
    events: { type: 'array', items: trackingEvent },
    /** Why the carrier has no answer, and what to do. */
    notice: { type: 'string' },
    created_at: instant,
    updated_at: instant,
    last_checked_at: optionalInstant,
    next_check_at: optionalInstant,
    ...registrationInputs,
  },
} as const;

export const getResponse = {
  type: 'object',
  required: ['success'],
  properties: {
    success: { type: 'array', items: tracking },
    rejected: {
      type: 'array',
      items: {
        type: 'object',
        required: ['tracking_number', 'rejectedCode', 'rejectedMessage'],
        properties: {
          tracking_number: { type: 'string' },
          rejectedCode: { type: 'integer' },
          rejectedMessage: { type: 'string' },
        },
      },
    },
  },
} as const;

export const retrackById = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } as const;

export const retrackRequest = {
  type: 'object',
  properties: { id: { type: 'string' }, tracking_number: { type: 'string' }, courier_code: freeText(40) },
} as const;

export const retrackResponse = {
  type: 'object',
  required: ['id', 'status', 'retracked_at'],
  properties: { id, status, retracked_at: instant },
} as const;

export const shipmentsQuery = {
  type: 'object',
  properties: {
    status: { type: 'string', maxLength: 30 },
    limit: { type: 'string', pattern: '^([1-9]|[1-9][0-9]|1[0-9][0-9]|200)$' },
    cursor: { type: 'string', maxLength: 200 },
    /** Ids of trackings, separated by commas: what a `poll_url` asks for. */
    ids: { type: 'string', maxLength: 5000 },
  },
} as const;

export const shipmentsResponse = {
  type: 'object',
  required: ['shipments', 'next_cursor'],
  properties: {
    shipments: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'tracking_number', 'carrier', 'status', 'sub_status', 'latest_event', 'updated_at'],
        properties: {
          id,
          tracking_number: { type: 'string' },
          carrier: { type: 'string' },
          status,
          sub_status: subStatus,
          latest_event: { anyOf: [trackingEvent, { type: 'null' }] },
          updated_at: instant,
        },
      },
    },
    next_cursor: { type: ['string', 'null'] },
  },
} as const;
