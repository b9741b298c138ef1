import { detectWithReasons } from '@pts/carriers/detection/detect';
import type { MatchReason } from '@pts/carriers/detection/format';
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
import { nextMonthOf, toUtcSeconds } from '@pts/core/time';
import type { QuarantineReason } from '@pts/core/tracking/change';
import { PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import type { Scan } from '@pts/core/tracking/scan';
import { RETRACK_INTERVAL_SECONDS } from '@pts/core/tracking/schedule';
import { candidateCodes, currentOf, type Undecided } from '@pts/core/tracking/undecided';
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
type QuotaExplanation = { limit: number; used: number; left: number; resetsAt: Date; message: string };

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
  const message =
    left > 0
      ? 'This tracking was charged when it was registered; checks are free.'
      : 'The quota is used up: new numbers are refused until it resets. Checks of this tracking continue.';
  return { limit, used, left, resetsAt: nextMonthOf(now), message };
}

type Hold = { kind: HoldKind; until: Date | null; message: string };
type Circumstances = { floorSeconds: number; isServed: boolean; now: Date };

/** The reasons that delay the next check or retrack of a parcel. */
function heldBackBy(tracking: Explained, circumstances: Circumstances): Hold[] {
  const holds = [noProvider, provider, floor, firstAnswer, input, retrackInterval];
  return holds.flatMap((hold) => hold(tracking, circumstances) ?? []);
}

function noProvider({ provider: name }: Explained, { isServed }: Circumstances): Hold | null {
  if (isServed) return null;
  const message = `The provider ${name} is no longer configured. Send courier_code again with PATCH /api/v1/trackings/{id}.`;
  return { kind: 'no_provider', until: null, message };
}

/** The stored reason of a pause is for operators; merchants see only its kind. */
function provider({ check, pause, provider: name }: Explained, { now }: Circumstances): Hold | null {
  if (!check || !pause?.pausedUntil || pause.pausedUntil <= now) return null;
  const until = pause.pausedUntil;
  if (pause.failure === 'quota') {
    const message = "The provider's daily budget is used up. Checks resume at that time.";
    return { kind: 'provider_budget', until, message };
  }
  return { kind: 'provider_paused', until, message: `${causeOf(pause.failure, name)} Checks resume at that time.` };
}

function causeOf(failure: string | null, name: string): string {
  if (failure === 'auth')
    return `The provider ${name} does not accept the credentials of this installation, which its operator must correct.`;
  return failure === PAUSED_BY_OPERATOR
    ? `The operator of this installation has paused the provider ${name}.`
    : `The provider ${name} is failing.`;
}

function floor({ check, lastCheckedAt }: Explained, { floorSeconds, now }: Circumstances): Hold | null {
  if (!check || !lastCheckedAt) return null;
  const until = new Date(lastCheckedAt.getTime() + floorSeconds * 1000);
  if (until <= now) return null;
  const message = `The provider allows one check of a number every ${floorSeconds} seconds.`;
  return { kind: 'provider_floor', until, message };
}

function firstAnswer({ check }: Explained, { now }: Circumstances): Hold | null {
  if (!check?.claimedAt || check.fingerprint !== null || check.nextCheckAt <= now) return null;
  const message = 'A check is in progress. If no answer arrives, it is repeated at that time.';
  return { kind: 'first_answer', until: check.nextCheckAt, message };
}

function input({ lastAnswer, notice }: Explained): Hold | null {
  if (lastAnswer?.failure !== 'needs_input') return null;
  const message = `The carrier needs more than the number${notice === null ? '' : `: ${notice}`}`;
  return { kind: 'input_needed', until: null, message };
}

function retrackInterval({ retrackedAt }: Explained, { now }: Circumstances): Hold | null {
  if (!retrackedAt) return null;
  const until = new Date(retrackedAt.getTime() + RETRACK_INTERVAL_SECONDS * 1000);
  if (until <= now) return null;
  const message =
    'It was retracked less than 1 hour ago. The next retrack is possible at that time; regular checks continue.';
  return { kind: 'retrack_interval', until, message };
}

const FAILURE_TEXTS: Record<CheckFailure, string> = {
  transient: 'The provider returned no answer for this number.',
  unreadable: "The provider's answer could not be parsed.",
  temporary: 'The provider reported a temporary problem with this number.',
  unsaved: 'The answer could not be stored. This is a fault of the service; its operators have been notified.',
  other: 'The provider returned no answer for this number.',
};

