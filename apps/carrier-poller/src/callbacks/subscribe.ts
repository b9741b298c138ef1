import type { ResumeOutcome } from '@pts/carriers/provider';
import { subscribeAgainAt } from '@pts/core/tracking/subscription';
import { loadWanted, recordOutcomes, type SubscriptionOutcome, type WantedNumber } from '@pts/db/subscriptions';
import type { SubscribeJob } from '@pts/queue/catalog';
import { unlessStopped } from '@pts/runtime/process/unless-stopped';
import type { PollerDeps } from '../deps.ts';
import { waitForPermit } from '../provider/outages.ts';
import { apartFor, notBefore, noteOutcomes } from './apart.ts';

/** `apart` gives subscribing a breaker of its own: an account that is not allowed to subscribe can still query. */
export type SubscribeDeps = PollerDeps & { apart: PollerDeps };

export function subscribeDeps<D extends PollerDeps>(deps: D): D & SubscribeDeps {
  return { ...deps, apart: apartFor(deps, 'subscribe') };
}

/**
 * Subscribes to numbers in one call, and records each outcome. A lost or repeated job does no harm: the sweep finds the numbers
 * that are still wanted, and providers accept a number twice. Those that the provider has stopped watching are resumed.
 */
export async function subscribe(deps: SubscribeDeps, { numbers }: SubscribeJob): Promise<void> {
  const { provider } = deps;
  const wanted = await loadWanted(deps.db, provider.name, numbers);
  const [watched, gone] = [wanted.filter(({ isWatched }) => isWatched), wanted.filter(({ isWatched }) => !isWatched)];
  await record(
    deps,
    gone.map((number) => ({ ...number, state: 'ended', reason: 'no parcel with this number is watched' })),
  );
  const isResumed = ({ isStopped }: WantedNumber) => isStopped && provider.resume !== undefined;
  await subscribeTo(
    deps,
    watched.filter((number) => !isResumed(number)),
    (some) => callSubscribe(deps, some),
  );
  await subscribeTo(deps, watched.filter(isResumed), (some) => callResume(deps, some));
}

type Call = (wanted: readonly WantedNumber[]) => Promise<ResumeOutcome[]>;

async function subscribeTo(deps: SubscribeDeps, wanted: readonly WantedNumber[], call: Call): Promise<void> {
  // A stopping process leaves the rest to another: its lease ends.
  if (wanted.length === 0 || deps.stopCalls.aborted) return;
  const heldBack = await waitForPermit(deps.apart);
  if (heldBack) return postpone(deps, wanted, heldBack);
  const requestedAt = deps.now();
  const outcomes = await deps.pace.calls.count(() => unlessStopped(deps.stopCalls, () => call(wanted)));
  if (outcomes === null) return;
  const outage = await noteOutcomes({ ...deps, attempts: deps.metrics.subscriptions }, outcomes, {
    requestedAt,
    numbers: wanted,
  });
  if (outage === null) reportFailures(deps, outcomes);
  await record(
    deps,
    wanted.flatMap((number, index) => {
      const outcome = outcomes[index];
      return outcome ? [{ ...number, ...resultOf(outcome, number, deps.now(), outage?.pausedUntil ?? null) }] : [];
    }),
  );
}

async function callSubscribe({ provider, callback, stopCalls }: PollerDeps, wanted: readonly WantedNumber[]) {
  const questions = wanted.map(({ trackingNumber, carrier, hints }) => ({
    number: trackingNumber,
    carrier,
    ...hints,
  }));
  return (await provider.subscribe?.(questions, callback, stopCalls)) ?? [];
}

async function callResume({ provider, stopCalls }: PollerDeps, wanted: readonly WantedNumber[]) {
  const questions = wanted.map(({ trackingNumber: number, carrier, remoteId }) => ({ number, carrier, remoteId }));
  return (await provider.resume?.(questions, stopCalls)) ?? [];
}

function reportFailures({ provider, logger }: PollerDeps, outcomes: readonly ResumeOutcome[]): void {
  const failures = outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? outcome.message : []));
  if (failures.length > 0)
    logger.warn(
      { provider: provider.name, count: failures.length, reason: failures[0] },
      'numbers could not be subscribed to',
    );
}

function resultOf(
  outcome: ResumeOutcome,
  { failures, state, isStopped }: WantedNumber,
  now: Date,
  pausedUntil: Date | null,
): Pick<SubscriptionOutcome, 'state' | 'remoteId' | 'reason' | 'retryAt' | 'isResumed' | 'isForgotten'> {
  const retryAt = subscribeAgainAt(failures + 1, now);
  // A subscription that could not be renewed still has callbacks.
  const stays = state === 'active' ? 'active' : 'wanted';
  switch (outcome.kind) {
    case 'subscribed':
      return { state: 'active', remoteId: outcome.remoteId, isResumed: isStopped };
    case 'already':
      return { state: 'active', remoteId: outcome.remoteId };
    case 'refused':
      return { state: 'refused', reason: outcome.message };
    case 'unknown':
      return { state: 'wanted', retryAt: now, isForgotten: true };
    case 'pending':
      return { state: stays, retryAt };
    case 'failed': {
      // Its message is for operators; the reason is shown to merchants.
      return { state: stays, retryAt: notBefore(pausedUntil, retryAt) };
    }
    default:
      return outcome satisfies never;
  }
}

async function postpone(deps: SubscribeDeps, wanted: readonly WantedNumber[], retryAt: Date): Promise<void> {
  await record(
    deps,
    wanted.map((number) => ({ ...number, retryAt, isPostponed: true })),
  );
}

async function record(
  { db, provider, cadence, now }: PollerDeps,
  outcomes: readonly SubscriptionOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const isReadAfter = provider.callbacks?.subscribe === 'before-reading';
  await recordOutcomes(
    db,
    provider.name,
    outcomes.map(
      ({ carrier, trackingNumber, state, remoteId, reason, retryAt, isPostponed, isResumed, isForgotten }) => ({
        carrier,
        trackingNumber,
        state,
        remoteId,
        reason,
        retryAt,
        isPostponed,
        isResumed,
        isForgotten,
      }),
    ),
    {
      checkWithinSeconds: isReadAfter ? 0 : (provider.callbacks?.firstCallbackSeconds ?? 0),
      floorSeconds: isReadAfter ? 0 : cadence.floorSeconds,
      now: now(),
    },
  );
}
