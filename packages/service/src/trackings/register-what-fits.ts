import { ServiceError } from '@pts/core/errors';
import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import { findByNumbers } from '@pts/db/trackings/records';
import { type Registered, type Registration, registerTrackings } from '@pts/db/trackings/register';
import type { ServiceContext } from '../context.ts';
import { type BulkItem, type Refused, registrationOf, splitItems } from './bulk.ts';
import { placedBy } from './register.ts';
import { wakePollers } from './wake-pollers.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now'>;

/** Retries to fit a batch into a quota that concurrent requests use up. */
const TRIES = 3;

/**
 * Registers the items of one part of a stream in one statement. If the quota is too small, as many as fit are
 * registered, in their order, and the others are refused with `quota_exhausted`; numbers that are registered already need
 * no quota. The carriers of new ones are checked at once.
 */
export async function registerWhatFits<Given>(
  ctx: Context,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<{ registered: { given: Given; tracking: Registered }[]; refused: Refused<Given>[] }> {
  const { acceptable, refused } = splitItems(items);
  const byKey = await registerFitting(ctx, account, acceptable.map(registrationOf));
  const registered: { given: Given; tracking: Registered }[] = [];
  for (const { given, registration } of acceptable) {
    const tracking = byKey.get(keyOf(registration));
    if (tracking) registered.push({ given, tracking });
    else refused.push({ given, error: new ServiceError('quota_exhausted') });
  }
  return { registered, refused };
}

/** The key of a registration within its account. */
function keyOf({ trackingNumber, carrier }: { trackingNumber: string; carrier: string }): string {
  return `${trackingNumber} ${carrier}`;
}

/** @returns what was registered, by `keyOf`. */
async function registerFitting(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
): Promise<Map<string, Registered>> {
  let fitting = registrations;
  for (let tries = 0; fitting.length > 0 && tries <= TRIES; tries++) {
    const result = await registerTrackings(ctx.db, placedBy(ctx, account, fitting));
    if (result.kind === 'registered') {
      await wakePollers(ctx, result.trackings);
      // If a number is given twice, the first entry says whether it was created.
      return new Map(result.trackings.toReversed().map((tracking) => [keyOf(tracking), tracking]));
    }
    fitting = await withinQuota(ctx, account, fitting, tries === TRIES - 1);
  }
  return new Map();
}

/** The items that are already registered, and as many others as the quota allows. */
async function withinQuota(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
  onlyKnown: boolean,
): Promise<Registration[]> {
  const numbers = registrations.map(({ trackingNumber }) => trackingNumber);
  const known = new Set((await findByNumbers(ctx.db, account.id, numbers)).map(keyOf));
  const { quotaLimit } = placedBy(ctx, account, []);
  let left = onlyKnown ? 0 : Math.max(0, quotaLimit - (await quotaUsed(ctx.db, account.id, ctx.now())));
  return registrations.filter((registration) => {
    const key = keyOf(registration);
    if (known.has(key)) return true;
    if (left === 0) return false;
    left -= 1;
    known.add(key);
    return true;
  });
}
