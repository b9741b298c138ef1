import { quotaLimit } from '@pts/core/account';
import type { Account } from '@pts/db/accounts/accounts';
import { correctUsed } from '@pts/db/accounts/quota';
import type { ServiceContext } from '../context.ts';
import { type Quota, readQuota } from './quota.ts';

/**
 * Corrects the units that an account has used this month: negative ones are given back, positive ones are charged.
 * @returns the quota afterwards; null, with nothing changed, if fewer are left than would be charged.
 */
export async function correctQuota(
  ctx: Pick<ServiceContext, 'db' | 'quotas' | 'now'>,
  account: Pick<Account, 'id' | 'plan' | 'quotaOverride'>,
  units: number,
): Promise<Quota | null> {
  const limit = quotaLimit(account.plan, account.quotaOverride, ctx.quotas);
  const used = await correctUsed(ctx.db, { accountId: account.id, units, quotaLimit: limit, now: ctx.now() });
  return used === null ? null : await readQuota(ctx, account);
}