/** Why checks fail, and since when. */
type FailingExplanation = { failure: CheckFailure; since: Date; message: string };

/** Why the last checks of a parcel failed; null while they succeed. */
function explainFailing({ check }: Explained): FailingExplanation | null {
  if (!check?.failure || !check.failingSince) return null;
  const failure = CHECK_FAILURES.find((known) => known === check.failure) ?? 'other';
  const message = `${FAILURE_TEXTS[failure]} The next check tries again.`;
  return { failure, since: check.failingSince, message };
}

const QUARANTINE_TEXTS: Record<QuarantineReason, string> = {
  other_number: 'The last answer is for a different number.',
  other_history: 'The last answer shares no event with the known history of the parcel.',
  other_state: 'The state of the parcel in the last answer contradicts its newest event.',
};

/** An answer that may be about another parcel, or whose state of the parcel is doubted. */
type QuarantineExplanation = { reason: QuarantineReason; since: Date; message: string; scans: Scan[] };

/** An answer in quarantine; null if there is none. */
function explainQuarantine({ annotations }: Explained): QuarantineExplanation | null {
  const quarantine = annotations?.quarantine;
  if (!quarantine) return null;
  const { reason, since, scans } = quarantine;
  const message = `${QUARANTINE_TEXTS[reason]} It is ignored unless an answer an hour later confirms it.`;
  return { reason, since: new Date(since), message, scans };
}

const WATCH_TEXTS: Record<WatchReason, string> = {
  regular: 'It is checked regularly.',
  pushed: 'Its news is pushed; checks are a safety net.',
  no_provider:
    'Polling has stopped: the provider of this carrier is no longer configured. Send courier_code again with PATCH /api/v1/trackings/{id}.',
  final_look: 'It has arrived. One final check follows, then polling stops.',
  delivered: 'Polling has stopped: it was delivered. A retrack checks it again.',
  returned: 'Polling has stopped: it was returned. A retrack checks it again.',
  expired: 'Polling has stopped: there was no news for 30 days. A retrack resumes it.',
  stopped: 'Polling has stopped, because you stopped it. A retrack resumes it.',
  invalid_number:
    'Polling has stopped: the carrier rejects this number as invalid. If the carrier is wrong, send the right courier_code with PATCH /api/v1/trackings/{id}.',
};

/** Whether and how a parcel is polled, and why. `expiresAt`: when polling stops without news. */
type WatchExplanation = Watch & {
  reason: WatchReason;
  message: string;
  lastCheckedAt: Date | null;
  expiresAt: Date | null;
};

/** Whether and how a parcel is polled, and why. */
function explainWatch(tracking: Explained, ctx: WatchContext): WatchExplanation {
  const watch = watchOf(tracking, ctx);
  const reason = watchReason(tracking, watch.mode);
  const { check, lastCheckedAt } = tracking;
  const message = (reason === 'pushed' && explainCallbacks(tracking, ctx)?.message) || WATCH_TEXTS[reason];
  return { ...watch, reason, message, lastCheckedAt, expiresAt: check?.expiresAt ?? null };
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
  message: string;
};

/** How often a parcel is checked, and why. */
function explainCadence(tracking: Explained, ctx: WatchContext, floorSeconds: number): CadenceExplanation {
  const { isMonitored } = tracking;
  const { mode, intervalSeconds: watched } = watchOf(tracking, ctx);
  if (mode === 'pushed' && watched !== null) {
    const message = `Checked every ${watched} seconds (10 % more or less) as a safety net, because its news is pushed.`;
    return { isMonitored, floorSeconds, intervalSeconds: watched, message };
  }
  const wanted = intervalSeconds({ isMonitored }, ctx, 0);
  const because = isMonitored ? 'an enabled webhook' : 'no enabled webhook; with one, checks are more frequent';
  const above = floorSeconds > wanted ? ` The provider allows at most one check every ${floorSeconds} seconds.` : '';
  const moving =
    isMonitored && tracking.isToBeMoved
      ? ' The checks of the account are being moved to that interval, in the background: until its turn comes, its next check is as late as before.'
      : '';
  return {
    isMonitored,
    floorSeconds,
    intervalSeconds: intervalSeconds({ isMonitored }, ctx, floorSeconds),
    message: `Checked every ${wanted} seconds (10 % more or less), because the account has ${because}.${above}${moving}`,
  };
}

