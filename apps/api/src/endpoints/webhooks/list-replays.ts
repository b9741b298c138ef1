import { listReplays as contract } from '@pts/contract/operations/webhooks/replays';
import { listReplays as list } from '@pts/db/deliveries/send-again';
import { findWebhook } from '@pts/db/webhooks';
import { noSuchWebhook } from '@pts/service/webhooks';
import { operation } from '../../http/operation.ts';
import { viewReplay } from './replay-view.ts';

/** GET /webhooks/{id}/replays */
export const listReplays = operation(contract, {
  async run({ db }, { account }, { id }) {
    if (!(await findWebhook(db, account.id, id))) throw noSuchWebhook();
    const replays = await list(db, account.id, id);
    return { count: replays.length, replays: replays.map(viewReplay) };
  },
});
