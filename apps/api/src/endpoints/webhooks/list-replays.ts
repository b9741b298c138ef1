import { listReplays as contract } from '@pts/contract/deliveries';
import { listReplays as list } from '@pts/db/deliveries/replays';
import { findWebhook } from '@pts/db/webhooks/endpoints';
import { noSuchWebhook } from '@pts/service/webhooks/refusals';
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
