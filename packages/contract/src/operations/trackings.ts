import { defineOperation } from '../operation.ts';
import {
  changeRequest,
  createBody,
  createResponse,
  deletedTracking,
  getQuery,
  getResponse,
  tracking,
  trackingById,
} from '../trackings.ts';
import { EXAMPLE_ID, EXAMPLE_NUMBER, TRACKING_EXAMPLE } from './examples.ts';

/** Registers a number, charges a unit if it is new, and has its carrier asked at once (spec section 4.2). */
export const createTracking = defineOperation({
  method: 'post',
  path: '/trackings/create',
  limit: 'trackings.create',
  input: 'body',
  request: createBody,
  response: createResponse,
  doc: {
    id: 'createTracking',
    tag: 'Trackings',
    summary: 'Register a tracking number',
    description:
      'Takes one unit of quota and has the carrier asked at once; its answer takes 3 to 15 seconds. A number that is registered already is answered as it is and costs nothing, so it is safe to repeat. The carrier is detected unless `courier_code` names it. Where the carrier answers only with a further field (`tracking_required_fields` in `GET /couriers/all`) a number without it is refused with 4122, which names the field, and nothing is charged. With `dry_run` only what would happen is answered.',
    errors: [
      ...(['invalid_number', 'number_missing', 'unknown_courier', 'carrier_undetected'] as const),
      ...(['field_needed', 'quota_exhausted'] as const),
    ],
    example: {
      request: { tracking_number: EXAMPLE_NUMBER, order_id: 'A-1001', metadata: { shop: 'hangzhou' } },
      response: {
        ...{ id: EXAMPLE_ID, tracking_number: EXAMPLE_NUMBER, carrier: 'yto' },
        ...{ status: '查询中', detected_carrier: 'yto' },
      },
    },
  },
});

/** The trackings of up to 40 numbers, in the order asked. */
export const getTrackings = defineOperation({
  method: 'get',
  path: '/trackings/get',
  limit: 'trackings.get',
  input: 'query',
  request: getQuery,
  response: getResponse,
  doc: {
    id: 'getTrackings',
    tag: 'Trackings',
    summary: 'Read trackings by their numbers',
    description:
      'Up to 40 numbers, answered in the order asked. When some are not registered, they are told in `rejected`; when none is, the answer is 4102. A number that is registered with several carriers is answered once for each. Do not loop over this to follow parcels: it has the strictest limit.',
    errors: ['not_registered', 'batch_too_large', 'number_missing', 'invalid_number'],
    example: { request: { tracking_numbers: EXAMPLE_NUMBER }, response: { success: [TRACKING_EXAMPLE] } },
  },
});

/** One tracking, as `getTrackings` shows it. */
export const getTracking = defineOperation({
  method: 'get',
  path: '/trackings/:id',
  limit: 'trackings.one',
  input: 'params',
  request: trackingById,
  response: tracking,
  doc: {
    id: 'getTracking',
    tag: 'Trackings',
    summary: 'Read one tracking by its id',
    errors: ['not_registered', 'invalid_id', 'not_found'],
    example: { response: TRACKING_EXAMPLE },
  },
});

/** Changes what the merchant said of a parcel; this is where a wrong carrier is corrected. */
export const updateTracking = defineOperation({
  method: 'patch',
  path: '/trackings/:id',
  limit: 'trackings.one',
  input: 'body',
  request: changeRequest,
  response: tracking,
  doc: {
    id: 'updateTracking',
    tag: 'Trackings',
    summary: 'Change a tracking, or its carrier',
    description:
      'Null clears `title`, `order_id` and `metadata`; `metadata` is replaced as a whole. Another `courier_code` (`auto` detects it again) moves the tracking to that carrier at no charge: what the former carrier said is dropped, the status is 查询中 again, and the new one is asked at once, or as soon as its provider may be asked about this number again. `updated_at` is the time of the last news, so it moves with the carrier only.',
    errors: ['not_registered', 'invalid_id', 'not_found', 'unknown_courier', 'carrier_undetected'],
    example: { request: { courier_code: 'yto', title: null }, response: TRACKING_EXAMPLE },
  },
});

/** Stops polling for a parcel, and forgets it. */
export const deleteTracking = defineOperation({
  method: 'delete',
  path: '/trackings/:id',
  limit: 'trackings.one',
  input: 'params',
  request: trackingById,
  response: deletedTracking,
  doc: {
    id: 'deleteTracking',
    tag: 'Trackings',
    summary: 'Remove a tracking',
    description:
      'It is watched no longer and cannot be read any more. Its unit of quota is not given back; registering the number again is charged. What is already owed to webhooks is still delivered, and its events stay in `GET /events`.',
    errors: ['not_registered', 'invalid_id', 'not_found'],
    example: { response: { id: EXAMPLE_ID } },
  },
});
