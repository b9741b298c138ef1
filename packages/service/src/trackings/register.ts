import { type Plan, quotaLimit } from '@pts/core/account/plan';
import { ServiceError } from '@pts/core/errors';
import type { Account } from '@pts/db/accounts/accounts';
import { isDatabaseAway } from '@pts/db/connection/client';
import { type Previewed, previewTrackings } from '@pts/db/trackings/preview';
import { type Registered, type Registration, registerTrackings } from '@pts/db/trackings/register';
import type { ServiceContext } from '../context.ts';
import { loadLearned } from './choose-carrier.ts';
import { type RegistrationInput, toRegistration } from './registration.ts';
import { wakePollers } from './wake-pollers.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now'>;

/** Runs a statement for an item when its turn comes, perhaps together with items of other bulk calls of the account. */
export type InTurn = <I, O>(item: I, work: (items: I[]) => Promise<O[]>) => Promise<O>;

/** The outcome of one call. */
export type Outcome = { trackings: Registered[] } | { error: unknown };

async function alone<I, O>(item: I, work: (items: I[]) => Promise<O[]>): Promise<O> {
  const [outcome] = await work([item]);
  return outcome as O;
}

/**
 * Registers one number for an account, charges a unit if it is new, and checks it with its carrier at once.
 * @throws ServiceError when the number cannot be registered (`toRegistration`), and `quota_exhausted`.
 */
export async function registerTracking(
  ctx: Pick<ServiceContext, 'registerOne' | 'db' | 'providers' | 'sandbox' | 'learned' | 'now'>,
  account: Account,
  input: RegistrationInput,
): Promise<Registered> {
  await loadLearned(ctx, [input]);
  return ctx.registerOne(account, toRegistration(ctx, input));
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
 * @param inTurn runs the statement, when it may run.
 * @returns one entry for each registration, in their order.
 * @throws ServiceError `quota_exhausted`.
 */
export async function registerAll(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
  inTurn: InTurn = alone,
): Promise<Registered[]> {
  if (registrations.length === 0) return [];
  const outcome = await inTurn(registrations, (calls) => registerCalls(ctx, account, calls));
  if ('error' in outcome) throw outcome.error;
  await wakePollers(ctx, outcome.trackings);
  return outcome.trackings;
}

/**
 * Registers what several calls of an account ask for, in one statement, or, if it is refused, in one for each in their
 * order: only those that cannot be stored fail.
 */
export async function registerCalls(
  ctx: Context,
  account: Account,
  calls: readonly (readonly Registration[])[],
): Promise<Outcome[]> {
  const isAlone = calls.length === 1;
  const registrations = calls.flat();
  try {
    const result = await registerTrackings(ctx.db, placedBy(ctx, account, registrations));
    if (result.kind === 'registered' && (isAlone || result.trackings.length === registrations.length))
      return divide(result.trackings, calls);
    if (isAlone) return [{ error: new ServiceError('quota_exhausted') }];
  } catch (error) {
    if (isAlone || isDatabaseAway(error)) throw error;
  }
  const outcomes: Outcome[] = [];
  for (const call of calls) {
    const own = await registerCalls(ctx, account, [call]).catch((error): Outcome[] => [{ error }]);
    outcomes.push(...own);
  }
  return outcomes;
}

/** Each call's share of what one statement has registered, in their order. */
function divide(trackings: readonly Registered[], calls: readonly (readonly Registration[])[]): Outcome[] {
  let end = 0;
  return calls.map(({ length }) => {
    end += length;
    return { trackings: trackings.slice(end - length, end) };
  });
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

/** Adds the account, its quota and the time to registrations. */
export function placedBy(
  { quotas, now }: { quotas: Record<Plan, number>; now(): Date },
  account: Account,
  registrations: readonly Registration[],
) {
  const limit = quotaLimit(account.plan, account.quotaOverride, quotas);
  return { accountId: account.id, quotaLimit: limit, registrations, now: now() };
}
