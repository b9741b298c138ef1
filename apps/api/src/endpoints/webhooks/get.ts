import { getWebhook as contract } from '@pts/contract/webhooks';
import { findWebhook } from '@pts/db/webhooks/endpoints';
import { noSuchWebhook } from '@pts/service/webhooks/refusals';
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
