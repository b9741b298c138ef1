import { chunks } from '@pts/core/chunks';
import { listPauses } from '@pts/db/providers/pauses';
import { countOverdue, forgetSubscriptions } from '@pts/db/subscriptions/read';
import { claimWanted, wantRenewals } from '@pts/db/subscriptions/wanted';
import type { AskLoop } from '../check/query.ts';
import type { PollerDeps } from '../deps.ts';
import { learnOutage } from '../provider/outages.ts';
import { subscribes } from './subscriptions.ts';

/** Of the calls that wait already, no more are added than can be made in this time. */
const AHEAD_SECONDS = 5;
const FORGET_SIZE = 1000;
const RENEW_SIZE = 5000;

/**
 * Claims the numbers that are due to be subscribed to, and starts their calls.
 * @param deps with a breaker of subscriptions (`apartFor`).
 */
export async function sweepSubscriptions(
  deps: PollerDeps,
  loop: Pick<AskLoop, 'start' | 'waiting' | 'hasFree'>,
): Promise<{ more: false }> {
  const { db, provider, now } = deps;
  if (!subscribes(deps)) return { more: false };
  const pause = learnOutage(deps, await listPauses(db));
  if (pause?.pausedUntil && pause.pausedUntil > now()) return { more: false };
  const { callsPerSecond } = provider.limits;
  if (loop.waiting('prompt') > AHEAD_SECONDS * callsPerSecond) return { more: false };
  const batchSize = provider.callbacks?.batchSize ?? 1;
  // After a pause one call shows whether the others can follow.
  const calls = pause ? 1 : callsFor(callsPerSecond, loop.hasFree('prompt'));
  const claimed = await claimWanted(db, { provider: provider.name, limit: calls * batchSize, now: now() });
  // What finds no place is claimed again when its lease ends.
  for (const numbers of chunks(claimed, batchSize)) loop.start({ numbers });
  return { more: false };
}

/** Calls for one round of the sweep, which takes a second: half of what the provider allows if there is other work. */
function callsFor(callsPerSecond: number, isIdle: boolean): number {
  return Math.max(1, Math.floor(isIdle ? callsPerSecond : callsPerSecond / 2));
}

/** Has subscriptions renewed before the provider lets them lapse. */
export async function sweepRenewals({ db, provider, now }: PollerDeps): Promise<{ more: boolean }> {
  const renewSeconds = provider.callbacks?.renewSeconds;
  if (renewSeconds === undefined) return { more: false };
  const wanted = { provider: provider.name, renewSeconds, limit: RENEW_SIZE, now: now() };
  return { more: (await wantRenewals(db, wanted)) === RENEW_SIZE };
}

/** Updates the number of subscriptions whose callbacks are missing for longer than a first one takes. */
export async function reportOverdue({ db, provider, callback, metrics, now }: PollerDeps): Promise<{ more: false }> {
  if (!provider.callbacks || callback === null) return { more: false };
  const since = new Date(now().getTime() - provider.callbacks.firstCallbackSeconds * 1000);
  metrics.callbacksOverdue.set({ provider: provider.name }, await countOverdue(db, provider.name, since));
  return { more: false };
}

/** Deletes subscriptions that have been inactive for long. */
export async function sweepForgotten({ db, now }: PollerDeps): Promise<{ more: boolean }> {
  return { more: (await forgetSubscriptions(db, FORGET_SIZE, now())) === FORGET_SIZE };
}
