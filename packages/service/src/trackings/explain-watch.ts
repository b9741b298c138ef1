import { CHECK_FAILURES, type CheckFailure, type HoldKind, type WatchReason } from '@pts/contract/explain';
import type { WatchMode } from '@pts/contract/trackings';
import type { QuarantineReason } from '@pts/core/tracking/change';
import { PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import type { Scan } from '@pts/core/tracking/scan';
import { RETRACK_INTERVAL_SECONDS } from '@pts/core/tracking/schedule';
import type { Explained } from '@pts/db/trackings/explain';
import { explainCallbacks } from './explain-callbacks.ts';
import { intervalSeconds, type Watch, type WatchContext, watchOf } from './watch.ts';

export type Hold = { kind: HoldKind; until: Date | null; message: string };
type Circumstances = { floorSeconds: number; isServed: boolean; now: Date };

/** What delays the next check or retrack of a parcel. */
export function heldBackBy(tracking: Explained, circumstances: Circumstances): Hold[] {
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
export type FailingExplanation = { failure: CheckFailure; since: Date; message: string };

/** Why the last checks of a parcel failed; null while they succeed. */
export function explainFailing({ check }: Explained): FailingExplanation | null {
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
export type QuarantineExplanation = { reason: QuarantineReason; since: Date; message: string; scans: Scan[] };

/** An answer in quarantine; null if there is none. */
export function explainQuarantine({ annotations }: Explained): QuarantineExplanation | null {
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
export type WatchExplanation = Watch & {
  reason: WatchReason;
  message: string;
  lastCheckedAt: Date | null;
  expiresAt: Date | null;
};

/** Whether and how a parcel is polled, and why. */
export function explainWatch(tracking: Explained, ctx: WatchContext): WatchExplanation {
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
export type CadenceExplanation = {
  isMonitored: boolean;
  intervalSeconds: number;
  floorSeconds: number;
  message: string;
};

/** How often a parcel is checked, and why. */
export function explainCadence(tracking: Explained, ctx: WatchContext, floorSeconds: number): CadenceExplanation {
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
