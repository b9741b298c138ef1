import type { Account } from '@pts/db/accounts/accounts';
import { type Caller, joinCalls } from '@pts/db/connection/deadline';
import type { Registered, Registration } from '@pts/db/trackings/register';
import { createBatcher, createKeyedBatcher } from '@pts/runtime/batcher';
import type { ServiceContext } from '../context.ts';
import { type Outcome, placedBy, registerCalls } from './register.ts';
import { wakePollers } from './wake-pollers.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now'>;

/** The most registrations that share a statement, or a wake-up. */
const MOST = 100;

type Asked = { account: Account; registration: Registration; caller: Caller };

/**
 * Registrations of single numbers. Statements of one account wait for each other anyway, because each updates the account's
 * quota; so while one runs, the registrations that arrive gather, and share the next one. A single one never waits. Each has its
 * own outcome, as if it had arrived alone. Wake-ups gather in the same way, over all accounts.
 */
export function createRegisterOne(ctx: Context): ServiceContext['registerOne'] {
  const add = createKeyedBatcher({ most: MOST, atOnce: 1 }, (_key, items: Asked[]) => registerTogether(ctx, items));
  const wake = createBatcher({ most: MOST, atOnce: 1 }, async (trackings: Registered[]) => {
    await wakePollers(ctx, trackings);
    return trackings;
  });
  return async (account, registration) => {
    // A change of the plan takes effect with the next request, so two limits may be in use for a moment.
    const key = `${account.id} ${placedBy(ctx, account, []).quotaLimit}`;
    const outcome = await joinCalls((caller) => add(key, { account, registration, caller }));
    if ('error' in outcome) throw outcome.error;
    const [tracking] = outcome.trackings;
    if (!tracking) throw new Error('a registration came back with no tracking');
    return tracking.created ? wake(tracking) : tracking;
  };
}

/** Registers for the callers that still wait, within the deadline of the last, who may wait longest. */
async function registerTogether(ctx: Context, items: readonly Asked[]): Promise<Outcome[]> {
  const waiting = items.filter(({ caller }) => !caller.isGone());
  const last = waiting.at(-1);
  const calls = waiting.map(({ registration }) => [registration]);
  const outcomes = last ? await last.caller.run(() => registerCalls(ctx, last.account, calls)) : [];
  const gone: Outcome = { error: new Error('its caller no longer waits') };
  return items.map((item) => outcomes[waiting.indexOf(item)] ?? gone);
}
