import { getWebhook as contract } from '@pts/contract/operations/webhooks/webhooks';
import { findWebhook } from '@pts/db/webhooks';
import { noSuchWebhook } from '@pts/service/webhooks';
import { operation } from '../../http/operation.ts';
import { viewWebhook } from './view.ts';

/** GET /webhooks/{id} */
export const getWebhook = operation(contract, {
  async run({ db, now }, { account }, { id }) {
    const found = await findWebhook(db, account.id, id);
    if (!found) throw noSuchWebhook();
    return viewWebhook(db, found, now());
  },
});
