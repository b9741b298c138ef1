import { getTracking } from '@pts/contract/operations/trackings';
import { unknownTracking } from '@pts/core/errors';
import { findTracking } from '@pts/db/trackings/records';
import { operation } from '../../http/operation.ts';
import { viewTracking } from './view.ts';

/** GET /trackings/{id} */
export const findTrackingEndpoint = operation(getTracking, {
  async run(deps, { account }, { id }) {
    const found = await findTracking(deps.db, account.id, id);
    if (!found) throw unknownTracking();
    return viewTracking(found, deps);
  },
});
