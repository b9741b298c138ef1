import type { Account } from '@pts/db/accounts/accounts';
import type { Registered, Registration } from '@pts/db/trackings/register';
import { createBatcher, createKeyedBatcher } from '@pts/runtime/batcher';
import type { ServiceContext } from '../context.ts';
import { placedBy, registerCalls } from './register.ts';
import { wakePollers } from './wake-pollers.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now'>;

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
    registerCalls(
      ctx,
      (items[0] as Asked).account,
      items.map(({ registration }) => [registration]),
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
    const [tracking] = outcome.trackings;
    if (!tracking) throw new Error('a registration came back with no tracking');
    return tracking.created ? wake(tracking) : tracking;
  };
}
