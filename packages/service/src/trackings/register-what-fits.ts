import { ServiceError } from '@pts/core/errors';
import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import { findKnown, newOnes } from '@pts/db/trackings/known';
import { findByNumbers } from '@pts/db/trackings/records';
import { type Registered, type Registration, registerTrackings } from '@pts/db/trackings/register';
import { nameTrackings, traced } from '@pts/runtime/tracing/tracing';
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
  const trackings = await registerFitting(ctx, account, acceptable.map(registrationOf));
  const registered: { given: Given; tracking: Registered }[] = [];
  for (const [index, { given }] of acceptable.entries()) {
    const tracking = trackings[index];
    if (tracking) registered.push({ given, tracking });
    else refused.push({ given, error: new ServiceError('quota_exhausted') });
  }
  return { registered, refused };
}

/** @returns for each registration its tracking; null if the quota is too small. */
async function registerFitting(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
): Promise<(Registered | null)[]> {
  let fits = registrations.map(() => true);
  for (let tries = 0; fits.includes(true) && tries <= TRIES; tries++) {
    const fitting = registrations.filter((_, index) => fits[index]);
    const result = await traced('store trackings', {}, () =>
      registerTrackings(ctx.db, placedBy(ctx, account, fitting)),
    );
    if (result.kind === 'registered') {
      nameTrackings(result.trackings.map(({ id }) => id));
      await wakePollers(ctx, result.trackings);
      const trackings = result.trackings.values();
      return fits.map((fit) => (fit ? (trackings.next().value ?? null) : null));
    }
    fits = await withinQuota(ctx, account, registrations, tries === TRIES - 1);
  }
  return registrations.map(() => null);
}

/** Which items fit: those that are already registered, and as many others as the quota allows. */
async function withinQuota(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
  onlyKnown: boolean,
): Promise<boolean[]> {
  const numbers = registrations.map(({ trackingNumber }) => trackingNumber);
  const known = await findByNumbers(ctx.db, account.id, numbers);
  const fresh = newOnes(registrations, known);
  const { quotaLimit } = placedBy(ctx, account, []);
  let left = onlyKnown ? 0 : Math.max(0, quotaLimit - (await quotaUsed(ctx.db, account.id, ctx.now())));
  const taken: Parameters<typeof findKnown>[1][number][] = [...known];
  return registrations.map((registration) => {
    if (findKnown(registration, taken)) return true;
    if (left === 0) return false;
    if (fresh.has(registration)) left -= 1;
    taken.push({ ...registration, candidates: null });
    return true;
  });
}
