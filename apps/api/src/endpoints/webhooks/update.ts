import { updateWebhook as contract } from '@pts/contract/operations/webhooks/webhooks';
import { nothingToChange } from '@pts/core/errors';
import { changeWebhook, urlFaults } from '@pts/service/webhooks';
import { operation } from '../../http/operation.ts';
import { viewWebhook } from './view.ts';

/** PATCH /webhooks/{id} */
export const updateWebhook = operation(contract, {
  faults: urlFaults,
  async run(deps, { account }, { id, url, events, enabled, supersede }) {
    if ([url, events, enabled, supersede].every((value) => value === undefined)) {
      throw nothingToChange(['url', 'events', 'enabled', 'supersede']);
    }
    const change = { url, events, enabled, supersede };
    const changed = await changeWebhook(deps, { accountId: account.id, id, change });
    return viewWebhook(deps.db, changed, deps.now());
  },
});
