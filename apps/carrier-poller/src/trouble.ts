import { pauseUntil, type Trouble } from '@pts/core/tracking/trouble';
import { clearPause, countFailure, pauseProvider, spendCall } from '@pts/db/providers';
import type { PollerDeps } from './deps.ts';

/** A provider whose breaker is not open yet is asked again after this. */
const SOON_SECONDS = 30;

/** Providers that this process knows to be in trouble; only these cost a write when a call succeeds. */
const troubled = new WeakSet<PollerDeps['provider']>();

/** Takes a call from the provider's daily budget, if it has one; a spent budget pauses it until the next UTC day. */
export async function mayAsk(deps: PollerDeps): Promise<boolean> {
  const { dailyBudget } = deps.provider.limits;
  if (dailyBudget === undefined || (await spendCall(deps.db, deps.provider.name, dailyBudget, deps.now()))) return true;
  await noteTrouble(deps, { failure: 'quota', message: `the daily budget of ${dailyBudget} calls is spent` });
  return false;
}

/** Counts a failed call and pauses the provider if it is time to. @returns when its checks are due again. */
export async function noteTrouble(deps: PollerDeps, trouble: Trouble): Promise<Date> {
  const { db, provider, logger } = deps;
  const now = deps.now();
  troubled.add(provider);
  const failures = await countFailure(db, provider.name, `${trouble.failure}: ${trouble.message}`, now);
  const until = pauseUntil(trouble, failures, now);
  logger.warn(
    { provider: provider.name, failure: trouble.failure, reason: trouble.message, failures, pausedUntil: until },
    'provider in trouble',
  );
  if (until === null) return new Date(now.getTime() + Math.min(SOON_SECONDS, deps.cadence.monitoredSeconds) * 1000);
  await pauseProvider(db, provider.name, until, now);
  return until;
}

/** A call succeeded: trouble that was known is over. */
export async function noteSuccess({ db, provider, logger }: PollerDeps): Promise<void> {
  if (!troubled.delete(provider)) return;
  await clearPause(db, provider.name);
  logger.info({ provider: provider.name }, 'provider recovered');
}

/** Tells this process of trouble that another one met. */
export function learnTrouble(provider: PollerDeps['provider']): void {
  troubled.add(provider);
}
