import { tracking, trackingById } from '@pts/contract/trackings';
import { ApiError } from '@pts/core/errors';
import { findTracking } from '@pts/db/trackings';
import { endpoint } from '../endpoint.ts';
import { TRACKING_EXAMPLE } from '../tracking-example.ts';
import { viewTracking } from '../views.ts';

/** GET /trackings/{id}: one tracking, as GET /trackings/get shows it. */
export const findTrackingEndpoint = endpoint({
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
  async run(deps, { account }, { id }) {
    const found = await findTracking(deps.db, account.id, id);
    if (!found) throw new ApiError('not_registered');
    return viewTracking(found, deps);
  },
});
