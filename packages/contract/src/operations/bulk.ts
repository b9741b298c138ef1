import { ERRORS } from '@pts/core/errors';
import { BODY_BYTES } from '../body-limits.ts';
import { ANY_INPUT, defineOperation } from '../operation.ts';
import { asyncResponse, bareArray, batchAnswer, bulkBody, bulkQuery, submissionBody } from '../schemas/bulk.ts';
import { EXAMPLE_ID, EXAMPLE_NUMBER } from './examples.ts';

/** An example of a refused number of a bulk call. */
const INVALID_ITEM_EXAMPLE = {
  index: 1,
  field: 'tracking_number',
  tracking_number: 'no',
  courier_code: null,
  errorCode: ERRORS.invalid_number.number,
  errorMessage: 'Invalid: tracking_number must have 5 to 50 letters and digits; spaces and hyphens are dropped.',
  docs_url: `https://api.example.com/docs/errors/${ERRORS.invalid_number.number}`,
};

/** Registers up to 40 numbers at once; each invalid one is reported separately. */
export const createTrackings = defineOperation({
  method: 'post',
  path: '/trackings/batch',
  limit: 'trackings.batch',
  repeat: 'safe',
  scope: 'write',
  bodyBytes: BODY_BYTES.bulk,
  input: 'body',
  request: ANY_INPUT,
  response: batchAnswer,
  doc: {
    id: 'createTrackings',
    tag: 'Bulk',
    summary: 'Register up to 40 numbers at once',
    summaryZh: '批量注册运单号',
    description:
      'Refused numbers are listed in `error`, each with its error number and reason (4110, 4111, 4120, 4121, 4122 or 4130); the others are registered. The quota is all or nothing: if it is too small for the new numbers, none is stored and none is charged. The body can also be a bare array of trackings. With `dry_run`, nothing is stored and the response says what would happen; with a bare array, send `dry_run` in the query.',
    errors: ['number_missing', 'batch_too_large', 'quota_exhausted'],
    requestBody: bulkBody,
    otherBody: bareArray,
    query: bulkQuery,
    example: {
      request: { trackings: [{ tracking_number: EXAMPLE_NUMBER, order_id: 'A-1001' }, { tracking_number: 'no' }] },
      response: {
        success: [
          {
            id: EXAMPLE_ID,
            tracking_number: EXAMPLE_NUMBER,
            carrier: 'yto',
            status: '查询中',
            detected_carrier: 'yto',
          },
        ],
        error: [INVALID_ITEM_EXAMPLE],
      },
    },
  },
});

/** Accepts up to 40 numbers and returns a URL to poll for exactly these. Accepted means stored. */
export const submitTrackings = defineOperation({
  method: 'post',
  path: '/track/async',
  limit: 'track.async',
  repeat: 'safe',
  scope: 'write',
  bodyBytes: BODY_BYTES.bulk,
  input: 'body',
  request: ANY_INPUT,
  response: asyncResponse,
  doc: {
    id: 'submitTrackings',
    tag: 'Bulk',
    summary: 'Submit up to 40 numbers and poll for them',
    summaryZh: '异步提交运单号',
    description:
      'Registers numbers like `POST /trackings/batch` and returns a `poll_url` that lists exactly these trackings: request it after 15 seconds, then every minute. Refused numbers are listed in `error` (4110, 4111, 4120, 4121, 4122 or 4130); the others are registered. The body can also be a bare array of trackings. For a dry run, use `POST /trackings/batch`.',
    errors: ['number_missing', 'batch_too_large', 'quota_exhausted'],
    requestBody: submissionBody,
    otherBody: bareArray,
    example: {
      request: { tracking_numbers: [EXAMPLE_NUMBER, 'no'] },
      response: {
        accepted: 1,
        poll_url: `https://tracking.example.cn/api/v1/shipments?ids=${EXAMPLE_ID}`,
        error: [INVALID_ITEM_EXAMPLE],
      },
    },
  },
});
