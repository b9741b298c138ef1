import { rotateWebhookSecret as contract } from '@pts/contract/operations/webhooks/webhooks';
import { rotateWebhookSecret as rotate } from '@pts/service/webhooks';
import { operation } from '../../http/operation.ts';
import { viewRegistered } from './view.ts';

/** POST /webhooks/{id}/rotate-secret */
export const rotateWebhookSecret = operation(contract, {
  async run(deps, { account }, { id }) {
    return viewRegistered(await rotate(deps, { accountId: account.id, id }));
  },
});
