import { cancelBulkAction as cancelContract, getBulkAction as contract } from '@pts/contract/operations/bulk-actions';
import { cancelBulkAction as cancel, findBulkAction } from '@pts/service/bulk-actions';
import { requireScope } from '../../http/authenticate.ts';
import { operation } from '../../http/operation.ts';
import { viewBulkAction } from './view.ts';

/** GET /bulk/{id} */
export const getBulkAction = operation(contract, {
  run: async (deps, { account }, { id }) => viewBulkAction(await findBulkAction(deps, { accountId: account.id, id })),
});

/** DELETE /bulk/{id} */
export const cancelBulkAction = operation(cancelContract, {
  async run(deps, caller, { id }) {
    const key = { accountId: caller.account.id, id };
    const { action } = await findBulkAction(deps, key);
    requireScope(caller, action === 'redeliver' ? 'webhooks' : 'write');
    return viewBulkAction(await cancel(deps, key));
  },
});
