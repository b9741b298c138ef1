import { getQuery, getResponse } from '@pts/contract/trackings';
import { ApiError, ERRORS } from '@pts/core/errors';
import { normaliseNumber } from '@pts/core/tracking/number';
import { findByNumbers } from '@pts/db/trackings/records';
import { operation } from '../../http/operation.ts';
import { TRACKING_EXAMPLE } from './example.ts';
import { viewTracking } from './view.ts';

const MOST_NUMBERS = 40;

/** GET /trackings/get: the trackings of up to 40 numbers, in the order asked. */
export const getTrackings = operation({
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
    example: { request: { tracking_numbers: 'YT8962646785999' }, response: { success: [TRACKING_EXAMPLE] } },
  },
  async run(deps, { account }, { tracking_numbers }) {
    const asked = tracking_numbers
      .split(',')
      .map((text) => text.trim())
      .filter((text) => text !== '');
    if (asked.length === 0) throw new ApiError('number_missing');
    if (asked.length > MOST_NUMBERS) throw new ApiError('batch_too_large');
    const numbers = [...new Set(asked.map((text) => normaliseNumber(text) ?? text))];
    const found = await findByNumbers(deps.db, account.id, numbers);
    if (found.length === 0) throw new ApiError('not_registered');
    const success = numbers
      .flatMap((number) => found.filter((record) => record.trackingNumber === number))
      .map((record) => viewTracking(record, deps));
    const known = new Set(found.map((record) => record.trackingNumber));
    const rejected = numbers.filter((number) => !known.has(number)).map(reject);
    return { success, ...(rejected.length > 0 ? { rejected } : {}) };
  },
});

function reject(number: string) {
  const { number: rejectedCode, text } = ERRORS.not_registered;
  return { tracking_number: number, rejectedCode, rejectedMessage: text };
}
