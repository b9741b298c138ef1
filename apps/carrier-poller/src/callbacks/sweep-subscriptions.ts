import { chunks } from '@pts/core/chunks';
import { listPauses } from '@pts/db/providers';
import { claimWanted, countOverdue, forgetSubscriptions, wantRenewals } from '@pts/db/subscriptions';
import { queryQueue } from '@pts/queue/catalog';
import type { Executor } from '@pts/queue/executor';
import type { PollerDeps } from '../deps.ts';
import { learnOutage } from '../provider/outages.ts';
import { type SubscribeDeps, subscribe } from './subscribe.ts';
import { subscribes } from './subscriptions.ts';

/** More jobs than those of checks, which wait in the same queue: subscribing saves checks, so it must not wait for them. */
const MAX_WAITING = 2000;
const FORGET_SIZE = 1000;
const RENEW_SIZE = 5000;

/**
 * Claims the numbers that are due to be subscribed to and enqueues them, one call each job. While the queue is unavailable or takes
 * no jobs, it starts the calls itself.
 */
export async function sweepSubscriptions(deps: SubscribeDeps & { executor: Executor }): Promise<{ more: false }> {
  const { db, provider, apart, producer, executor, now } = deps;
  if (!subscribes(deps)) return { more: false };
  const pause = (await listPauses(db)).find((entry) => entry.provider === apart.provider.name);
  learnOutage(apart, pause);
  if (pause?.pausedUntil && pause.pausedUntil > now()) return { more: false };
  const waiting = await producer.waiting(queryQueue(provider.name));
  if (waiting === null ? !(await executor.whenFree()) : waiting >= MAX_WAITING) return { more: false };
  const batchSize = provider.callbacks?.batchSize ?? 1;
  // After a pause one call shows whether the others can follow.
  const calls = pause ? 1 : callsFor(provider.limits.callsPerSecond, waiting ?? 0);
  const claimed = await claimWanted(db, { provider: provider.name, limit: calls * batchSize, now: now() });
  const jobs = chunks(claimed, batchSize).map((numbers) => ({ numbers }));
  if (jobs.length === 0 || (await producer.subscribe(provider.name, jobs))) return { more: false };
  // What finds no place is claimed again when its lease ends.
  for (const job of jobs) executor.start(() => subscribe(deps, job));
  return { more: false };
}

/** Calls for one round of the sweep, which takes a second: half of what the provider allows if there is other work. */
function callsFor(callsPerSecond: number, waiting: number): number {
  return Math.max(1, Math.floor(waiting < callsPerSecond ? callsPerSecond : callsPerSecond / 2));
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
