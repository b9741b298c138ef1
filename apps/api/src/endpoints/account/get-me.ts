import { getMe as contract } from '@pts/contract/operations/account';
import { toUtcSeconds } from '@pts/core/time';
import { operation } from '../../http/operation.ts';

/** GET /auth/me */
export const getMe = operation(contract, {
  async run(_deps, { account: { id, name, plan }, keyHint, keyCreatedAt }) {
    return {
      account_id: id,
      name,
      plan,
      key: { hint: keyHint, created_at: toUtcSeconds(keyCreatedAt) },
      status: 'active' as const,
    };
  },
});
