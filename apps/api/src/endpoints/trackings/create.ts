import { createTracking as contract } from '@pts/contract/operations/trackings';
import { previewAll, registerAll } from '@pts/service/trackings/register';
import { registrationFaults, toRegistration } from '@pts/service/trackings/registration';
import { operation } from '../../http/operation.ts';
import { viewCreated, viewPreview } from './view.ts';

/** POST /trackings/create */
export const createTracking = operation(contract, {
  faults: registrationFaults,
  async run(deps, { account }, input) {
    const registration = toRegistration(deps, input);
    if (input.dry_run) {
      const [preview] = await previewAll(deps, account, [registration]);
      if (!preview) throw new Error('a preview came back with no tracking');
      return viewPreview(preview);
    }
    const [tracking] = await registerAll(deps, account, [registration]);
    if (!tracking) throw new Error('a registration came back with no tracking');
    return viewCreated(tracking);
  },
});
