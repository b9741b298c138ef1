import { meResponse } from '@pts/contract/account';
import { toUtcSeconds } from '@pts/core/time';
import { NO_INPUT, operation } from '../../http/operation.ts';

/** GET /auth/me: whose key this is; any other answer than 200 says that it is nobody's. */
export const authMe = operation({
  method: 'get',
  path: '/auth/me',
  limit: 'account',
  input: null,
  request: NO_INPUT,
  response: meResponse,
  doc: {
    id: 'getMe',
    tag: 'Account',
    summary: 'Check an API key',
    description: 'Whose key this is. Any other answer than 200 says that it is nobody’s, and why.',
    example: {
      response: {
        ...{ account_id: '6909a1b2c3d4e5f60718293a', name: 'Hangzhou Jackets', plan: 'pro' },
        ...{ key: { hint: 'tk_…9f3c', created_at: '2025-11-04T06:58:10Z' }, status: 'active' },
      },
    },
  },
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
