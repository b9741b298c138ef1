import { quotaUsed } from '@pts/db/accounts/accounts';
import type { Db } from '@pts/db/connection';
import { findKnown, newOnes } from '@pts/db/trackings/known';
import { findByNumbers } from '@pts/db/trackings/records';
import type { RegisterInput } from '@pts/db/trackings/register';

/** Which registrations fit: those of known numbers, and, unless `onlyKnown`, as many others as the quota allows, in their order. */
export async function withinQuota(
  db: Db,
  { accountId, quotaLimit, registrations, now }: RegisterInput,
  { onlyKnown }: { onlyKnown: boolean },
): Promise<boolean[]> {
  const numbers = registrations.map(({ trackingNumber }) => trackingNumber);
  const known = await findByNumbers(db, accountId, numbers);
  const fresh = newOnes(registrations, known);
  let left = onlyKnown ? 0 : Math.max(0, quotaLimit - (await quotaUsed(db, accountId, now)));
  const taken: Parameters<typeof findKnown>[1][number][] = [...known];
  return registrations.map((registration) => {
    if (findKnown(registration, taken)) return true;
    if (left === 0) return false;
    if (fresh.has(registration)) left -= 1;
    taken.push({ ...registration, candidates: null });
    return true;
  });
}
