import type { Scan } from '../tracking/scan.ts';
import type { SubStatus } from '../tracking/status.ts';

/** Days for which a page stays after its parcel has arrived. */
export const GONE_AFTER_DAYS = 90;

const ENDS: readonly SubStatus[] = ['delivered', 'returned', 'expired'];

type Parcel = {
  subStatus: SubStatus;
  scans: readonly Scan[];
  updatedAt: Date;
  /** When its polling ended, because its merchant stopped it or its carrier rejected the number; null while it is polled. */
  stoppedAt: Date | null;
};

/** Whether the page of a parcel has expired: that many days after its end. */
export function isGone(parcel: Parcel, afterDays: number, now: Date): boolean {
  const endedAt = endOf(parcel);
  return endedAt !== null && now.getTime() > endedAt + afterDays * 86_400_000;
}

/** The end of a parcel is its last scan, or without one its last news; of one on its way, that its polling ended. */
function endOf({ subStatus, scans, updatedAt, stoppedAt }: Parcel): number | null {
  if (!ENDS.includes(subStatus)) return stoppedAt?.getTime() ?? null;
  const newest = scans.at(-1);
  return newest === undefined || subStatus === 'expired' ? updatedAt.getTime() : Date.parse(newest.time);
}
