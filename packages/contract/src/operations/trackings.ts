import { lang } from '../languages.ts';
import { defineOperation } from '../operation.ts';
import {
  changedTracking,
  changeRequest,
  createBody,
  createResponse,
  deletedTracking,
  getQuery,
  getResponse,
  tracking,
  trackingById,
} from '../schemas/trackings.ts';
import { EXAMPLE_ID, EXAMPLE_NUMBER, TRACKING_EXAMPLE } from './examples.ts';

/** Registers a number, charges a unit if it is new, and checks it with its carrier at once (spec section 4.2). */
export const createTracking = defineOperation({
  method: 'post',
  path: '/trackings/create',
  limit: 'trackings.create',
  // For a registered number, the existing tracking is returned, and it is charged once.
  repeat: 'safe',
  scope: 'write',
  input: 'body',
  request: createBody,
  response: createResponse,
  doc: {
    id: 'createTracking',
    tag: 'Trackings',
    summary: 'Register a tracking number',
    summaryZh: '注册一个运单号',
    description:
      'Uses one unit of quota. The carrier is queried at once and takes 3 to 15 seconds to answer. For a number that is already registered, the existing tracking is returned at no cost, so the request is safe to repeat. The carrier is detected unless `courier_code` names it. If the number may belong to several carriers, `candidates` lists them; they are checked one after another, for the same unit, until one knows it. If the carrier requires a further field (`tracking_required_fields` in `GET /couriers/all`), a number without it is refused with 4122, which names the field, and nothing is charged. With `dry_run`, nothing is stored and the response says what would happen.',
    errors: [
      'invalid_number',
      'number_missing',
      'unknown_courier',
      'carrier_undetected',
      'field_needed',
      'quota_exhausted',
    ],
    example: {
      request: { tracking_number: EXAMPLE_NUMBER, order_id: 'A-1001', metadata: { shop: 'hangzhou' } },
      response: {
        id: EXAMPLE_ID,
        tracking_number: EXAMPLE_NUMBER,
        carrier: 'yto',
        status: '查询中',
        detected_carrier: 'yto',
      },
    },
  },
});

/** The trackings of up to 40 numbers, in the order requested. */
export const getTrackings = defineOperation({
  method: 'get',
  path: '/trackings/get',
  limit: 'trackings.get',
  repeat: 'safe',
  scope: 'read',
  input: 'query',
  request: getQuery,
  response: getResponse,
  localized: true,
  doc: {
    id: 'getTrackings',
    tag: 'Trackings',
    summary: 'Read trackings by their numbers',
    summaryZh: '按运单号读取',
    description:
      'Returns up to 40 trackings in the order requested. Numbers that are not registered are listed in `rejected`; if none is registered, the request fails with 4102. A number that is registered with several carriers is returned once for each. Do not poll this endpoint to follow parcels: it has the strictest limit.',
    errors: ['not_registered', 'batch_too_large', 'number_missing', 'invalid_number'],
    example: { request: { tracking_numbers: EXAMPLE_NUMBER }, response: { success: [TRACKING_EXAMPLE] } },
  },
});

/** One tracking, as `getTrackings` shows it. */
export const getTracking = defineOperation({
  method: 'get',
  path: '/trackings/:id',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'read',
  input: 'params',
  request: trackingById,
  response: tracking,
  localized: true,
  doc: {
    query: { properties: { lang } },
    id: 'getTracking',
    tag: 'Trackings',
    summary: 'Read one tracking by its id',
    summaryZh: '读取一个包裹',
    errors: ['not_registered', 'invalid_id', 'not_found', 'invalid_field'],
    example: { response: TRACKING_EXAMPLE },
  },
});

/** Changes the merchant's fields of a parcel, for example to correct a wrong carrier. */
export const updateTracking = defineOperation({
  method: 'patch',
  path: '/trackings/:id',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'write',
  input: 'body',
  request: changeRequest,
  response: changedTracking,
  localized: true,
  doc: {
    query: { properties: { lang } },
    id: 'updateTracking',
    tag: 'Trackings',
    summary: 'Change a tracking or its carrier',
    summaryZh: '修改一个包裹',
    description:
      'Null clears a field; `metadata` is replaced as a whole. If `phone`, `postal_code` or `destination_country` changes, the carrier is queried with it at once, or as soon as its provider allows, at no charge. A `courier_code` decides a number with `candidates`. Another one (`auto` detects it again) moves the tracking to that carrier at no charge: the history from the former carrier is dropped, the status returns to 查询中, and the new carrier is queried at once, or as soon as its provider allows. `updated_at` is the time of the last news, so only a change of carrier updates it.',
    errors: ['not_registered', 'invalid_id', 'not_found', 'unknown_courier', 'carrier_undetected'],
    example: { request: { courier_code: 'yto', title: null }, response: TRACKING_EXAMPLE },
  },
});

/** Stops polling for a parcel, which stays. */
export const stopTracking = defineOperation({
  method: 'post',
  path: '/trackings/:id/stop',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'write',
  input: 'params',
  request: trackingById,
  response: tracking,
  localized: true,
  doc: {
    query: { properties: { lang } },
    id: 'stopTracking',
    tag: 'Trackings',
    summary: 'Stop polling a tracking',
    summaryZh: '停止查询一个包裹',
    description:
      'The tracking stays as it is and can still be read; it gets no more news and sends no more events. A retrack resumes polling. Stopping it again changes nothing. Its unit of quota is not refunded.',
    errors: ['not_registered', 'invalid_id', 'not_found', 'invalid_field'],
    example: {
      response: { ...TRACKING_EXAMPLE, watch: { mode: 'stopped', interval_seconds: null }, next_check_at: null },
    },
  },
});

/** Stops polling for a parcel and deletes it. */
export const deleteTracking = defineOperation({
  method: 'delete',
  path: '/trackings/:id',
  limit: 'trackings.one',
  // A second DELETE finds nothing: a success would look like a failure.
  repeat: 'once',
  scope: 'write',
  input: 'params',
  request: trackingById,
  response: deletedTracking,
  doc: {
    id: 'deleteTracking',
    tag: 'Trackings',
    summary: 'Remove a tracking',
    summaryZh: '停止跟踪一个包裹',
    description:
      'Polling stops and the tracking can no longer be read. Its unit of quota is not refunded; registering the number again is charged. Pending webhook deliveries are still sent, and its events stay in `GET /events`.',
    errors: ['not_registered', 'invalid_id', 'not_found'],
    example: { response: { id: EXAMPLE_ID } },
  },
});
