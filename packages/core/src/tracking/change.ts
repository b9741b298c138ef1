import { type Problem, problemOf } from '../attention/problem.ts';
import {
  boundWindow,
  type DeliveryEstimate,
  type DeliveryWindow,
  isUnderWay,
  namesOtherDays,
} from '../estimates/estimate.ts';
import { isPresumedDelivered, sortScans } from '../estimates/journey.ts';
import type { CarrierAnswer, Found } from './answer.ts';
import { foldBounded } from './bounds.ts';
import { type Pieces, subStatusAfter } from './derive.ts';
import { type EventKind, eventsBetween } from './emit.ts';
import { type Folded, fold } from './fold.ts';
import { doubtedState, type Quarantine, quarantineOf, withoutState } from './quarantine.ts';
import { newestTime, type Scan } from './scan.ts';
import { overallStatus, type Status, type SubStatus, watchOf } from './status.ts';

/** Why a parcel has its status, if its scans alone do not explain it. */
export const REASONS = ['delivery_revoked', 'presumed'] as const;
export type Reason = (typeof REASONS)[number];

/** Optional parts; each is absent when empty. */
export type Annotations = {
  /** Scans of an earlier parcel with the same number. */
  previous?: Scan[];
  /** Scans that the carrier dates more than a day in the future. */
  expected?: Scan[];
  pieces?: Pieces;
  /** When delivery is expected; only while the parcel is in transit. */
  estimate?: DeliveryEstimate;
  /** The first of its estimates, which says whether it arrives in time; it stays after the delivery. */
  firstEstimate?: DeliveryEstimate;
  reason?: Reason;
  /** What is wrong; only while the parcel is an exception or undeliverable. */
  problem?: Problem;
  quarantine?: Quarantine;
  /** The provider of this history. */
  provider?: string;
};

/** The state that follows from the history of a parcel. */
export type Snapshot = {
  scans: Scan[];
  status: Status;
  subStatus: SubStatus;
  /** Why the carrier has no answer, as a text for the merchant; null while it has one. */
  notice: string | null;
  annotations?: Annotations;
};

export type Change = {
  after: Snapshot;
  emits: EventKind[];
  /** The answer was not folded in: it may be about another parcel, so the check is repeated. */
  isQuarantined?: true;
  /** Its state of the parcel was not: it contradicts the scans, so the check is repeated. */
  isStateDoubted?: true;
};

/** Whether the same answer must come again before all of it counts. */
export function isUnconfirmed({ isQuarantined, isStateDoubted }: Change): boolean {
  return isQuarantined === true || isStateDoubted === true;
}

/** The circumstances of an answer. */
export type AnswerContext = {
  /** When it arrived. */
  now: Date;
  registeredAt: Date;
  provider?: string;
  /** Estimates the delivery of a parcel with this history from similar ones; null if too few are known. */
  estimate?: (scans: readonly Scan[]) => DeliveryWindow | null;
};

/** Applies an answer to a parcel: the snapshot afterwards, and the events that the change emits. */
export function applyAnswer(before: Snapshot, answer: CarrierAnswer, context: AnswerContext): Change {
  if (answer.kind === 'found') return applyFound(before, answer, context);
  const notice = answer.kind === 'failed' ? answer.message : null;
  return { after: { ...before, notice }, emits: [] };
}

function applyFound(before: Snapshot, answer: Found, context: AnswerContext): Change {
  const { now, registeredAt, provider } = context;
  const { current, previous, expected } = sortScans(answer.scans, registeredAt, now);
  const known = sortScans(before.scans, registeredAt, now);
  const annotated = before.annotations ?? {};
  const isOwner = provider === undefined || annotated.provider === undefined || annotated.provider === provider;
  const quarantine = isOwner ? quarantineOf(known.current, current, answer, annotated.quarantine, now) : null;
  if (quarantine !== null && quarantine !== 'confirmed') return keepApart(before, quarantine);
  // A history belongs to one provider: that of another provider, or a confirmed one, replaces it.
  const history = isOwner && quarantine === null ? known.current : [];
  const doubted = doubtedState(history, current, annotated.quarantine, now);
  const folded = foldBounded(history, doubted === null ? current : current.map(withoutState));
  const earlier = foldBounded([...(annotated.previous ?? []), ...known.previous], previous).scans;
  const isNews = folded.isNews || history !== known.current || known.previous.length > 0;
  const change = conclude(before, { ...folded, isNews }, answer, context, {
    ...(doubted === null ? {} : { quarantine: doubted }),
    ...(earlier.length > 0 ? { previous: earlier } : {}),
    ...(expected.length > 0 ? { expected: fold([], expected).scans } : {}),
    ...(answer.pieces === undefined ? {} : { pieces: answer.pieces }),
    ...(provider === undefined ? {} : { provider }),
  });
  // Another provider may know less; the last check of an arrived parcel may have moved to it.
  if (!isOwner && undoesArrival(before, change.after)) return { after: { ...before, notice: null }, emits: [] };
  return doubted === null ? change : { ...change, isStateDoubted: true };
}

