import { tracking, trackingById } from '@pts/contract/trackings';
import { ServiceError } from '@pts/core/errors';
import { findTracking } from '@pts/db/trackings/records';
import { operation } from '../../http/operation.ts';
import { TRACKING_EXAMPLE } from './example.ts';
import { viewTracking } from './view.ts';

/** GET /trackings/{id}: one tracking, as GET /trackings/get shows it. */
export const findTrackingEndpoint = operation({
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
    if (!found) throw new ServiceError('not_registered');
    return viewTracking(found, deps);
  },
});
