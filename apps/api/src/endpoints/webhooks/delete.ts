import { deleteWebhook as contract } from '@pts/contract/operations/webhooks/webhooks';
import { deleteWebhook as remove } from '@pts/db/webhooks';
import { noSuchWebhook } from '@pts/service/webhooks';
import { operation } from '../../http/operation.ts';

/** DELETE /webhooks/{id} */
export const deleteWebhook = operation(contract, {
  async run({ db }, { account }, { id }) {
    if (!(await remove(db, account.id, id))) throw noSuchWebhook();
    return { id };
  },
});
