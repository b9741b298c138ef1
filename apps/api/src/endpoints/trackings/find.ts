import { getTracking } from '@pts/contract/operations/trackings';
import { findRegistered } from '@pts/service/trackings/trackings';
import { operation } from '../../http/operation.ts';
import { viewTracking } from './view.ts';

/** GET /trackings/{id} */
export const findTrackingEndpoint = operation(getTracking, {
  async run(deps, caller, { id }) {
    return viewTracking(await findRegistered(deps, caller.account.id, id), deps, caller);
  },
});
