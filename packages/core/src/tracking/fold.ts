import type { Scan } from './scan.ts';
import type { ScanStatus, SubStatus } from './status.ts';

/** How far along a scan is; it orders scans of the same second the same way whatever order they came in. */
const PROGRESS: Record<ScanStatus, number> = {
  info_received: 0,
  in_transit: 1,
  exception: 2,
  out_for_delivery: 3,
  undeliverable: 4,
  available_for_pickup: 5,
  delivered: 6,
  returned: 7,
};

function compare(a: Scan, b: Scan): number {
  return (
    compareText(a.time, b.time) ||
    PROGRESS[a.status] - PROGRESS[b.status] ||
    compareText(a.description, b.description) ||
    compareText(a.location, b.location) ||
    compareText(a.timeRaw, b.timeRaw) ||
    compareText(a.zoneSource, b.zoneSource)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const identity = (scan: Scan) => JSON.stringify([scan.time, scan.status, scan.description, scan.location]);
const slot = (scan: Scan) => `${scan.time} ${scan.status}`;

export type Folded = {
  /** The whole history, oldest first. */
  scans: Scan[];
  /** Whether the history now says something it did not say before. */
  isNews: boolean;
};

/**
 * Folds a carrier's answer into the history. A repeated scan is not news; a scan that the carrier no longer lists is
 * kept; a corrected one (same time and status, other text, the old text gone from the answer) is replaced in place.
 * The result does not depend on the order of `incoming`, and folding the same answer twice changes nothing.
 */
export function fold(history: readonly Scan[], incoming: readonly Scan[]): Folded {
  const known = new Map(history.map((scan) => [identity(scan), scan]));
  const listed = new Set(incoming.map(identity));
  const withdrawn = groupBySlot(history.filter((scan) => !listed.has(identity(scan))));
  const fresh = dedupe(incoming).filter((scan) => !known.has(identity(scan)));
  for (const scan of fresh) {
    const corrected = withdrawn.get(slot(scan))?.shift();
    if (corrected) known.delete(identity(corrected));
    known.set(identity(scan), scan);
  }
  return { scans: [...known.values()].sort(compare), isNews: fresh.length > 0 };
}

function dedupe(scans: readonly Scan[]): Scan[] {
  return [...new Map([...scans].sort(compare).map((scan) => [identity(scan), scan])).values()];
}

function groupBySlot(scans: readonly Scan[]): Map<string, Scan[]> {
  const groups = new Map<string, Scan[]>();
  for (const scan of [...scans].sort(compare)) {
    const group = groups.get(slot(scan));
    if (group) group.push(scan);
    else groups.set(slot(scan), [scan]);
  }
  return groups;
}

/**
 * The fine state that a history (oldest first) amounts to. The newest scan decides, with three exceptions: news that
 * a label was made never undoes movement, delivered yields only to a later return, and a return to a later delivery.
 */
export function deriveSubStatus(scans: readonly Scan[]): SubStatus {
  let state: SubStatus = 'pending';
  for (const { status } of scans) {
    if (state === 'delivered' && status !== 'returned') continue;
    if (state === 'returned' && status !== 'delivered') continue;
    if (status === 'info_received' && state !== 'pending') continue;
    state = status;
  }
  return state;
}
