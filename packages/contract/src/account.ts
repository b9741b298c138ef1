import { PLANS } from '@pts/core/account/plan';
import { id, instant } from './common.ts';

const plan = { type: 'string', enum: PLANS } as const;

/** GET /auth/me: whose key this is. */
export const meResponse = {
  type: 'object',
  required: ['account_id', 'name', 'plan', 'key', 'status'],
  properties: {
    account_id: id,
    name: { type: 'string' },
    plan,
    key: {
      type: 'object',
      required: ['hint', 'created_at'],
      properties: { hint: { type: 'string' }, created_at: instant },
    },
    status: { const: 'active' },
  },
} as const;

/** GET /account: the quota of the running UTC month. */
export const accountResponse = {
  type: 'object',
  required: ['plan', 'quota_limit', 'quota_used', 'quota_remaining', 'period_start', 'resets_at'],
  properties: {
    plan,
    quota_limit: { type: 'integer' },
    quota_used: { type: 'integer' },
    quota_remaining: { type: 'integer', minimum: 0 },
    period_start: instant,
    resets_at: instant,
  },
} as const;
