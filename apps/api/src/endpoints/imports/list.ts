import { listImports as contract } from '@pts/contract/operations/imports';
import { listImports as list } from '@pts/db/imports';
import { operation } from '../../http/operation.ts';
import { viewImports } from './view.ts';

/** GET /imports */
export const listImports = operation(contract, {
  async run(deps, { account }) {
    const imports = await viewImports(deps, account, await list(deps.db, account.id));
    return { count: imports.length, imports };
  },
});
