import type { Scan } from '../tracking/scan.ts';
import type { SubStatus } from '../tracking/status.ts';

/** Days for which a page stays after its parcel has arrived. */
export const GONE_AFTER_DAYS = 90;

const ENDS: readonly SubStatus[] = ['delivered', 'returned', 'expired'];

/** Whether the page of a parcel has expired: that many days after its end, which is its last scan, or without one its last news. */
export function isGone(
  { subStatus, scans, updatedAt }: { subStatus: SubStatus; scans: readonly Scan[]; updatedAt: Date },
  afterDays: number,
  now: Date,
): boolean {
  if (!ENDS.includes(subStatus)) return false;
  const newest = scans.at(-1);
  const endedAt = newest === undefined || subStatus === 'expired' ? updatedAt.getTime() : Date.parse(newest.time);
  return now.getTime() > endedAt + afterDays * 86_400_000;
}
