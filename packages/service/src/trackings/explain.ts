import { detectWithReasons } from '@pts/carriers/detection/detect';
import { routeFor } from '@pts/carriers/providers/configured';
import { carrierPage } from '@pts/carriers/registry/pages';
import { findCarrier } from '@pts/carriers/registry/registry';
import {
  type CallbackState,
  CHECK_FAILURES,
  type CheckFailure,
  type HoldKind,
  type WatchReason,
} from '@pts/contract/explain';
import type { WatchMode } from '@pts/contract/trackings';
import { quotaLimit, remaining } from '@pts/core/account';
import { unknownTracking } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import { nextMonthOf, toUtcSeconds } from '@pts/core/time';
import type { QuarantineReason } from '@pts/core/tracking/change';
import { PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import type { Scan } from '@pts/core/tracking/scan';
import { RETRACK_INTERVAL_SECONDS } from '@pts/core/tracking/schedule';
import { candidateCodes, currentOf } from '@pts/core/tracking/undecided';
import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import { type Explained, explainTracking as readTracking } from '@pts/db/trackings/records';
import type { ServiceContext } from '../context.ts';
import { chooseServedCarrier } from './register.ts';
import { intervalSeconds, type Watch, type WatchContext, watchOf } from './trackings.ts';

type Context = Pick<
  ServiceContext,
  'db' | 'providers' | 'sandbox' | 'quotas' | 'monitoredSeconds' | 'idleSeconds' | 'safetyNetSeconds' | 'now'
>;

/** The quota of the account for this month. */
type QuotaExplanation = { limit: number; used: number; left: number; resetsAt: Date; message: Message };

/** The explanation of a tracking's state. */
export type Explanation = {
  tracking: Explained;
  carrier: CarrierExplanation;
  /** The providers that can be queried for its carrier, in order. */
  route: string[];
  watch: WatchExplanation;
  cadence: CadenceExplanation;
  callbacks: CallbackExplanation | null;
  failing: FailingExplanation | null;
  quarantine: QuarantineExplanation | null;
  holds: Hold[];
  quota: QuotaExplanation;
};

/**
 * Explains the state of a tracking: its carrier, its past and next checks, their results, and what delays the next one.
 * @throws ServiceError `not_registered`.
 */
export async function explainTracking(
  ctx: Context,
  { account, id }: { account: Account; id: string },
): Promise<Explanation> {
  const tracking = await readTracking(ctx.db, account.id, id);
  if (!tracking) throw unknownTracking();
  const now = ctx.now();
  const provider = ctx.providers.find(({ name }) => name === tracking.provider);
  const floorSeconds = provider?.limits.floorSeconds ?? 0;
  return {
    tracking,
    carrier: explainCarrier(tracking, ctx),
    route: routeFor(tracking.carrier, ctx.providers).map(({ name }) => name),
    watch: explainWatch(tracking, ctx),
    callbacks: explainCallbacks(tracking, ctx),
    cadence: explainCadence(tracking, ctx, floorSeconds),
    failing: explainFailing(tracking),
    quarantine: explainQuarantine(tracking),
    holds: heldBackBy(tracking, { floorSeconds, isServed: provider !== undefined, now }),
    quota: await explainQuota(ctx, account, now),
  };
}

async function explainQuota(
  { db, quotas }: Context,
  { id, plan, quotaOverride }: Account,
  now: Date,
): Promise<QuotaExplanation> {
  const limit = quotaLimit(plan, quotaOverride, quotas);
  const used = await quotaUsed(db, id, now);
  const left = remaining(limit, used);
  const text = message(left > 0 ? 'quota.left' : 'quota.used_up');
  return { limit, used, left, resetsAt: nextMonthOf(now), message: text };
}

type Hold = { kind: HoldKind; until: Date | null; message: Message };
type Circumstances = { floorSeconds: number; isServed: boolean; now: Date };

/** The reasons that delay the next check or retrack of a parcel. */
function heldBackBy(tracking: Explained, circumstances: Circumstances): Hold[] {
  const holds = [noProvider, provider, floor, firstAnswer, input, retrackInterval];
  return holds.flatMap((hold) => hold(tracking, circumstances) ?? []);
}

function noProvider({ provider: name }: Explained, { isServed }: Circumstances): Hold | null {
  if (isServed) return null;
  return { kind: 'no_provider', until: null, message: message('hold.no_provider', { provider: name }) };
}

/** The stored reason of a pause is for operators; merchants see only its kind. */
function provider({ check, pause, provider: name }: Explained, { now }: Circumstances): Hold | null {
  if (!check || !pause?.pausedUntil || pause.pausedUntil <= now) return null;
  const until = pause.pausedUntil;
  if (pause.failure === 'quota') return { kind: 'provider_budget', until, message: message('hold.provider_budget') };
  return { kind: 'provider_paused', until, message: message(pauseCode(pause.failure), { provider: name }) };
}

function pauseCode(failure: string | null) {
  if (failure === 'auth') return 'hold.provider_auth';
  return failure === PAUSED_BY_OPERATOR ? 'hold.provider_by_operator' : 'hold.provider_failing';
}

function floor({ check, lastCheckedAt }: Explained, { floorSeconds, now }: Circumstances): Hold | null {
  if (!check || !lastCheckedAt) return null;
  const until = new Date(lastCheckedAt.getTime() + floorSeconds * 1000);
  if (until <= now) return null;
  return { kind: 'provider_floor', until, message: message('hold.provider_floor', { seconds: floorSeconds }) };
}

function firstAnswer({ check }: Explained, { now }: Circumstances): Hold | null {
  if (!check?.claimedAt || check.fingerprint !== null || check.nextCheckAt <= now) return null;
  return { kind: 'first_answer', until: check.nextCheckAt, message: message('hold.first_answer') };
}

function input({ lastAnswer, notice }: Explained): Hold | null {
  if (lastAnswer?.failure !== 'needs_input') return null;
  const needed = notice === null ? message('hold.input_needed') : message('hold.input_needed_as', { notice });
  return { kind: 'input_needed', until: null, message: needed };
}

function retrackInterval({ retrackedAt }: Explained, { now }: Circumstances): Hold | null {
  if (!retrackedAt) return null;
  const until = new Date(retrackedAt.getTime() + RETRACK_INTERVAL_SECONDS * 1000);
  if (until <= now) return null;
  return { kind: 'retrack_interval', until, message: message('hold.retrack_interval') };
}

/** Why checks fail, and since when. */
type FailingExplanation = { failure: CheckFailure; since: Date; message: Message };

/** Why the last checks of a parcel failed; null while they succeed. */
function explainFailing({ check }: Explained): FailingExplanation | null {
  if (!check?.failure || !check.failingSince) return null;
  const failure = CHECK_FAILURES.find((known) => known === check.failure) ?? 'other';
  return { failure, since: check.failingSince, message: message(`failing.${failure}`) };
}

/** An answer that may be about another parcel, or whose state of the parcel is doubted. */
type QuarantineExplanation = { reason: QuarantineReason; since: Date; message: Message; scans: Scan[] };

/** An answer in quarantine; null if there is none. */
function explainQuarantine({ annotations }: Explained): QuarantineExplanation | null {
  const quarantine = annotations?.quarantine;
  if (!quarantine) return null;
  const { reason, since, scans } = quarantine;
  return { reason, since: new Date(since), message: message(`quarantine.${reason}`), scans };
}

/** Whether and how a parcel is polled, and why. `expiresAt`: when polling stops without news. */
type WatchExplanation = Watch & {
  reason: WatchReason;
  message: Message;
  lastCheckedAt: Date | null;
  expiresAt: Date | null;
};

/** Whether and how a parcel is polled, and why. */
function explainWatch(tracking: Explained, ctx: WatchContext): WatchExplanation {
  const watch = watchOf(tracking, ctx);
  const reason = watchReason(tracking, watch.mode);
  const { check, lastCheckedAt } = tracking;
  const text = (reason === 'pushed' && explainCallbacks(tracking, ctx)?.message) || message(`watch.${reason}`);
  return { ...watch, reason, message: text, lastCheckedAt, expiresAt: check?.expiresAt ?? null };
}

function watchReason({ check, subStatus, stoppedAt }: Explained, mode: WatchMode): WatchReason {
  if (check && mode === 'stopped') return 'no_provider';
  if (mode === 'pushed') return 'pushed';
  if (check) return check.finalLook ? 'final_look' : 'regular';
  if (subStatus === 'delivered' || subStatus === 'returned' || subStatus === 'expired') return subStatus;
  if (stoppedAt) return 'stopped';
  // Of everything that stops polling, only this leaves the state unchanged.
  return 'invalid_number';
}

/** How often a parcel is checked, and why. */
type CadenceExplanation = {
  isMonitored: boolean;
  intervalSeconds: number;
  floorSeconds: number;
  message: Message;
};

/** How often a parcel is checked, and why. */
function explainCadence(tracking: Explained, ctx: WatchContext, floorSeconds: number): CadenceExplanation {
  const { isMonitored } = tracking;
  const { mode, intervalSeconds: watched } = watchOf(tracking, ctx);
  if (mode === 'pushed' && watched !== null) {
    const text = message('cadence.pushed', { seconds: watched });
    return { isMonitored, floorSeconds, intervalSeconds: watched, message: text };
  }
  const wanted = intervalSeconds({ isMonitored }, ctx, 0);
  const floor = floorSeconds > wanted ? message('cadence.floor', { seconds: floorSeconds }) : '';
  const moving = isMonitored && tracking.isToBeMoved ? message('cadence.moving') : '';
  const code = isMonitored ? 'cadence.monitored' : 'cadence.idle';
  return {
    isMonitored,
    floorSeconds,
    intervalSeconds: intervalSeconds({ isMonitored }, ctx, floorSeconds),
    message: message(code, { seconds: wanted, floor, moving }),
  };
}

/** Why a tracking has its carrier, and the possible carriers of its number, best first. */
type CarrierExplanation = {
  code: string;
  name: string | null;
  /** The page of the parcel on its site, or the site. */
  pageUrl: string | null;
  chosenBy: 'merchant' | 'detection';
  message: Message;
  candidates: { carrier: string; confidence: number; reason: Message }[];
  /** The codes of the carriers that are checked one after another; empty once it is known. */
  askedInTurn: string[];
};

type Subject = Pick<
  Explained,
  'carrier' | 'detected' | 'trackingNumber' | 'candidates' | 'destinationCountry' | 'phone'
>;

/** Why a tracking has its carrier. */
function explainCarrier(
  { carrier, detected, trackingNumber, candidates: open, destinationCountry, phone }: Subject,
  ctx: Pick<ServiceContext, 'providers' | 'sandbox'>,
): CarrierExplanation {
  const given = { destination_country: destinationCountry ?? undefined, phone: phone ?? undefined };
  const { carrier: best } = chooseServedCarrier(ctx, trackingNumber, given);
  const candidates = detectWithReasons(trackingNumber, ctx);
  const found = findCarrier(carrier, ctx);
  return {
    code: carrier,
    name: found?.name ?? null,
    pageUrl: found ? carrierPage(found, trackingNumber) : null,
    chosenBy: detected ? 'detection' : 'merchant',
    message: open
      ? message('carrier.asking', { carriers: candidateCodes(open), next: currentOf(open)?.carrier ?? '' })
      : messageOf(carrier, detected, best),
    candidates: candidates.map(({ reason, ...candidate }) => ({ ...candidate, reason: message(`match.${reason}`) })),
    askedInTurn: open ? candidateCodes(open) : [],
  };
}

function messageOf(carrier: string, detected: boolean, best: string | null): Message {
  if (!detected && best !== null && best !== carrier) return message('carrier.named_unlike', { best });
  return message(detected ? 'carrier.detected' : 'carrier.named');
}

/** Whether callbacks bring the news of a parcel, and if not, why. */
type CallbackExplanation = {
  state: CallbackState;
  subscribedAt: Date | null;
  pushedAt: Date | null;
  awaitedSince: Date | null;
  retryAt: Date | null;
  message: Message;
};

/** The state of a parcel's subscription to its provider's callbacks; null if there is no subscription to its number. */
function explainCallbacks(tracking: Explained, ctx: WatchContext): CallbackExplanation | null {
  const { subscription, check } = tracking;
  const callbacks = ctx.providers.find(({ name }) => name === tracking.provider)?.callbacks;
  if (!subscription || !callbacks || !check || ctx.safetyNetSeconds === null) return null;
  const { subscribedAt, pushedAt, awaitedSince, retryAt } = subscription;
  const state = stateOf(subscription);
  const text = callbackMessageOf(state, subscription, callbacks.title, ctx.safetyNetSeconds);
  return { state, subscribedAt, pushedAt, awaitedSince, retryAt, message: text };
}

type Subscription = NonNullable<Explained['subscription']>;

function stateOf({ state, awaitedSince }: Subscription): CallbackState {
  // Released because no parcel watched the number; one does again.
  if (state === 'releasing' || state === 'released') return 'wanted';
  if (state !== 'active') return state;
  return awaitedSince === null ? 'pushing' : 'awaited';
}

function callbackMessageOf(
  state: CallbackState,
  { pushedAt, awaitedSince, retryAt, reason }: Subscription,
  provider: string,
  safetyNetSeconds: number,
): Message {
  const because = reason === null ? '' : message('callbacks.because', { reason });
  switch (state) {
    case 'pushing':
      return message('callbacks.pushing', { provider, every: duration(safetyNetSeconds), last: timeOf(pushedAt) });
    case 'awaited':
      return message(pushedAt === null ? 'callbacks.awaited' : 'callbacks.awaited_again', {
        provider,
        since: timeOf(awaitedSince),
      });
    case 'wanted':
      return message('callbacks.wanted', { provider, because, at: timeOf(retryAt) });
    case 'ended':
      return message('callbacks.ended', { provider, because });
    case 'refused':
      return message('callbacks.refused', { provider, because });
    default:
      return state satisfies never;
  }
}

/** Readable: whole hours or minutes if possible. */
function duration(seconds: number): Message {
  if (seconds % 3600 === 0) return message('every.hours', { value: seconds / 3600 });
  if (seconds % 60 === 0) return message('every.minutes', { value: seconds / 60 });
  return message('every.seconds', { value: seconds });
}

function timeOf(time: Date | null): Message | string {
  return time === null ? message('never') : toUtcSeconds(time);
}