/** Whether a state undoes a delivery or a return without a newer scan. */
export function undoesArrival(
  before: Pick<Snapshot, 'scans' | 'subStatus'>,
  after: Pick<Snapshot, 'scans' | 'subStatus'>,
): boolean {
  const hasArrived = ({ subStatus }: Pick<Snapshot, 'subStatus'>) => watchOf(subStatus) === 'once-more';
  return hasArrived(before) && !hasArrived(after) && newestTime(after.scans) <= newestTime(before.scans);
}

function keepApart(before: Snapshot, quarantine: Quarantine): Change {
  return {
    after: { ...before, annotations: { ...before.annotations, quarantine } },
    emits: [],
    isQuarantined: true,
  };
}

function conclude(
  before: Snapshot,
  { scans, isNews }: Pick<Folded, 'scans' | 'isNews'>,
  answer: Found,
  context: AnswerContext,
  annotations: Annotations,
): Change {
  const { now } = context;
  const derived = subStatusAfter(scans, answer);
  const isPresumed = derived === 'available_for_pickup' && isPresumedDelivered(answer, now);
  // An expired parcel stays expired until there is news.
  const isExpired = before.subStatus === 'expired' && !isNews && !isPresumed;
  const subStatus = isExpired ? 'expired' : isPresumed ? 'delivered' : derived;
  const status = overallStatus(subStatus, before.status);
  const isRevoked =
    before.status === '已签收' && status !== '已签收' && !scans.some((scan) => scan.status === 'delivered');
  const reason = isRevoked ? 'delivery_revoked' : isPresumed ? 'presumed' : keptReason(before, subStatus);
  const estimate = isUnderWay(subStatus) ? estimateOf(scans, answer, context) : undefined;
  const firstEstimate = before.annotations?.firstEstimate ?? estimate;
  const problem = problemOf(scans, subStatus);
  const all = {
    ...annotations,
    ...(problem === undefined ? {} : { problem }),
    ...(estimate === undefined ? {} : { estimate }),
    ...(firstEstimate === undefined ? {} : { firstEstimate }),
    ...(reason === undefined ? {} : { reason }),
  };
  const after: Snapshot = { scans, subStatus, status, notice: null };
  if (Object.keys(all).length > 0) after.annotations = all;
  const isOtherDay = namesOtherDays(before.annotations?.estimate, estimate, scans);
  return { after, emits: eventsBetween(before, after, isNews || isOtherDay, isRevoked) };
}

/** The carrier's estimate; without one, that from similar parcels. */
function estimateOf(
  scans: readonly Scan[],
  { estimatedDelivery }: Found,
  { now, estimate }: AnswerContext,
): DeliveryEstimate | undefined {
  const own = boundWindow(estimatedDelivery, now);
  if (own !== undefined) return { ...own, source: 'carrier' };
  const similar = estimate?.(scans) ?? null;
  return similar === null ? undefined : { ...similar, source: 'history' };
}

function keptReason(before: Snapshot, subStatus: SubStatus): Reason | undefined {
  return before.subStatus === subStatus ? before.annotations?.reason : undefined;
}

/**
 * Expires a parcel after 30 days without news: `expired`, its status unchanged. One that has arrived, and whose last check was never
 * answered, stays as it is: no news was expected.
 */
export function expire(before: Snapshot): Change {
  if (watchOf(before.subStatus) === 'once-more') return { after: before, emits: [] };
  const after: Snapshot = { ...before, subStatus: 'expired' };
  return { after, emits: eventsBetween(before, after, false) };
}
