import { meResponse } from '@pts/contract/account';
import { toUtcSeconds } from '@pts/core/time';
import { endpoint, NO_INPUT } from '../endpoint.ts';

/** GET /auth/me: whose key this is; any other answer than 200 says that it is nobody's. */
export const authMe = endpoint({
  method: 'get',
  path: '/auth/me',
  limit: 'account',
  input: null,
  request: NO_INPUT,
  response: meResponse,
  async run(_deps, { account: { id, name, plan }, keyHint, keyCreatedAt }) {
    return {
      account_id: id,
      name,
      plan,
      key: { hint: keyHint, created_at: toUtcSeconds(keyCreatedAt) },
      status: 'active',
    };
  },
});
