import { accountResponse } from '@pts/contract/account';
import { quotaLimit, remaining } from '@pts/core/account/plan';
import { monthOf, nextMonthOf, toUtcSeconds } from '@pts/core/time';
import { quotaUsed } from '@pts/db/accounts/accounts';
import { NO_INPUT, operation } from '../../http/operation.ts';

/** GET /account: how much of the month's quota is used. */
export const account = operation({
  method: 'get',
  path: '/account',
  limit: 'account',
  input: null,
  request: NO_INPUT,
  response: accountResponse,
  doc: {
    id: 'getAccount',
    tag: 'Account',
    summary: 'Read the plan and the quota',
    description:
      'The quota of the running month, in UTC. A unit is used when a number is registered for the first time; reading, checking and pushing cost nothing.',
    example: {
      response: {
        ...{ plan: 'pro', quota_limit: 10_000, quota_used: 42, quota_remaining: 9_958 },
        ...{ period_start: '2025-11-01T00:00:00Z', resets_at: '2025-12-01T00:00:00Z' },
      },
    },
  },
  async run({ db, quotas, now }, { account: { id, plan, quotaOverride } }) {
    const at = now();
    const used = await quotaUsed(db, id, at);
    const limit = quotaLimit(plan, quotaOverride, quotas);
    return {
      plan,
      quota_limit: limit,
      quota_used: used,
      quota_remaining: remaining(limit, used),
      period_start: toUtcSeconds(monthOf(at)),
      resets_at: toUtcSeconds(nextMonthOf(at)),
    };
  },
});
