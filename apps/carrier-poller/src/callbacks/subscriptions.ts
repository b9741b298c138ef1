import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import { giveBackChecks } from '@pts/db/checks/schedule';
import { awaitCallbacks, wantAgain, wantSubscriptions } from '@pts/db/subscriptions';
import type { PollerDeps } from '../deps.ts';

/** A parcel that must be subscribed to before it can be read is checked after this, should subscribing take longer. */
const READ_ANYWAY_SECONDS = 30;

/** News that a callback announced is found by a check within this time. */
const NOTICED_SECONDS = 3600;

/**
 * Whether the provider's numbers are subscribed to: it sends callbacks, and they reach us or it only answers about subscribed
 * numbers.
 */
export function subscribes({ provider, callback }: Pick<PollerDeps, 'provider' | 'callback'>): boolean {
  if (!provider.callbacks || !provider.subscribe) return false;
  return callback !== null || provider.callbacks.subscribe === 'before-reading';
}

/**
 * Has the checks of a provider that answers only about subscribed numbers subscribed to first. @returns the others; after a pause
 * all, because one of them must show whether the provider has recovered.
 */
export async function subscribeFirst(deps: PollerDeps, checks: readonly ClaimedCheck[]): Promise<ClaimedCheck[]> {
  const { db, provider, memory, now } = deps;
  if (provider.callbacks?.subscribe !== 'before-reading' || !subscribes(deps)) return [...checks];
  const fresh = checks.filter(isNew);
  if (fresh.length === 0) return [...checks];
  await want(deps, fresh);
  if (memory.outages.get(provider)) return [...checks];
  await giveBackChecks(db, provider.name, fresh, new Date(now().getTime() + READ_ANYWAY_SECONDS * 1000));
  return checks.filter((check) => !isNew(check));
}

/** Wants subscriptions for parcels whose carrier is confirmed by an answer with a history. Each is considered once. */
export async function subscribeFound(deps: PollerDeps, found: readonly ClaimedCheck[]): Promise<void> {
  const fresh = subscribes(deps) ? found.filter(isNew) : [];
  if (fresh.length > 0) await want(deps, fresh);
}

/** Resumes regular checks of parcels with missing callbacks: a safety-net check found their news first. */
export async function noteMissed(deps: PollerDeps, checks: readonly ClaimedCheck[]): Promise<void> {
  const { db, provider, cadence, metrics, logger, now } = deps;
  const missed = checks.filter(({ pushed }) => pushed === true);
  if (missed.length === 0) return;
  const noticeSeconds = provider.callbacks?.isNoticeOnly ? Math.max(NOTICED_SECONDS, 2 * cadence.floorSeconds) : 0;
  const count = await awaitCallbacks(db, provider.name, missed, { cadence, noticeSeconds, now: now() });
  if (count === 0) return;
  metrics.callbacksMissed.inc({ provider: provider.name }, count);
  logger.warn({ provider: provider.name, numbers: count }, 'checks found news before a callback');
}

/** Has numbers registered again that the provider no longer has, because it dropped them or the account has changed. */
export async function registerAgain(deps: PollerDeps, checks: readonly ClaimedCheck[]): Promise<void> {
  const { db, provider, cadence, logger, now } = deps;
  if (checks.length === 0 || provider.callbacks?.subscribe !== 'before-reading' || !subscribes(deps)) return;
  const pushed = checks.filter((check) => check.pushed === true);
  if (pushed.length > 0) await awaitCallbacks(db, provider.name, pushed, { cadence, now: now() });
  const count = await wantAgain(db, provider.name, checks, provider.callbacks.resubscribeSeconds, now());
  if (count > 0)
    logger.warn({ provider: provider.name, numbers: count }, 'numbers are no longer registered and will be again');
}

function isNew({ pushed = null, finalLook }: ClaimedCheck): boolean {
  return pushed === null && !finalLook;
}

async function want({ db, provider, cadence, now }: PollerDeps, checks: readonly ClaimedCheck[]): Promise<void> {
  const { resubscribeSeconds = 0, subscribe } = provider.callbacks ?? {};
  const onlyFound = subscribe === 'when-found';
  await wantSubscriptions(db, checks, {
    provider: provider.name,
    cadence,
    resubscribeSeconds,
    onlyFound,
    now: now(),
  });
}
