import { ServiceError } from '@pts/core/errors';
import type { Account } from '@pts/db/accounts/accounts';
import { isDatabaseAway } from '@pts/db/connection/client';
import { type Registered, type Registration, registerTrackings } from '@pts/db/trackings/register';
import { createBatcher, createKeyedBatcher } from '@pts/runtime/batcher';
import type { ServiceContext } from '../context.ts';
import { placedBy } from './register.ts';
import { wakePollers } from './wake-pollers.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now'>;
/** The outcome of one registration of a statement. */
type Outcome = { tracking: Registered } | { error: unknown };

/** The most registrations that share a statement, or a wake-up. */
const MOST = 100;

/**
 * Registrations of single numbers. Statements of one account wait for each other anyway, because each updates the account's
 * quota; so while one runs, the registrations that arrive gather, and share the next one. A single one never waits. Each has its
 * own outcome, as if it had arrived alone. Wake-ups gather in the same way, over all accounts.
 */
export function createRegisterOne(ctx: Context): ServiceContext['registerOne'] {
  type Asked = { account: Account; registration: Registration };
  const add = createKeyedBatcher({ most: MOST, atOnce: 1 }, (_key, items: Asked[]) =>
    registerTogether(
      ctx,
      (items[0] as Asked).account,
      items.map(({ registration }) => registration),
    ),
  );
  const wake = createBatcher({ most: MOST, atOnce: 1 }, async (trackings: Registered[]) => {
    await wakePollers(ctx, trackings);
    return trackings;
  });
  return async (account, registration) => {
    // A change of the plan takes effect with the next request, so two limits may be in use for a moment.
    const outcome = await add(`${account.id} ${placedBy(ctx, account, []).quotaLimit}`, { account, registration });
    if ('error' in outcome) throw outcome.error;
    return outcome.tracking.created ? wake(outcome.tracking) : outcome.tracking;
  };
}

/** One statement for all, or, if it is refused, one for each in their order: only those that cannot be stored fail. */
async function registerTogether(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
): Promise<Outcome[]> {
  const isAlone = registrations.length === 1;
  try {
    const result = await registerTrackings(ctx.db, placedBy(ctx, account, registrations));
    if (result.kind === 'registered' && result.trackings.length === registrations.length)
      return result.trackings.map((tracking) => ({ tracking }));
    if (isAlone) return [{ error: refusalOf(result.kind) }];
  } catch (error) {
    if (isAlone || isDatabaseAway(error)) throw error;
  }
  const outcomes: Outcome[] = [];
  for (const registration of registrations) {
    const alone = await registerTogether(ctx, account, [registration]).catch((error): Outcome[] => [{ error }]);
    outcomes.push(...alone);
  }
  return outcomes;
}

function refusalOf(kind: 'registered' | 'quota_exhausted'): Error {
  if (kind === 'quota_exhausted') return new ServiceError('quota_exhausted');
  return new Error('a registration came back with no tracking');
}
