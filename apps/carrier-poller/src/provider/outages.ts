import { failedAlone, isCountedByBreaker, type Outage, pauseUntil } from '@pts/core/tracking/outage';
import {
  clearPause,
  countFailure,
  type FailureCount,
  type ProviderPause,
  pauseProvider,
  spendCall,
} from '@pts/db/providers';
import { unlessStopped } from '@pts/runtime/process/unless-stopped';
import type { PollerDeps } from '../deps.ts';

/**
 * Waits for a permit to call the provider and takes the call from its daily budget, if it has one.
 * @returns until when it must not be queried, because it is paused, its budget is spent or its next permit is far away;
 *   null if it can be now.
 */
export async function waitForPermit(deps: PollerDeps): Promise<Date | null> {
  const paused = pausedUntil(deps);
  if (paused) return paused;
  await unlessStopped(deps.stopCalls, async () => deps.provider.prepare?.(deps.stopCalls));
  const farMs = await deps.pace.permit(deps.stopCalls);
  if (farMs > 0) return new Date(deps.now().getTime() + farMs);
  // Not queried, so no floor applies: another process can query at once.
  if (deps.stopCalls.aborted) return deps.now();
  // While it waited, other calls may have failed.
  return pausedUntil(deps) ?? budgetSpentUntil(deps);
}

function pausedUntil({ provider, memory, now }: PollerDeps): Date | null {
  const until = memory.outages.get(provider) ?? null;
  return until !== null && until > now() ? until : null;
}

/** Takes a call from the daily budget. A spent budget pauses the provider until the next UTC day. */
async function budgetSpentUntil(deps: PollerDeps): Promise<Date | null> {
  const { db, provider } = deps;
  const now = deps.now();
  const { dailyBudget } = provider.limits;
  if (dailyBudget === undefined || (await spendCall(db, provider.name, dailyBudget, now))) return null;
  const spent = { failure: 'quota', message: `the daily budget of ${dailyBudget} calls is spent` } as const;
  return (await noteOutage(deps, spent, { requestedAt: now, trackingIds: [] })).pausedUntil;
}

/** A call that failed: when it was made, and for which parcels. */
export type FailedCall = { requestedAt: Date; trackingIds: readonly string[] };

/** The effect of a failed call: the provider is paused, or it is not, because other calls have succeeded since. */
export type OutageEffect = { pausedUntil: Date } | { pausedUntil: null; isAlone: boolean };

/**
 * Records a failed call and pauses the provider if needed. Of calls that fail at the same moment one is counted,
 * in any process; a call that failed while another succeeded is a problem of its parcels.
 */
export async function noteOutage(deps: PollerDeps, outage: Outage, call: FailedCall): Promise<OutageEffect> {
  const { db, provider, logger, memory } = deps;
  const now = deps.now();
  const fields = { provider: provider.name, failure: outage.failure, reason: outage.message };
  if (isCountedByBreaker(outage.failure) && failedAlone(call.requestedAt, memory.succeededAt.get(provider))) {
    logger.debug({ ...fields, trackingIds: call.trackingIds }, 'a call failed while others succeed');
    return { pausedUntil: null, isAlone: true };
  }
  const { failure, message: reason } = outage;
  const count = await countFailure(db, { provider: provider.name, failure, reason, now, ...call });
  const until = decide(outage, count, now);
  if (until && until !== count.pausedUntil) await pauseProvider(db, provider.name, until, now);
  memory.outages.set(provider, until ?? count.pausedUntil);
  if (count.isCounted) logger.warn({ ...fields, failures: count.failures, pausedUntil: until }, 'provider outage');
  // An unreadable answer will still be unreadable in half a minute: such parcels keep their interval.
  return until === null ? { pausedUntil: null, isAlone: outage.failure === 'unreadable' } : { pausedUntil: until };
}

/** Until when to pause the provider after this call: the known pause, a longer one, or null for none. */
function decide(outage: Outage, { isCounted, pausedUntil, ...seen }: FailureCount, now: Date): Date | null {
  const evidence = { ...seen, isProbe: pausedUntil !== null };
  if (isCounted) return pauseUntil(outage, evidence, now);
  const known = pausedUntil !== null && pausedUntil > now ? pausedUntil : null;
  // The moment was already counted. A Retry-After or a refused key still counts.
  if (isCountedByBreaker(outage.failure)) return known;
  if (known && outage.failure === 'rate_limited' && outage.retryAfterSeconds === undefined) return known;
  const until = pauseUntil(outage, evidence, now);
  return known && (until === null || known > until) ? known : until;
}

/** A call made at `requestedAt` succeeded: any outage known before it has ended. */
export async function noteSuccess({ db, provider, logger, memory }: PollerDeps, requestedAt: Date): Promise<void> {
  const { outages, succeededAt } = memory;
  if (requestedAt > (succeededAt.get(provider) ?? new Date(0))) succeededAt.set(provider, requestedAt);
  if (!outages.has(provider) || !(await clearPause(db, provider.name, requestedAt))) return;
  outages.delete(provider);
  logger.info({ provider: provider.name }, 'provider recovered');
}

/** Loads the provider's outage as other processes recorded it. */
export function learnOutage(
  { provider, memory: { outages } }: Pick<PollerDeps, 'provider' | 'memory'>,
  pause: ProviderPause | undefined,
): void {
  if (pause) outages.set(provider, pause.pausedUntil);
  else outages.delete(provider);
}
