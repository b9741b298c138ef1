import { listBulkActions as contract } from '@pts/contract/operations/bulk-actions';
import { listBulkActions as list } from '@pts/db/bulk-actions';
import { operation } from '../../http/operation.ts';
import { viewBulkAction } from './view.ts';

/** GET /bulk */
export const listBulkActions = operation(contract, {
  async run(deps, { account }) {
    const found = await list(deps.db, account.id);
    return { count: found.length, bulk_actions: found.map(viewBulkAction) };
  },
});
