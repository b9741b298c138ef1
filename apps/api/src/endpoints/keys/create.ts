import { createKey as contract } from '@pts/contract/operations/keys';
import { createKey as create } from '@pts/service/accounts';
import { operation } from '../../http/operation.ts';
import { viewKey } from './view.ts';

/** POST /keys */
export const createKey = operation(contract, {
  async run(deps, caller, wanted) {
    const { account } = caller;
    const { apiKey, ...key } = await create(deps, caller, wanted);
    return { key: apiKey, ...viewKey(key, account.testOf !== null || wanted.test === true) };
  },
});
