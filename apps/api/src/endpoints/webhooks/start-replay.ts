import { startReplay as contract } from '@pts/contract/operations/webhooks/replays';
import { startReplay as start } from '@pts/service/deliveries/start-replay';
import { operation } from '../../http/operation.ts';
import { viewReplay } from './replay-view.ts';

/** POST /webhooks/{id}/replay */
export const startReplay = operation(contract, {
  async run(deps, { account }, { id, since, until }) {
    return viewReplay(await start(deps, { accountId: account.id, webhookId: id, since, until }));
  },
});
