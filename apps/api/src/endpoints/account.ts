import { accountResponse } from '@pts/contract/account';
import { quotaLimit, remaining } from '@pts/core/account/plan';
import { monthOf, nextMonthOf, toUtcSeconds } from '@pts/core/time';
import { quotaUsed } from '@pts/db/accounts';
import { endpoint, NO_INPUT } from '../endpoint.ts';

/** GET /account: how much of the month's quota is used. */
export const account = endpoint({
  method: 'get',
  path: '/account',
  limit: 'account',
  input: null,
  request: NO_INPUT,
  response: accountResponse,
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
