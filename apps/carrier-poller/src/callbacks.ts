import type { ResumeOutcome } from '@pts/carriers/provider';
import { chunks } from '@pts/core/chunks';
import type { CarrierAnswer, FailedAnswer } from '@pts/core/tracking/answer';
import { outageOf } from '@pts/core/tracking/outage';
import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import { subscribeAgainAt } from '@pts/core/tracking/subscription';
import { giveBackChecks } from '@pts/db/checks/schedule';
import { listPauses } from '@pts/db/providers';
import {
  awaitCallbacks,
  claimReleases,
  claimWanted,
  countOverdue,
  forgetSubscriptions,
  forgetUnwatched,
  hasReleases,
  loadWanted,
  noteWatchers,
  type ReleasableNumber,
  type ReleaseRecord,
  recordOutcomes,
  recordReleases,
  type SubscriptionKey,
  type SubscriptionOutcome,
  type WantedNumber,
  wantAgain,
  wantRenewals,
  wantSubscriptions,
} from '@pts/db/subscriptions';
import { queryQueue } from '@pts/queue/catalog';
import { type Loop, lookEveryMs } from '@pts/runtime/process/loop';
import { unlessStopped } from '@pts/runtime/process/unless-stopped';
import type { AskLoop, Numbers, PollerDeps, Rounds } from './deps.ts';
import { learnOutage, noteOutage, noteSuccess, waitForPermit } from './outages.ts';

/**
 * Subscribes to numbers in one call, and records each outcome. What is lost or repeated does no harm: the sweep finds
 * the numbers that are still wanted, and providers accept a number twice. Those that the provider has stopped watching
 * are resumed.
 * @param deps with a breaker of subscriptions (`apartFor`): an account that may not subscribe can still query.
 */
