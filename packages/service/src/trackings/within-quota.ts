import { quotaLimit } from '@pts/core/account/plan';
import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import { findKnown, newOnes } from '@pts/db/trackings/known';
import { findByNumbers } from '@pts/db/trackings/records';
import type { Registration } from '@pts/db/trackings/register';
import type { ServiceContext } from '../context.ts';

/** Units per month. */
export function quotaOf({ quotas }: Pick<ServiceContext, 'quotas'>, { plan, quotaOverride }: Account): number {
  return quotaLimit(plan, quotaOverride, quotas);
}

/** Which registrations fit: those of known numbers, and, unless `onlyKnown`, as many others as the quota allows, in their order. */
export async function withinQuota(
  ctx: Pick<ServiceContext, 'db' | 'quotas' | 'now'>,
  account: Account,
  registrations: readonly Registration[],
  { onlyKnown }: { onlyKnown: boolean },
): Promise<boolean[]> {
  const numbers = registrations.map(({ trackingNumber }) => trackingNumber);
  const known = await findByNumbers(ctx.db, account.id, numbers);
  const fresh = newOnes(registrations, known);
  let left = onlyKnown ? 0 : Math.max(0, quotaOf(ctx, account) - (await quotaUsed(ctx.db, account.id, ctx.now())));
  const taken: Parameters<typeof findKnown>[1][number][] = [...known];
  return registrations.map((registration) => {
    if (findKnown(registration, taken)) return true;
    if (left === 0) return false;
    if (fresh.has(registration)) left -= 1;
    taken.push({ ...registration, candidates: null });
    return true;
  });
}
