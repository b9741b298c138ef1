import { createTrackings } from '@pts/contract/batch';
import { previewMany, registerMany } from '@pts/service/trackings/register';
import { operation } from '../../http/operation.ts';
import { asBulk, bulkWarnings, isDryRun, readAll, readItems, refusedView } from './bulk-items.ts';
import { viewCreated, viewPreview } from './view.ts';

/** POST /trackings/batch */
export const batchTrackings = operation(createTrackings, {
  async run(deps, caller, input) {
    const asPreview = isDryRun(caller, input);
    const { account, baseUrl } = caller;
    const items = await readAll(deps, readItems(input), deps.bulkhead.slices(account.id));
    if (!asPreview) {
      const { accepted, refused } = await asBulk(deps, account.id, () => registerMany(deps, account, items));
      return {
        success: accepted.map(({ tracking }) => viewCreated(tracking)),
        error: refused.map(refusedView(baseUrl)),
        ...bulkWarnings(input),
      };
    }
    const { accepted, refused } = await asBulk(deps, account.id, () => previewMany(deps, account, items));
    const success = accepted.map(({ tracking }) => viewPreview(tracking));
    const charged = success.reduce((sum, entry) => sum + entry.would_charge, 0);
    return {
      dry_run: true,
      success,
      error: refused.map(refusedView(baseUrl)),
      would_charge: charged,
      ...bulkWarnings(input),
    };
  },
});
