import { startReplay as contract } from '@pts/contract/operations/webhooks/replays';
import { countReplay, startReplay as start } from '@pts/service/deliveries';
import { operation } from '../../http/operation.ts';
import { viewReplay, viewReplayCount } from './replay-view.ts';

/** POST /webhooks/{id}/replay */
export const startReplay = operation(contract, {
  async run(deps, { account }, { id: webhookId, since, until, dry_run: isDryRun }) {
    const wanted = { accountId: account.id, webhookId, since, until };
    return isDryRun
      ? viewReplayCount(webhookId, await countReplay(deps, wanted))
      : viewReplay(await start(deps, wanted));
  },
});
