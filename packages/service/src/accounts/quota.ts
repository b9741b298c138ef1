import { quotaLimit, remaining } from '@pts/core/account';
import { monthOf, nextMonthOf } from '@pts/core/time';
import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import type { ServiceContext } from '../context.ts';

/** Units of the current UTC month, and when it started and ends. */
export type Quota = { limit: number; used: number; remaining: number; startsAt: Date; resetsAt: Date };

/** Reads the quota of an account for this month. */
export async function readQuota(
  { db, quotas, now }: Pick<ServiceContext, 'db' | 'quotas' | 'now'>,
  { id, plan, quotaOverride }: Pick<Account, 'id' | 'plan' | 'quotaOverride'>,
): Promise<Quota> {
  const at = now();
  const used = await quotaUsed(db, id, at);
  const limit = quotaLimit(plan, quotaOverride, quotas);
  return { limit, used, remaining: remaining(limit, used), startsAt: monthOf(at), resetsAt: nextMonthOf(at) };
}
