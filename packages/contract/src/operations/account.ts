import { defineOperation, NO_INPUT } from '../operation.ts';
import { accountResponse, meResponse } from '../schemas/account.ts';

/** Returns the account of an API key. */
export const getMe = defineOperation({
  method: 'get',
  path: '/auth/me',
  limit: 'account',
  repeat: 'safe',
  scope: null,
  input: null,
  request: NO_INPUT,
  response: meResponse,
  doc: {
    id: 'getMe',
    tag: 'Account',
    summary: 'Check an API key',
    summaryZh: '检查密钥',
    description:
      'Returns the account of the key. Any key may ask. Any other status means that the key cannot be used; `message` says why.',
    example: {
      response: {
        account_id: '6909a1b2c3d4e5f60718293a',
        name: 'Hangzhou Jackets',
        plan: 'pro',
        key: {
          id: '6909a1b2c3d4e5f607182940',
          hint: 'tk_3f1a…9f3c',
          name: 'ERP',
          test: false,
          scopes: ['read', 'write'],
          expires_at: null,
          networks: [],
          created_at: '2025-11-04T06:58:10Z',
        },
        status: 'active',
        test_keys: true,
      },
    },
  },
});

/** The quota of the current month. */
export const getAccount = defineOperation({
  method: 'get',
  path: '/account',
  limit: 'account',
  repeat: 'safe',
  scope: 'read',
  input: null,
  request: NO_INPUT,
  response: accountResponse,
  doc: {
    id: 'getAccount',
    tag: 'Account',
    summary: 'Read the plan and the quota',
    summaryZh: '账户与配额',
    description:
      'The quota of the current month, in UTC. Registering a new number uses one unit; reads, checks and pushes are free.',
    example: {
      response: {
        plan: 'pro',
        quota_limit: 10_000,
        quota_used: 42,
        quota_remaining: 9_958,
        period_start: '2025-11-01T00:00:00Z',
        resets_at: '2025-12-01T00:00:00Z',
      },
    },
  },
});
