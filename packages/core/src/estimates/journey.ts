import type { Scan } from '../tracking/scan.ts';

/** Carriers reuse numbers: scans this long before the registration belong to another parcel. */
const OTHER_PARCEL_DAYS = 120;
/** A scan dated further in the future than this is a plan or a mistake. */
const AHEAD_HOURS = 24;
/** A parcel at a pickup point that the carrier no longer tracks counts as collected after this time. */
const PRESUMED_AFTER_DAYS = 7;

/** Scans, grouped by how they relate to the registered parcel. */
export type Sorted = {
  /** Scans of this parcel up to now: they decide the status. */
  current: Scan[];
  /** Scans of an earlier parcel with the same number. */
  previous: Scan[];
  /** Scans announced for the future. */
  expected: Scan[];
};

/** Separates the scans of a parcel from those of an earlier parcel with its number and from announced ones. */
export function sortScans(scans: readonly Scan[], registeredAt: Date, now: Date): Sorted {
  const sorted: Sorted = { current: [], previous: [], expected: [] };
  const first = registeredAt.getTime() - OTHER_PARCEL_DAYS * 86_400_000;
  for (const scan of scans) {
    if (Date.parse(scan.time) < first) sorted.previous.push(scan);
    else if (isAhead(scan, now)) sorted.expected.push(scan);
    else sorted.current.push(scan);
  }
  return sorted;
}

/** Whether a scan is dated too far ahead to have happened. */
export function isAhead({ time }: Scan, now: Date): boolean {
  return Date.parse(time) > now.getTime() + AHEAD_HOURS * 3_600_000;
}

/** Whether no more scans will come and the newest one is a week old. */
export function isPresumedDelivered(
  { scans, isWatchEnded }: { scans: readonly Scan[]; isWatchEnded?: true },
  now: Date,
): boolean {
  if (!isWatchEnded || scans.length === 0) return false;
  const newest = Math.max(...scans.map(({ time }) => Date.parse(time)));
  return newest <= now.getTime() - PRESUMED_AFTER_DAYS * 86_400_000;
}
