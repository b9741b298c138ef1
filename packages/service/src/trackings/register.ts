import { type Plan, quotaLimit } from '@pts/core/account/plan';
import { ServiceError } from '@pts/core/errors';
import type { Account } from '@pts/db/accounts/accounts';
import { type Previewed, previewTrackings } from '@pts/db/trackings/preview';
import { type Registered, type Registration, registerTrackings } from '@pts/db/trackings/register';
import { currentOrigin, nameTrackings, traced } from '@pts/runtime/tracing/tracing';
import type { ServiceContext } from '../context.ts';
import { loadLearned } from './choose-carrier.ts';
import { type RegistrationInput, toRegistration } from './registration.ts';
import { wakePollers } from './wake-pollers.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now'>;

/**
 * Registers one number for an account, charges a unit if it is new, and checks it with its carrier at once.
 * @throws ServiceError when the number cannot be registered (`toRegistration`), and `quota_exhausted`.
 */
export async function registerTracking(
  ctx: Context & Pick<ServiceContext, 'sandbox' | 'learned'>,
  account: Account,
  input: RegistrationInput,
): Promise<Registered> {
  await loadLearned(ctx, [input]);
  const [tracking] = await registerAll(ctx, account, [toRegistration(ctx, input)]);
  if (!tracking) throw new Error('a registration came back with no tracking');
  return tracking;
}

/** What `registerTracking` would do now: nothing is stored, charged or queried. @throws ServiceError as it does. */
export async function previewTracking(
  ctx: Pick<Context, 'db' | 'providers' | 'quotas' | 'now'> & Pick<ServiceContext, 'sandbox' | 'learned'>,
  account: Account,
  input: RegistrationInput,
): Promise<Previewed> {
  await loadLearned(ctx, [input]);
  const [preview] = await previewAll(ctx, account, [toRegistration(ctx, input)]);
  if (!preview) throw new Error('a preview came back with no tracking');
  return preview;
}

/**
 * Registers numbers for an account: new ones are charged together, or, if the quota is too small for them,
 * nothing is stored. Their carriers are checked at once.
 * @returns one entry for each registration, in their order.
 * @throws ServiceError `quota_exhausted`.
 */
export async function registerAll(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
): Promise<Registered[]> {
  const result = await traced('store trackings', {}, () =>
    registerTrackings(ctx.db, placedBy(ctx, account, registrations)),
  );
  if (result.kind === 'quota_exhausted') throw new ServiceError('quota_exhausted');
  nameTrackings(result.trackings.map(({ id }) => id));
  await wakePollers(ctx, result.trackings);
  return result.trackings;
}

/** What `registerAll` would do now: nothing is stored, charged or queried. @throws ServiceError `quota_exhausted`. */
export async function previewAll(
  ctx: Pick<Context, 'db' | 'quotas' | 'now'>,
  account: Account,
  registrations: readonly Registration[],
): Promise<Previewed[]> {
  const result = await previewTrackings(ctx.db, placedBy(ctx, account, registrations));
  if (result.kind === 'quota_exhausted') throw new ServiceError('quota_exhausted');
  return result.trackings;
}

/** Adds the account, its quota, the time and the request to registrations. */
export function placedBy(
  { quotas, now }: { quotas: Record<Plan, number>; now(): Date },
  account: Account,
  registrations: readonly Registration[],
) {
  const limit = quotaLimit(account.plan, account.quotaOverride, quotas);
  const origin = currentOrigin();
  const placed = registrations.map((registration) => ({ ...registration, origin }));
  return { accountId: account.id, quotaLimit: limit, registrations: placed, now: now() };
}
