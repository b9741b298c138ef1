import type { Course, Scan } from './scan.ts';
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
export function courseOf(scans: readonly Scan[]): Course | undefined {
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
