import { submitTrackings } from '@pts/contract/batch';
import { registerMany } from '@pts/service/trackings/register';
import { operation } from '../../http/operation.ts';
import { asBulk, bulkWarnings, readAll, readItems, refuseDryRun, refusedView } from './bulk-items.ts';

/** POST /track/async */
export const trackAsync = operation(submitTrackings, {
  async run(deps, caller, input) {
    refuseDryRun(caller, input);
    const { account, baseUrl } = caller;
    const items = await readAll(deps, readItems(input), deps.bulkhead.slices(account.id));
    const { accepted, refused } = await asBulk(deps, account.id, () => registerMany(deps, account, items));
    const ids = [...new Set(accepted.map(({ tracking }) => tracking.id))];
    const poll = new URL(`${baseUrl}/api/v1/shipments`);
    poll.searchParams.set('ids', ids.join(','));
    return {
      accepted: accepted.length,
      poll_url: poll.href,
      error: refused.map(refusedView(baseUrl)),
      ...bulkWarnings(input),
    };
  },
});
