import { deleteWebhook as contract } from '@pts/contract/webhooks';
import { deleteWebhook as remove } from '@pts/db/webhooks/endpoints';
import { noSuchWebhook } from '@pts/service/webhooks/refusals';
import { operation } from '../../http/operation.ts';

/** DELETE /webhooks/{id} */
export const deleteWebhook = operation(contract, {
  async run({ db }, { account }, { id }) {
    if (!(await remove(db, account.id, id))) throw noSuchWebhook();
    return { id };
  },
});
