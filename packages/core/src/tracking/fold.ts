import { type Correction, identity, isAlike, isPlacedBetter, keyOf, match } from './match.ts';
import type { Scan } from './scan.ts';
import type { ScanStatus } from './status.ts';

/** How far along a scan is; gives scans of the same second a stable order. */
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

/** The order of a history: by time, and stable within a second. */
export function compare(a: Scan, b: Scan): number {
  return (
    compareText(a.time, b.time) ||
    PROGRESS[a.status] - PROGRESS[b.status] ||
    compareText(a.description, b.description) ||
    compareText(a.location, b.location) ||
    compareText(a.timeRaw, b.timeRaw) ||
    compareText(a.zoneSource, b.zoneSource) ||
    compareText(a.ownStatus ?? '', b.ownStatus ?? '') ||
    compareText(a.course ?? '', b.course ?? '') ||
    compareText(a.parcel?.status ?? '', b.parcel?.status ?? '')
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type Folded = {
  /** The whole history, oldest first. */
  scans: Scan[];
  /** Whether the history has changed. */
  isNews: boolean;
  /**
   * How many known scans the answer lists, corrected ones included. If it repeats none of them word for word but
   * lists others, a scan of the same moment counts only where its place or words are similar: it may be another
   * parcel's.
   */
  shared: number;
};

/**
 * Folds a carrier's answer into the history. A scan is recognised by instant, text and place; its status may change in
 * place. Corrected texts and times replace the old ones. A scan that the carrier no longer lists is kept, except for a
 * delivery or return that is missing while the rest is still listed: the carrier has withdrawn it.
 * The result does not depend on the order of `incoming`, and folding the same answer twice changes nothing.
 */
export function fold(history: readonly Scan[], incoming: readonly Scan[]): Folded {
  const answer = dedupe(incoming);
  const { repeated, corrected, missing, fresh } = match([...history].sort(compare), answer);
  const isSure = repeated.length > 0 || fresh.length === 0;
  const shared = repeated.length + (isSure ? corrected : corrected.filter(isAlike)).length;
  const withdrawn = withdrawnOf(missing, answer);
  const scans = settle(
    [
      ...repeated.map(updated),
      ...corrected.map(correctedBy),
      ...missing.flatMap((scan) => (withdrawn.includes(scan) ? remainderOf(scan) : [scan])),
      ...withNewKeys(fresh, history),
    ].sort(compare),
  );
  return { scans, isNews: !isSameReading(history, scans), shared };
}

/**
 * Each scan once, with the most of its place that is listed; if one is listed with several statuses, the one furthest
 * along counts.
 */
export function dedupe(scans: readonly Scan[]): Scan[] {
  const distinct = [...new Map([...scans].sort(compare).map((scan) => [identity(scan), scan])).values()];
  return distinct.flatMap((scan) => {
    if (distinct.some((other) => isPlacedBetter(other, scan))) return [];
    const furthest = distinct.findLast((other) => isPlacedBetter(scan, other));
    return furthest && PROGRESS[furthest.status] > PROGRESS[scan.status]
      ? [{ ...scan, status: furthest.status }]
      : [scan];
  });
}

/**
 * A scan that is listed again. Its own classification may have changed. A course that it took from the state of the
 * parcel stays: the parcel was on its way back then, also when its newest scan no longer says so.
 */
function updated({ known, now }: Correction): Scan {
  const isOfParcel = known.ownStatus !== undefined || known.parcel !== undefined;
  const keepsCourse = now.course === undefined && (isOfParcel || known.status === (now.ownStatus ?? now.status));
  const { course: _, proof = known.proof, ...rest } = now;
  const course = keepsCourse ? known.course : now.course;
  return {
    ...rest,
    timeRaw: known.timeRaw,
    zoneSource: known.zoneSource,
    ...(course === undefined ? {} : { course }),
    ...(proof === undefined ? {} : { proof }),
    ...(known.key === undefined ? {} : { key: known.key }),
  };
}

/** A corrected scan. One that is listed with less of its place keeps the place, and the time by it. */
function correctedBy({ known, now }: Correction): Scan {
  const { time, timeRaw, zoneSource, location } = known;
  return {
    ...now,
    ...(isPlacedBetter(known, now) && { time, timeRaw, zoneSource, location }),
    key: keyOf(known),
  };
}

/** New scans. One that reads as another did before it was corrected gets a key of its own. */
function withNewKeys(fresh: readonly Scan[], history: readonly Scan[]): readonly Scan[] {
  const corrected = history.filter(({ key }) => key !== undefined);
  if (corrected.length === 0) return fresh;
  const taken = new Set(corrected.map(keyOf));
  return fresh.map((scan) => (taken.has(keyOf(scan)) ? { ...scan, key: `${keyOf(scan)}2` } : scan));
}

/** Deliveries and returns that an answer leaves out although it lists everything else from its oldest scan on. */
function withdrawnOf(missing: readonly Scan[], answer: readonly Scan[]): Scan[] {
  const oldest = answer[0]?.time;
  if (oldest === undefined) return [];
  const withinReach = missing.filter(({ time }) => time >= oldest);
  const isOver = ({ status, ownStatus, parcel }: Scan) => [status, ownStatus, parcel?.status].some(isFinal);
  return withinReach.every(isOver) ? withinReach : [];
}

function isFinal(status: ScanStatus | undefined): boolean {
  return status === 'delivered' || status === 'returned';
}

/** The rest of a withdrawn delivery: the scan itself, if only the state of the parcel had made it a delivery. */
function remainderOf(scan: Scan): Scan[] {
  return isFinal(scan.ownStatus ?? scan.status) ? [] : [withOwnStatus(scan)];
}

/**
 * The state of the parcel belongs to its newest scan; once a newer one follows, a scan has its own status. Paper
 * scans, such as a planned delivery, are not newer ones.
 */
function settle(scans: readonly Scan[]): Scan[] {
  const isPaper = ({ status, ownStatus = status }: Scan) => status === 'info_received' && ownStatus === status;
  const newest = (scans.findLast((scan) => !isPaper(scan)) ?? scans.at(-1))?.time ?? '';
  return scans.map((scan) => (scan.time < newest ? withOwnStatus(scan) : scan)).sort(compare);
}

function withOwnStatus(scan: Scan): Scan {
  if (scan.ownStatus === undefined && scan.parcel === undefined) return scan;
  const { ownStatus, parcel: _, problem, ...rest } = scan;
  // Its problem was that of the state, too.
  return ownStatus === undefined && problem !== undefined
    ? { ...rest, problem }
    : { ...rest, status: ownStatus ?? scan.status };
}

function isSameReading(before: readonly Scan[], after: readonly Scan[]): boolean {
  const read = (scans: readonly Scan[]) =>
    scans
      .map(({ time, status, description, location, parcel }) =>
        JSON.stringify([time, status, description, location, parcel?.status]),
      )
      .sort()
      .join('\n');
  return before.length === after.length && read(before) === read(after);
}