const REASONS: Record<MatchReason, string> = {
  marks_and_check_digit:
    'its own prefix (or other letters or digits), the length of its numbers, and a valid check digit',
  check_digit: 'the length of its numbers and a valid check digit; other carriers use the same format',
  wrong_check_digit: 'the format of its numbers, but the check digit is wrong: check the number for typing errors',
  marks: 'its own prefix (or other letters or digits) and the length of its numbers; they have no check digit',
  form: 'only the length and kind of characters of its numbers, which other carriers use too',
  sandbox: 'a number of the sandbox carrier',
};

/** Why a tracking has its carrier, and the possible carriers of its number, best first. */
type CarrierExplanation = {
  code: string;
  name: string | null;
  /** The page of the parcel on its site, or the site. */
  pageUrl: string | null;
  chosenBy: 'merchant' | 'detection';
  message: string;
  candidates: { carrier: string; confidence: number; reason: string }[];
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
    message: open ? searchMessage(open) : messageOf(carrier, detected, best),
    candidates: candidates.map(({ reason, ...candidate }) => ({ ...candidate, reason: REASONS[reason] })),
    askedInTurn: open ? candidateCodes(open) : [],
  };
}

function searchMessage(open: Undecided): string {
  const current = currentOf(open)?.carrier ?? '';
  return `It is not known yet: the number may belong to ${candidateCodes(open).join(', ')}. They are checked one after another, next ${current}; the first one that knows the number becomes the carrier. To name it, send courier_code with PATCH /api/v1/trackings/{id}.`;
}

function messageOf(carrier: string, detected: boolean, best: string | null): string {
  if (!detected && best !== null && best !== carrier)
    return `You named it; detection would choose ${best}. To change it, send courier_code with PATCH /api/v1/trackings/{id}.`;
  if (!detected) return 'You named it.';
  return 'It was detected from the number. If it is wrong, send the right courier_code with PATCH /api/v1/trackings/{id}.';
}

/** Whether callbacks bring the news of a parcel, and if not, why. */
type CallbackExplanation = {
  state: CallbackState;
  subscribedAt: Date | null;
  pushedAt: Date | null;
  awaitedSince: Date | null;
  retryAt: Date | null;
  message: string;
};

/** The state of a parcel's subscription to its provider's callbacks; null if there is no subscription to its number. */
function explainCallbacks(tracking: Explained, ctx: WatchContext): CallbackExplanation | null {
  const { subscription, check } = tracking;
  const callbacks = ctx.providers.find(({ name }) => name === tracking.provider)?.callbacks;
  if (!subscription || !callbacks || !check || ctx.safetyNetSeconds === null) return null;
  const { subscribedAt, pushedAt, awaitedSince, retryAt } = subscription;
  const state = stateOf(subscription);
  const message = callbackMessageOf(state, subscription, callbacks.title, ctx.safetyNetSeconds);
  return { state, subscribedAt, pushedAt, awaitedSince, retryAt, message };
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
  title: string,
  safetyNetSeconds: number,
): string {
  const because = reason === null ? '' : ` (${reason})`;
  switch (state) {
    case 'pushing':
      return `Pushed by ${title}; safety-net check every ${duration(safetyNetSeconds)}; last push ${timeOf(pushedAt)}.`;
    case 'awaited':
      return pushedAt !== null
        ? `Subscribed at ${title}, but a check found news at ${timeOf(awaitedSince)} that was not pushed: it is checked regularly until a push arrives.`
        : `Subscribed at ${title} at ${timeOf(awaitedSince)}: it is checked regularly until the first push arrives.`;
    case 'wanted':
      return `It is being subscribed to at ${title}${because}, at ${timeOf(retryAt)}; until then it is checked regularly.`;
    case 'ended':
      return `${title} has finished pushing${because}: it is checked regularly.`;
    case 'refused':
      return `${title} does not push the news of this number${because}: it is checked regularly.`;
    default:
      return state satisfies never;
  }
}

/** Readable: whole hours or minutes if possible. */
function duration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function timeOf(time: Date | null): string {
  return time === null ? 'never' : toUtcSeconds(time);
}
