import { getAccount as contract } from '@pts/contract/operations/account';
import { toUtcSeconds } from '@pts/core/time';
import { readQuota } from '@pts/service/accounts';
import { operation } from '../../http/operation.ts';

/** GET /account */
export const getAccount = operation(contract, {
  async run(deps, { account }) {
    const quota = await readQuota(deps, account);
    return {
      plan: account.plan,
      quota_limit: quota.limit,
      quota_used: quota.used,
      quota_remaining: quota.remaining,
      period_start: toUtcSeconds(quota.startsAt),
      resets_at: toUtcSeconds(quota.resetsAt),
    };
  },
});
