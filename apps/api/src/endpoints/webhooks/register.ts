import { registerWebhook as contract } from '@pts/contract/operations/webhooks/webhooks';
import { registerWebhook as register } from '@pts/service/webhooks/register';
import { urlFaults } from '@pts/service/webhooks/url';
import { operation } from '../../http/operation.ts';
import { viewRegistered } from './view.ts';

/** POST /webhooks */
export const registerWebhook = operation(contract, {
  faults: urlFaults,
  async run(deps, { account }, { url, events, supersede }) {
    return viewRegistered(await register(deps, { accountId: account.id, url, events, supersede }));
  },
});
