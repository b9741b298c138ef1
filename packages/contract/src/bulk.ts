import { createdTracking, createRequest } from './trackings.ts';

const itemError = {
  type: 'object',
  required: ['tracking_number', 'courier_code', 'errorCode', 'errorMessage'],
  properties: {
    tracking_number: { type: ['string', 'null'] },
    courier_code: { type: ['string', 'null'] },
    errorCode: { type: 'integer' },
    errorMessage: { type: 'string' },
  },
} as const;

/** One number of a bulk call, whose faults are told item by item. */
export const bulkItem = createRequest;

/** POST /trackings/batch. */
export const batchResponse = {
  type: 'object',
  required: ['success', 'error'],
  properties: { success: { type: 'array', items: createdTracking }, error: { type: 'array', items: itemError } },
} as const;

/** POST /track/async. */
export const asyncResponse = {
  type: 'object',
  required: ['accepted', 'poll_url', 'error'],
  properties: {
    accepted: { type: 'integer' },
    poll_url: { type: 'string' },
    error: { type: 'array', items: itemError },
  },
} as const;