export async function subscribe(deps: PollerDeps, numbers: Numbers): Promise<void> {
  const { provider } = deps;
  const wanted = await loadWanted(deps.db, provider.name, numbers);
  const [watched, gone] = [wanted.filter(({ isWatched }) => isWatched), wanted.filter(({ isWatched }) => !isWatched)];
  await record(
    deps,
    gone.map((number) => ({ ...keyOf(number), state: 'ended', reason: 'no parcel with this number is watched' })),
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

async function subscribeTo(deps: PollerDeps, wanted: readonly WantedNumber[], call: Call): Promise<void> {
  // A stopping process leaves the rest to another: its lease ends.
  if (wanted.length === 0 || deps.stopCalls.aborted) return;
  const heldBack = await waitForPermit(deps);
  if (heldBack)
    return record(
      deps,
      wanted.map((number) => ({ ...keyOf(number), retryAt: heldBack, isPostponed: true })),
    );
  const requestedAt = deps.now();
  const outcomes = await deps.pace.calls.count(() => unlessStopped(deps.stopCalls, () => call(wanted)));
  if (outcomes === null) return;
  const outage = await noteOutcomes(deps, deps.metrics.subscriptions, outcomes, {
    requestedAt,
    numbers: wanted,
  });
  if (outage === null) reportFailures(deps, outcomes);
  await record(
    deps,
    wanted.flatMap((number, index) => {
      const outcome = outcomes[index];
      return outcome
        ? [{ ...keyOf(number), ...resultOf(outcome, number, deps.now(), outage?.pausedUntil ?? null) }]
        : [];
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

/** Without the details of its parcels, which only the provider needs. */
function keyOf({ carrier, trackingNumber, state }: WantedNumber) {
  return { carrier, trackingNumber, state };
}

async function record(
  { db, provider, cadence, now }: PollerDeps,
  outcomes: readonly SubscriptionOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const isReadAfter = provider.callbacks?.subscribe === 'before-reading';
  await recordOutcomes(db, provider.name, outcomes, {
    checkWithinSeconds: isReadAfter ? 0 : (provider.callbacks?.firstCallbackSeconds ?? 0),
    floorSeconds: isReadAfter ? 0 : cadence.floorSeconds,
    now: now(),
  });
}

/** A parcel that must be subscribed to before it can be read is checked after this, should subscribing take longer. */
const READ_ANYWAY_SECONDS = 30;

/** News that a callback announced is found by a check within this time. */
const THIN_GRACE_SECONDS = 3600;

/**
 * Whether the provider's numbers are subscribed to: it sends callbacks, and they reach us or it only answers about
 * subscribed numbers.
 */
function subscribes({ provider, callback }: Pick<PollerDeps, 'provider' | 'callback'>): boolean {
  if (!provider.callbacks || !provider.subscribe) return false;
  return callback !== null || provider.callbacks.subscribe === 'before-reading';
}

/**
 * Has the checks of a provider that answers only about subscribed numbers subscribed to first. @returns the others;
 * after a pause all, because one of them must show whether the provider has recovered.
 */
export async function subscribeFirst(deps: PollerDeps, checks: readonly ClaimedCheck[]): Promise<ClaimedCheck[]> {
  const { db, provider, memory, now } = deps;
  if (provider.callbacks?.subscribe !== 'before-reading' || !subscribes(deps)) return [...checks];
  const fresh = checks.filter(isNew);
  if (fresh.length === 0) return [...checks];
  await want(deps, fresh);
  if (memory.outages.get(provider.name)) return [...checks];
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
  const graceSeconds = provider.callbacks?.isThin ? Math.max(THIN_GRACE_SECONDS, 2 * cadence.floorSeconds) : 0;
  const count = await awaitCallbacks(db, provider.name, missed, { cadence, graceSeconds, now: now() });
  if (count === 0) return;
  metrics.callbacksMissed.inc({ provider: provider.name }, count);
  logger.warn({ provider: provider.name, numbers: count }, 'checks found updates before a callback');
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

const RELEASE_EVERY_MS = 10_000;
const RENEW_EVERY_MS = 60_000;

/** Starts the sweeps over the subscriptions of a provider. @param subscribing with a breaker of subscriptions. */
export function startCallbackSweeps(
  deps: PollerDeps,
  subscribing: PollerDeps,
  loop: AskLoop,
  { isOff, sweepIntervalMs, start }: Rounds,
): Loop[] {
  const { name, callbacks } = deps.provider;
  const releasing = apartFor(deps, 'release');
  return [
    ...(callbacks ? [start(`release ${name}`, RELEASE_EVERY_MS, () => sweepReleases(releasing))] : []),
    ...(subscribes(deps)
      ? [
          start(`subscribe ${name}`, sweepIntervalMs, async () =>
            (await isOff(queryQueue(name))) ? { more: false } : sweepSubscriptions(subscribing, loop),
          ),
          start(`renew ${name}`, RENEW_EVERY_MS, () => sweepRenewals(deps)),
          start(`overdue ${name}`, lookEveryMs(sweepIntervalMs), () => reportOverdue(deps)),
        ]
      : []),
  ];
}

/** Maximum time that the waiting calls may take: beyond it, no more are added. */
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

/** Subscriptions that one round looks at. */
const LOOK_SIZE = 5000;
const FORGET_NUMBERS = 1000;
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

/**
 * Releases numbers that nobody watches, one call per round. A release that is lost with its process is made again, and
 * a number that is watched again in between is subscribed to again.
 * @param deps with a breaker of releases (`apartFor`), separate from queries and subscriptions.
 */
export async function sweepReleases(deps: PollerDeps): Promise<{ more: boolean }> {
  const { db, provider, now } = deps;
  const terms = provider.callbacks?.release;
  const isAll = terms === undefined || provider.release === undefined;
  const forgotten = await forgetUnwatched(db, {
    provider: provider.name,
    isAll,
    limit: FORGET_NUMBERS,
    now: now(),
    holdSeconds: isAll ? FORGET_AFTER_SECONDS : terms.holdSeconds,
  });
  if (isAll || deps.stopCalls.aborted || (await isPaused(deps))) return { more: forgotten === FORGET_NUMBERS };
  const { batchSize, holdSeconds, restarts } = terms;
  const wanted = { provider: provider.name, holdSeconds, restarts };
  // A permit is taken only for a call that is made, and nothing is claimed that cannot be released now.
  if (!(await hasReleases(db, { ...wanted, now: now() })) || (await waitForPermit(deps)))
    return { more: forgotten === FORGET_NUMBERS };
  const claimed = await claimReleases(db, { ...wanted, limit: batchSize, now: now() });
  if (claimed.length > 0) await release(deps, claimed, restarts > 0);
  return { more: claimed.length === batchSize };
}

/** A provider that is paused for queries gets no releases either. */
async function isPaused(deps: PollerDeps): Promise<boolean> {
  const { db, provider, breaker, now } = deps;
  const pauses = await listPauses(db);
  learnOutage(deps, pauses);
  const names = [provider.name, breaker.key];
  return pauses.some(({ provider: name, pausedUntil }) => names.includes(name) && (pausedUntil ?? 0) > now());
}

async function release(deps: PollerDeps, claimed: readonly ReleasableNumber[], isResumable: boolean): Promise<void> {
  const { db, provider, stopCalls, now } = deps;
  const requestedAt = now();
  const questions = claimed.map(({ trackingNumber: number, carrier, remoteId }) => ({ number, carrier, remoteId }));
  const outcomes = await unlessStopped(stopCalls, async () => (await provider.release?.(questions, stopCalls)) ?? []);
  // The process stops: another one releases them when their lease ends.
  if (outcomes === null) return;
  const outage = await noteOutcomes(deps, deps.metrics.releases, outcomes, {
    requestedAt,
    numbers: claimed,
  });
  if (outage === null)
    deps.logger.info({ provider: provider.name, numbers: claimed.length }, 'unwatched numbers released');
  const records = claimed.flatMap(({ carrier, trackingNumber, failures }, index): ReleaseRecord[] => {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'failed') return outcome ? [{ carrier, trackingNumber, outcome: outcome.kind }] : [];
    const retryAt = notBefore(outage?.pausedUntil ?? null, subscribeAgainAt(failures + 1, now()));
    return [{ carrier, trackingNumber, outcome: 'failed', retryAt }];
  });
  await recordReleases(db, provider.name, records, { isResumable, now: now() });
}

/** The dependencies for a kind of calls that has a breaker of its own, and no daily budget. */
export function apartFor<D extends PollerDeps>(deps: D, kind: 'subscribe' | 'release'): D {
  return { ...deps, breaker: { key: `${deps.provider.name}:${kind}` } };
}

type Outcome = FailedAnswer | { kind: string };
type CallOf = { requestedAt: Date; numbers: readonly { trackingNumber: string }[] };

/**
 * Counts the outcomes of a call's numbers, and notes whether it showed outage.
 * @returns null if it did not; otherwise until when such calls pause, if they do.
 */
async function noteOutcomes(
  deps: PollerDeps,
  attempts: PollerDeps['metrics']['subscriptions'],
  outcomes: readonly Outcome[],
  { requestedAt, numbers }: CallOf,
): Promise<{ pausedUntil: Date | null } | null> {
  for (const outcome of outcomes)
    attempts.inc({ provider: deps.provider.name, outcome: isFailed(outcome) ? outcome.failure : outcome.kind });
  const outage = outageOf(outcomes.map((each): CarrierAnswer => (isFailed(each) ? each : { kind: 'not_found' })));
  if (outage === null) {
    await noteSuccess(deps, requestedAt);
    return null;
  }
  const trackingIds = numbers.map(({ trackingNumber }) => trackingNumber);
  return noteOutage(deps, outage, { requestedAt, trackingIds });
}

function isFailed(outcome: Outcome): outcome is FailedAnswer {
  return outcome.kind === 'failed';
}

/** When a failed attempt is repeated: not before a pause ends. */
function notBefore(pausedUntil: Date | null, retryAt: Date): Date {
  return pausedUntil !== null && pausedUntil > retryAt ? pausedUntil : retryAt;
}
