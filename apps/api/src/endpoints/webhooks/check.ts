import { checkWebhook as contract } from '@pts/contract/operations/webhooks/webhook-tests';
import { checkWebhook as check } from '@pts/service/webhooks';
import { operation } from '../../http/operation.ts';

/** POST /webhooks/{id}/check */
export const checkWebhook = operation(contract, {
  async run(deps, { account }, { id }) {
    return check(deps, { account, id });
  },
});
