import { createTracking as contract } from '@pts/contract/operations/trackings';
import { previewTracking, registerTracking, registrationFaults } from '@pts/service/trackings/register';
import { operation } from '../../http/operation.ts';
import { viewCreated, viewPreview } from './view.ts';

/** POST /trackings/create */
export const createTracking = operation(contract, {
  faults: registrationFaults,
  async run(deps, { account }, input) {
    if (input.dry_run) return viewPreview(await previewTracking(deps, account, input));
    return viewCreated(await registerTracking(deps, account, input));
  },
});
