import type { Scan } from './scan.ts';

/** Numbers are used again: scans this long before the registration are of another parcel. */
const OTHER_PARCEL_DAYS = 120;
/** A scan dated further ahead than this is a plan or a mistake. */
const AHEAD_HOURS = 24;
/** A parcel that was left at a pickup point, and that the carrier no longer follows, counts as collected after this. */
const PRESUMED_AFTER_DAYS = 7;

/** Scans sorted by what they are to the parcel as it was registered. */
export type Sorted = {
  /** Of this parcel, up to now: they decide. */
  current: Scan[];
  /** Of an earlier parcel with the same number. */
  previous: Scan[];
  /** Announced for later. */
  expected: Scan[];
};

/** Tells the scans of a parcel from those of an earlier one with its number, and from those that are only announced. */
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

/** Whether nothing more will be heard of a parcel, and its newest scan is a week old. */
export function isPresumedDelivered(
  { scans, isWatchEnded }: { scans: readonly Scan[]; isWatchEnded?: true },
  now: Date,
): boolean {
  if (!isWatchEnded || scans.length === 0) return false;
  const newest = Math.max(...scans.map(({ time }) => Date.parse(time)));
  return newest <= now.getTime() - PRESUMED_AFTER_DAYS * 86_400_000;
}
