import { defineOperation } from '../operation.ts';
import { retrackById, retrackRequest, retrackResponse } from '../schemas/retrack.ts';
import { EXAMPLE_ID, EXAMPLE_NUMBER } from './examples.ts';

const RETRACKED_EXAMPLE = { id: EXAMPLE_ID, status: '查询中', retracked_at: '2025-11-21T01:02:03Z' };

/** Checks a tracking with its carrier now, at most once an hour. */
export const retrackTracking = defineOperation({
  method: 'post',
  path: '/trackings/retrack/:id',
  limit: 'trackings.retrack',
  // A second retrack within the hour is refused with 4113.
  repeat: 'keyed',
  scope: 'write',
  input: 'params',
  request: retrackById,
  response: retrackResponse,
  doc: {
    id: 'retrackTracking',
    tag: 'Trackings',
    summary: 'Retrack',
    summaryZh: '按 id 重新查询',
    description:
      'Checks the tracking with its carrier now, at most once an hour; an earlier retrack is refused with 4113 and `Retry-After`. Also resumes an expired tracking. The response shows the state before the check: read the tracking a few seconds later.',
    errors: ['not_registered', 'invalid_id', 'retrack_too_soon'],
    example: { response: RETRACKED_EXAMPLE },
  },
});

/** Retracks by id, or by number and, if it is registered twice, carrier. */
export const retrackByNumber = defineOperation({
  method: 'post',
  path: '/trackings/retrack',
  limit: 'trackings.retrack',
  repeat: 'keyed',
  scope: 'write',
  input: 'body',
  request: retrackRequest,
  response: retrackResponse,
  doc: {
    id: 'retrackByNumber',
    tag: 'Trackings',
    summary: 'Retrack by number',
    summaryZh: '按运单号重新查询',
    description:
      'Retracks by `tracking_number` or `id`; if both are sent, they must name the same tracking. If the number is registered with several carriers, `courier_code` is required.',
    errors: [
      'not_registered',
      'invalid_id',
      'invalid_number',
      'number_missing',
      'retrack_too_soon',
      'field_needed',
      'unknown_courier',
    ],
    example: { request: { tracking_number: EXAMPLE_NUMBER }, response: RETRACKED_EXAMPLE },
  },
});
