import { subscribeAgainAt } from '@pts/core/tracking/subscription';
import { listPauses } from '@pts/db/providers';
import {
  claimReleases,
  forgetUnwatched,
  hasReleases,
  noteWatchers,
  type ReleasableNumber,
  type ReleaseRecord,
  recordReleases,
  type SubscriptionKey,
} from '@pts/db/subscriptions';
import { unlessStopped } from '@pts/runtime/process/unless-stopped';
import type { PollerDeps } from '../deps.ts';
import { learnOutage, waitForPermit } from '../provider/outages.ts';
import { apartFor, notBefore, noteOutcomes } from './apart.ts';

/** Subscriptions that one round looks at. */
const LOOK_SIZE = 5000;
const FORGET_SIZE = 1000;
/** Numbers without a call for their release are forgotten after this: some come back. */
const FORGET_AFTER_SECONDS = 86_400;

/** A sweep that records which subscribed numbers nobody watches, a few thousand in each round. */
export function createWatcherSweep({ db, now }: Pick<PollerDeps, 'db' | 'now'>): () => Promise<{ more: false }> {
  let last: SubscriptionKey | null = null;
  return async () => {
    last = await noteWatchers(db, last, LOOK_SIZE, now());
    return { more: false };
  };
}

/** `apart` gives releases a breaker of their own, separate from queries and subscriptions. */
export type ReleaseDeps = PollerDeps & { apart: PollerDeps };

export function releaseDeps(deps: PollerDeps): ReleaseDeps {
  return { ...deps, apart: apartFor(deps, 'release') };
}

/**
 * Releases numbers that nobody watches, one call per round. A release that is lost with its process is made again, and a
 * number that is watched again in between is subscribed to again.
 */
export async function sweepReleases(deps: ReleaseDeps): Promise<{ more: boolean }> {
  const { db, provider, apart, now } = deps;
  const terms = provider.callbacks?.release;
  const isAll = terms === undefined || provider.release === undefined;
  const forgotten = await forgetUnwatched(db, {
    provider: provider.name,
    isAll,
    limit: FORGET_SIZE,
    now: now(),
    holdSeconds: isAll ? FORGET_AFTER_SECONDS : terms.holdSeconds,
  });
  if (isAll || deps.stopCalls.aborted || (await isPaused(deps))) return { more: forgotten === FORGET_SIZE };
  const { batchSize, holdSeconds, restarts } = terms;
  const wanted = { provider: provider.name, holdSeconds, restarts };
  // A permit is taken only for a call that is made, and nothing is claimed that cannot be released now.
  if (!(await hasReleases(db, { ...wanted, now: now() })) || (await waitForPermit(apart)))
    return { more: forgotten === FORGET_SIZE };
  const claimed = await claimReleases(db, { ...wanted, limit: batchSize, now: now() });
  if (claimed.length > 0) await release(deps, claimed, restarts > 0);
  return { more: claimed.length === batchSize };
}

/** A provider that is paused for queries gets no releases either. */
async function isPaused({ db, provider, apart, now }: ReleaseDeps): Promise<boolean> {
  const pauses = await listPauses(db);
  learnOutage(
    apart,
    pauses.find((pause) => pause.provider === apart.provider.name),
  );
  const names = [provider.name, apart.provider.name];
  return pauses.some(({ provider: name, pausedUntil }) => names.includes(name) && (pausedUntil ?? 0) > now());
}

async function release(deps: ReleaseDeps, claimed: readonly ReleasableNumber[], isResumable: boolean): Promise<void> {
  const { db, provider, stopCalls, now } = deps;
  const requestedAt = now();
  const questions = claimed.map(({ trackingNumber: number, carrier, remoteId }) => ({ number, carrier, remoteId }));
  const outcomes = await unlessStopped(stopCalls, async () => (await provider.release?.(questions, stopCalls)) ?? []);
  // The process stops: another one releases them when their lease ends.
  if (outcomes === null) return;
  const outage = await noteOutcomes({ ...deps, attempts: deps.metrics.releases }, outcomes, {
    requestedAt,
    numbers: claimed,
  });
  if (outage === null)
    deps.logger.info({ provider: provider.name, numbers: claimed.length }, 'numbers released that nobody watches');
  const records = claimed.flatMap(({ carrier, trackingNumber, failures }, index): ReleaseRecord[] => {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'failed') return outcome ? [{ carrier, trackingNumber, outcome: outcome.kind }] : [];
    const retryAt = notBefore(outage?.pausedUntil ?? null, subscribeAgainAt(failures + 1, now()));
    return [{ carrier, trackingNumber, outcome: 'failed', retryAt }];
  });
  await recordReleases(db, provider.name, records, { isResumable, now: now() });
}
