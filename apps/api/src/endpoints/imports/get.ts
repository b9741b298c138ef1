import { cancelImport as cancelContract, getImport as contract } from '@pts/contract/operations/imports';
import type { Account } from '@pts/db/accounts/accounts';
import type { Import } from '@pts/db/imports';
import { cancelImport as cancel, findImport } from '@pts/service/imports';
import type { ApiDeps } from '../../deps.ts';
import { operation } from '../../http/operation.ts';
import { viewImports } from './view.ts';

/** GET /imports/{id} */
export const getImport = operation(contract, {
  run: async (deps, { account }, { id }) =>
    viewOne(deps, account, await findImport(deps, { accountId: account.id, id })),
});

/** DELETE /imports/{id} */
export const cancelImport = operation(cancelContract, {
  run: async (deps, { account }, { id }) => viewOne(deps, account, await cancel(deps, { accountId: account.id, id })),
});

async function viewOne(deps: ApiDeps, account: Account, found: Import) {
  const [view] = await viewImports(deps, account, [found]);
  if (!view) throw new Error('an import has no view');
  return view;
}
