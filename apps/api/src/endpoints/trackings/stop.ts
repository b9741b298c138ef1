import { stopTracking as contract } from '@pts/contract/operations/trackings';
import { stopTracking as stop } from '@pts/service/trackings/trackings';
import { operation } from '../../http/operation.ts';
import { viewTracking } from './view.ts';

/** POST /trackings/{id}/stop */
export const stopTracking = operation(contract, {
  run: async (deps, caller, { id }) =>
    viewTracking(await stop(deps, { accountId: caller.account.id, id }), deps, caller),
});
