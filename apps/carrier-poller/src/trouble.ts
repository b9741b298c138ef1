import { pauseUntil, type Trouble } from '@pts/core/tracking/trouble';
import { clearPause, countFailure, type ProviderPause, pauseProvider, spendCall } from '@pts/db/providers';
import type { PollerDeps } from './deps.ts';

/** A provider whose breaker is not open yet is asked again after this. */
const SOON_SECONDS = 30;

/**
 * Providers that this process knows to be in trouble, and until when they are paused. Only these cost a write when a
 * call succeeds, and what is known here spares a paused provider the jobs that were in the queue already.
 */
const troubled = new WeakMap<PollerDeps['provider'], Date | null>();

/**
 * Until when the provider must not be asked; null when it may be, now. Takes a call from its daily budget, if it has
 * one; a spent budget pauses it until the next UTC day.
 */
export async function heldBackUntil(deps: PollerDeps): Promise<Date | null> {
  const { db, provider } = deps;
  const now = deps.now();
  const paused = troubled.get(provider) ?? null;
  if (paused !== null && paused > now) return paused;
  const { dailyBudget } = provider.limits;
  if (dailyBudget === undefined || (await spendCall(db, provider.name, dailyBudget, now))) return null;
  return noteTrouble(deps, { failure: 'quota', message: `the daily budget of ${dailyBudget} calls is spent` });
}

/** Counts a failed call and pauses the provider if it is time to. @returns when its checks are due again. */
export async function noteTrouble(deps: PollerDeps, trouble: Trouble): Promise<Date> {
  const { db, provider, logger } = deps;
  const now = deps.now();
  const failures = await countFailure(db, provider.name, `${trouble.failure}: ${trouble.message}`, now);
  const until = pauseUntil(trouble, failures, now);
  troubled.set(provider, until);
  logger.warn(
    { provider: provider.name, failure: trouble.failure, reason: trouble.message, failures, pausedUntil: until },
    'provider in trouble',
  );
  if (until === null) return new Date(now.getTime() + Math.min(SOON_SECONDS, deps.cadence.monitoredSeconds) * 1000);
  await pauseProvider(db, provider.name, until, now);
  return until;
}

/** A call made at `askedAt` succeeded: trouble that was known before it is over. */
export async function noteSuccess({ db, provider, logger }: PollerDeps, askedAt: Date): Promise<void> {
  if (!troubled.has(provider) || !(await clearPause(db, provider.name, askedAt))) return;
  troubled.delete(provider);
  logger.info({ provider: provider.name }, 'provider recovered');
}

/** Tells this process what others know of the provider's trouble. */
export function learnTrouble(provider: PollerDeps['provider'], pause: ProviderPause | undefined): void {
  if (pause) troubled.set(provider, pause.pausedUntil);
  else troubled.delete(provider);
}
