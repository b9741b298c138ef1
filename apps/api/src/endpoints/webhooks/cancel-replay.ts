import { cancelReplay as contract } from '@pts/contract/operations/webhooks/replays';
import { cancelReplay as cancel } from '@pts/service/deliveries';
import { operation } from '../../http/operation.ts';
import { viewReplay } from './replay-view.ts';

/** DELETE /webhooks/{id}/replays/{replay_id} */
export const cancelReplay = operation(contract, {
  async run(deps, { account }, { id, replay_id }) {
    return viewReplay(await cancel(deps, { accountId: account.id, webhookId: id, id: replay_id }));
  },
});
