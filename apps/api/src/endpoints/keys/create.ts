import { createKey as contract } from '@pts/contract/operations/keys';
import { createKey as create } from '@pts/service/accounts/create-key';
import { unknownFields } from '../../http/body/unknown-fields.ts';
import { operation } from '../../http/operation.ts';
import { viewKey } from './view.ts';

const PROPERTIES = contract.request.properties;
const UNKNOWN = `is not a field of a key; it has ${Object.keys(PROPERTIES).join(', ')}`;

/** POST /keys */
export const createKey = operation(contract, {
  // Without a misspelt `networks` or `expires_at`, the key could do more than was meant.
  faults: (_deps, given) => unknownFields(given, PROPERTIES, { otherwise: () => UNKNOWN }),
  async run(deps, caller, wanted) {
    const { account } = caller;
    const { apiKey, ...key } = await create(deps, caller, wanted);
    return { key: apiKey, ...viewKey(key, account.testOf !== null || wanted.test === true) };
  },
});
