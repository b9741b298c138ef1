import type { Course, ParcelProblem, Proof, Scan } from './scan.ts';
import type { ScanStatus, SubStatus } from './status.ts';

/** The pieces of a shipment, and how many of them have been delivered. */
export type Pieces = { total: number; delivered: number };

/**
 * The sub-status that follows from an answer and the history after it; without any scan, the one that the answer
 * reports.
 */
export function subStatusAfter(
  history: readonly Scan[],
  answer: { pieces?: Pieces; parcelStatus?: ScanStatus },
): SubStatus {
  return (history.length === 0 ? answer.parcelStatus : undefined) ?? deriveSubStatus(history, answer.pieces);
}

/**
 * The sub-status that follows from a history (oldest first). The newest scan decides, with these exceptions:
 * - news that a label was made never undoes movement;
 * - only a return replaces delivered, and nothing replaces returned;
 * - on its way back to the sender a parcel stays an exception, and "delivered" then means returned. The same applies
 *   after a refusal, unless the parcel went out for delivery or to a pickup point again;
 * - a shipment of several pieces is delivered when all are;
 * - the state of the parcel that was reported with the newest scan (`parcel`) counts like a scan after it.
 */
export function deriveSubStatus(scans: readonly Scan[], pieces?: Pieces): SubStatus {
  let state: SubStatus = 'pending';
  let course: Course | undefined;
  for (const scan of scans) {
    course = courseAfter(course, scan);
    state = stateAfter(state, effectiveStatus(scan.status, course, pieces), course);
    if (scan.parcel === undefined) continue;
    course = courseAfter(course, scan.parcel);
    state = stateAfter(state, effectiveStatus(scan.parcel.status, course, pieces), course);
  }
  return state;
}

/** Where the parcel is heading after a history (oldest first); undefined for its recipient. */
function courseOf(scans: readonly Scan[]): Course | undefined {
  let course: Course | undefined;
  for (const scan of scans) {
    course = courseAfter(course, scan);
    if (scan.parcel !== undefined) course = courseAfter(course, scan.parcel);
  }
  return course;
}

function courseAfter(course: Course | undefined, scan: Pick<Scan, 'status' | 'course'>): Course | undefined {
  if (course === 'going_back') return course;
  if (scan.course !== undefined) return scan.course;
  const isTriedAgain = scan.status === 'out_for_delivery' || scan.status === 'available_for_pickup';
  return isTriedAgain ? undefined : course;
}

/** The meaning of a scan's status for the course of the parcel. */
function effectiveStatus(status: ScanStatus, course: Course | undefined, pieces: Pieces | undefined): ScanStatus {
  if (status === 'delivered' && course !== undefined) return 'returned';
  if (status === 'delivered' && pieces !== undefined && pieces.delivered < pieces.total) return 'out_for_delivery';
  if (course === 'going_back' && status !== 'returned') return status === 'undeliverable' ? status : 'exception';
  return status;
}

function stateAfter(state: SubStatus, status: ScanStatus, course: Course | undefined): SubStatus {
  if (state === 'returned') return state;
  if (state === 'delivered' && status !== 'returned' && course !== 'going_back') return state;
  if (status === 'info_received' && state !== 'pending') return state;
  return status;
}

/** The states of parcels in trouble. A parcel that is back at its sender is in none any more. */
export const TROUBLED: readonly SubStatus[] = ['exception', 'undeliverable'];

/**
 * The problem of a parcel in this state, by its history (oldest first). One in trouble has that of its course, or of
 * its newest scan about trouble; one on its way that of its newest scan, such as a delay; one that has arrived none.
 */
export function problemOf(scans: readonly Scan[], subStatus: SubStatus): ParcelProblem | undefined {
  if (!TROUBLED.includes(subStatus)) {
    const hasArrived = subStatus === 'delivered' || subStatus === 'returned';
    const newest = hasArrived ? undefined : scans.findLast(({ status }) => status !== 'info_received');
    return newest && (newest.parcel?.problem ?? newest.problem);
  }
  const course = courseOf(scans);
  if (course !== undefined) return course === 'refused' ? 'refused' : 'returning';
  const trouble = scans.findLast(({ status, parcel }) => TROUBLED.includes(parcel?.status ?? status));
  return trouble?.parcel?.problem ?? trouble?.problem ?? (subStatus === 'undeliverable' ? 'failed_attempt' : 'other');
}

/** The scan that delivered a parcel: of several pieces the last one, as it is delivered when all of them are. */
export function deliveryIn<S extends Pick<Scan, 'status'> | { status: string }>(
  scans: readonly S[],
  pieces: Pieces | null | undefined,
): S | undefined {
  const isDelivery = ({ status }: S) => status === 'delivered';
  if (pieces) return scans.findLast(isDelivery);
  // Carriers report a delivery again, for instance with its proof; another round means that it was none.
  const lastRound = scans.findLastIndex(({ status }) => status === 'out_for_delivery');
  return scans.slice(lastRound + 1).find(isDelivery) ?? scans.find(isDelivery);
}

/** The scan by which a carrier has the parcel, in a history that begins with the oldest. */
export function pickUpIn(scans: readonly Scan[]): Scan | undefined {
  return scans.find(({ status }) => status !== 'info_received' && status !== 'exception');
}

/** Whether a scan is an attempt to deliver the parcel, with or without success. */
function isAttempt({ status, course, problem }: Scan): boolean {
  const hasFailed = problem === 'failed_attempt' || problem === 'recipient_unavailable' || course === 'refused';
  return status === 'delivered' || status === 'undeliverable' || hasFailed;
}

/** When a parcel came how far: ISO 8601 UTC; each is absent until it is reached. */
export type Milestones = {
  pickedUpAt?: string;
  outForDeliveryAt?: string;
  firstAttemptAt?: string;
  deliveredAt?: string;
};

/** The milestones of a parcel in this state, by its history (oldest first). */
export function milestonesOf(
  scans: readonly Scan[],
  subStatus: SubStatus,
  pieces: Pieces | undefined,
): Milestones | undefined {
  const milestones = Object.entries({
    pickedUpAt: pickUpIn(scans),
    outForDeliveryAt: scans.find(({ status }) => status === 'out_for_delivery'),
    firstAttemptAt: scans.find(isAttempt),
    deliveredAt: subStatus === 'delivered' ? deliveryIn(scans, pieces) : undefined,
  }).flatMap(([name, scan]) => (scan === undefined ? [] : [[name, scan.time] as const]));
  return milestones.length === 0 ? undefined : Object.fromEntries(milestones);
}

/** The proof of delivery of a delivered parcel: what the scans from its delivery on say; undefined if nothing. */
export function proofOf(scans: readonly Scan[], subStatus: SubStatus, pieces: Pieces | undefined): Proof | undefined {
  const delivery = subStatus === 'delivered' ? deliveryIn(scans, pieces) : undefined;
  if (delivery === undefined) return undefined;
  const proofs = scans
    .slice(scans.indexOf(delivery))
    .flatMap(({ status, proof }) => (status === 'delivered' && proof) || []);
  return proofs.length === 0 ? undefined : Object.assign({}, ...proofs);
}
