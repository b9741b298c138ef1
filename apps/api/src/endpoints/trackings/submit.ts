import { BODY_BYTES } from '@pts/contract/body-limits';
import { asyncResponse, bareArray, submissionBody } from '@pts/contract/bulk';
import { ServiceError } from '@pts/core/errors';
import { readItems, registerMany } from '../../bulk.ts';
import { ANY_INPUT, operation } from '../../http/operation.ts';
import { INVALID_ITEM_EXAMPLE, isDryRun } from './batch.ts';

/** POST /track/async: accepts up to 40 numbers, and says where to poll for just these. Accepted means stored. */
export const trackAsync = operation({
  method: 'post',
  path: '/track/async',
  limit: 'track.async',
  bodyBytes: BODY_BYTES.bulk,
  input: 'body',
  request: ANY_INPUT,
  response: asyncResponse,
  doc: {
    id: 'submitTrackings',
    tag: 'Bulk',
    summary: 'Submit up to 40 numbers and poll for them',
    description:
      'Registers like `POST /trackings/batch`, and answers with a `poll_url` that lists just these: ask it after 15 seconds, then every minute. Numbers that are refused are told in `error` (4110, 4111, 4120, 4121, 4122 or 4130); the others go on. A bare array of trackings is taken as the body, too. There is no dry run: `POST /trackings/batch` has one.',
    errors: ['number_missing', 'batch_too_large', 'quota_exhausted'],
    requestBody: submissionBody,
    otherBody: bareArray,
    example: {
      request: { tracking_numbers: ['YT8962646785999', 'no'] },
      response: {
        accepted: 1,
        poll_url: 'https://tracking.example.cn/api/v1/shipments?ids=691f0a3c5d2b4e6f8a9c0d1e',
        error: [INVALID_ITEM_EXAMPLE],
      },
    },
  },
  async run(deps, caller, input) {
    if (isDryRun(caller, input)) throw noDryRun();
    const { trackings, errors } = await registerMany(deps, caller, readItems(input));
    const ids = [...new Set(trackings.map((tracking) => tracking.id))];
    const poll = new URL(`${caller.baseUrl}/api/v1/shipments`);
    poll.searchParams.set('ids', ids.join(','));
    return { accepted: trackings.length, poll_url: poll.href, error: errors };
  },
});

/** Who asks for a dry run must not be charged, so it is not passed over like other unknown fields. */
function noDryRun(): ServiceError {
  const message = 'is not taken here: send it to POST /trackings/batch, or leave it out';
  return new ServiceError('invalid_field', { fields: [{ field: 'dry_run', message }] });
}
