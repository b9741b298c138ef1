import {
  boundWindow,
  type DeliveryEstimate,
  type DeliveryWindow,
  isPresumedDelivered,
  isUnderWay,
  namesOtherDays,
  sortScans,
} from '../estimates.ts';
import { type CarrierAnswer, type Found, foldBounded } from './answer.ts';
import { type Milestones, milestonesOf, type Pieces, problemOf, proofOf, subStatusAfter } from './derive.ts';
import { type Folded, fold } from './fold.ts';
import { identity } from './match.ts';
import { newestTime, type ParcelProblem, type PickupPoint, type Proof, type Scan } from './scan.ts';
import {
  eventsBetween,
  overallStatus,
  type ScanStatus,
  type Status,
  type SubStatus,
  type TrackingEventKind,
  watchOf,
} from './status.ts';

/** Why a parcel has its status, if its scans alone do not explain it. */
export const REASONS = ['delivery_revoked', 'presumed'] as const;
export type StatusReason = (typeof REASONS)[number];

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
  reason?: StatusReason;
  /** The parcel's trouble; absent if it has none. */
  problem?: ParcelProblem;
  milestones?: Milestones;
  /** Only of a delivered parcel. */
  proof?: Proof;
  /** Only until the parcel has arrived. */
  pickupPoint?: PickupPoint;
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
  emits: TrackingEventKind[];
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
  const { pieces, pickupPoint } = answer;
  const problem = problemOf(scans, subStatus);
  const milestones = milestonesOf(scans, subStatus, pieces);
  const proof = proofOf(scans, subStatus, pieces);
  const all = {
    ...annotations,
    ...(problem === undefined ? {} : { problem }),
    ...(milestones === undefined ? {} : { milestones }),
    ...(proof === undefined ? {} : { proof }),
    ...(pickupPoint === undefined || !isUnderWay(subStatus) ? {} : { pickupPoint }),
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

function keptReason(before: Snapshot, subStatus: SubStatus): StatusReason | undefined {
  return before.subStatus === subStatus ? before.annotations?.reason : undefined;
}

/**
 * Expires a parcel after 30 days without news: `expired`, its status unchanged. One that has arrived, and whose last
 * check was never answered, stays as it is: no news was expected.
 */
export function expire(before: Snapshot): Change {
  if (watchOf(before.subStatus) === 'once-more') return { after: before, emits: [] };
  const after: Snapshot = { ...before, subStatus: 'expired' };
  return { after, emits: eventsBetween(before, after, false) };
}

/** Why an answer seems to be about another parcel; `other_state`: why its state of the parcel is doubted. */
export const QUARANTINE_REASONS = ['other_number', 'other_history', 'other_state'] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/**
 * An answer that seems to be about another parcel, or a doubted state. It is quarantined until a later one confirms it.
 */
type Quarantine = {
  /** When the first such answer arrived: ISO 8601 UTC. */
  since: string;
  reason: QuarantineReason;
  /** Its newest scans. */
  scans: Scan[];
};

const CONFIRMED_AFTER_MS = 3_600_000;
const MAX_KEPT = 20;

/**
 * Whether an answer must be quarantined: it names another number, or shares no scan with the known history although it
 * is not newer. One that agrees with it an hour later confirms it.
 * @returns `null` when the answer may be folded in; `confirmed` when it replaces the history.
 */
function quarantineOf(
  history: readonly Scan[],
  scans: readonly Scan[],
  answer: Pick<Found, 'otherNumber'>,
  before: Quarantine | undefined,
  now: Date,
): Quarantine | 'confirmed' | null {
  const reason = suspicion(history, scans, answer);
  if (reason === null) return null;
  const isAbout = before !== undefined && before.reason !== 'other_state';
  const agrees = isAbout && fold(before.scans, scans).shared > 0;
  if (!agrees) return { since: now.toISOString(), reason, scans: fold([], scans).scans.slice(-MAX_KEPT) };
  return isConfirmed(before, now) ? 'confirmed' : before;
}

function isConfirmed({ since }: Quarantine, now: Date): boolean {
  return now.getTime() - Date.parse(since) >= CONFIRMED_AFTER_MS;
}

/** By the status of a scan, the states that do not follow it: steps are missing between the two. */
const NOT_NEXT: { [S in ScanStatus]?: readonly ScanStatus[] } = {
  info_received: ['exception', 'undeliverable', 'delivered', 'returned'],
  in_transit: ['delivered', 'returned'],
};

/**
 * Whether the state of the parcel in an answer is doubted: it does not follow its newest scan (delivered, but "billing
 * information received"), and the carrier does not date it after the scan. One that says the same an hour later
 * confirms it.
 * @returns `null` when the state counts.
 */
function doubtedState(
  history: readonly Scan[],
  scans: readonly Scan[],
  before: Quarantine | undefined,
  now: Date,
): Quarantine | null {
  const scan = scans.find(
    ({ status, parcel }) => parcel && !parcel.isLater && NOT_NEXT[status]?.includes(parcel.status),
  );
  if (scan === undefined) return null;
  const saysSo = (each: Scan) => identity(each) === identity(scan) && each.parcel?.status === scan.parcel?.status;
  if (history.some(saysSo)) return null;
  if (before?.reason !== 'other_state' || !before.scans.some(saysSo))
    return { since: now.toISOString(), reason: 'other_state', scans: [scan] };
  return isConfirmed(before, now) ? null : before;
}

/** A scan without the state of the parcel, and without the course that it had from that. */
function withoutState({ parcel, course, ...scan }: Scan): Scan {
  return course === undefined || course === parcel?.course ? scan : { ...scan, course };
}

function suspicion(
  history: readonly Scan[],
  scans: readonly Scan[],
  { otherNumber }: Pick<Found, 'otherNumber'>,
): QuarantineReason | null {
  if (scans.length === 0 || fold(history, scans).shared > 0) return null;
  if (otherNumber !== undefined) return 'other_number';
  const latest = history.at(-1)?.time;
  if (latest === undefined || scans.every(({ time }) => time > latest)) return null;
  return 'other_history';
}
