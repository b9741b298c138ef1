import { PLANS } from '@pts/core/account';
import { id, instant } from '../common.ts';
import { apiKey } from './keys.ts';

const plan = { title: 'Plan', type: 'string', enum: PLANS, description: "The account's plan." } as const;

/** GET /auth/me: the account of the key. */
export const meResponse = {
  title: 'Me',
  type: 'object',
  required: ['account_id', 'name', 'plan', 'key', 'status', 'test_keys'],
  properties: {
    account_id: { ...id, description: 'The id of the account.' },
    name: { type: 'string', description: 'The name of the account.', examples: ['merchant'] },
    plan,
    key: { ...apiKey, description: 'The key that was sent.' },
    status: {
      type: 'string',
      enum: ['active'],
      description: 'Always `active`: a disabled account is refused with 401.',
    },
    test_keys: { type: 'boolean', description: 'Whether this installation has test keys: `test` in `POST /keys`.' },
  },
} as const;

/** GET /account: the quota of the current UTC month. */
export const accountResponse = {
  title: 'Account',
  type: 'object',
  required: ['plan', 'quota_limit', 'quota_used', 'quota_remaining', 'period_start', 'resets_at'],
  properties: {
    plan,
    quota_limit: { type: 'integer', description: 'Units in this month.', examples: [10000] },
    quota_used: { type: 'integer', description: 'Units used: one for each new tracking.', examples: [42] },
    quota_remaining: { type: 'integer', minimum: 0, description: 'Units left.', examples: [9958] },
    period_start: { ...instant, description: 'The start of this month, in UTC.' },
    resets_at: { ...instant, description: 'The start of the next month, in UTC: the quota is full again.' },
  },
} as const;
