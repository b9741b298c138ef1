import { getMe as contract } from '@pts/contract/account';
import { operation } from '../../http/operation.ts';
import { viewKey } from '../keys/view.ts';

/** GET /auth/me */
export const getMe = operation(contract, {
  async run({ hasTestMode }, { account: { id, name, plan, testOf }, key }) {
    return {
      account_id: id,
      name,
      plan,
      key: viewKey(key, testOf !== null),
      status: 'active' as const,
      test_keys: hasTestMode,
    };
  },
});
