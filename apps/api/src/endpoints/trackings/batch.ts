import { createTrackings } from '@pts/contract/operations/bulk';
import { registerMany } from '@pts/service/trackings/bulk';
import { operation } from '../../http/operation.ts';
import { inTurnOf, isDryRun, previewInTurn, readAll, readItems, viewRefused } from './bulk-items.ts';
import { viewCreated, viewPreview } from './view.ts';

/** POST /trackings/batch */
export const batchTrackings = operation(createTrackings, {
  async run(deps, caller, input) {
    const asPreview = isDryRun(caller, input);
    const { account } = caller;
    const items = await readAll(deps, readItems(input), deps.bulkhead.turns(account.id));
    if (!asPreview) {
      // The next call does not wait for the wake-up of the pollers.
      const { trackings, refused } = await registerMany(deps, account, items, inTurnOf(deps, account.id));
      return { success: trackings.map(viewCreated), error: refused.map(viewRefused) };
    }
    const { trackings, refused } = await previewInTurn(deps, account, items);
    const success = trackings.map(viewPreview);
    const charged = success.reduce((sum, entry) => sum + entry.would_charge, 0);
    return { dry_run: true, success, error: refused.map(viewRefused), would_charge: charged };
  },
});
