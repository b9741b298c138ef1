import type { Found } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import type { ScanStatus } from '@pts/core/tracking/status';
import { classified, type Meaning } from './meaning.ts';

/** States that only say that the parcel exists or moves: they often lag behind its scans. */
const COARSE: ReadonlySet<ScanStatus> = new Set(['info_received', 'in_transit']);
/** States that a delivered parcel cannot be in: the state is older than the scan. */
const BEFORE_DELIVERY: ReadonlySet<ScanStatus> = new Set(['out_for_delivery', 'available_for_pickup']);

/**
 * A history with the state that the provider reports for the whole parcel. The newest scan takes the state if it says
 * more than the scan; without any scan, the state alone is the answer.
 */
export function foundWith(scans: readonly Scan[], state: Meaning | undefined): Found {
  if (scans.length === 0) return { kind: 'found', scans: [], ...(state && { parcelStatus: state.status }) };
  const newestTime = scans.reduce((time, scan) => (scan.time > time ? scan.time : time), '');
  const newest = scans.filter(({ time }) => time === newestTime);
  if (state === undefined || !newest.every((scan) => saysMore(state, scan)))
    return { kind: 'found', scans: [...scans] };
  const withState = (scan: Scan): Scan => {
    const { status, course: _, ...rest } = scan;
    return { ...classified(rest, state), ownStatus: status };
  };
  return { kind: 'found', scans: scans.map((scan) => (scan === newest[0] ? withState(scan) : scan)) };
}

function saysMore({ status, course }: Meaning, scan: Scan): boolean {
  if (COARSE.has(status) || (status === scan.status && course === scan.course)) return false;
  return scan.status !== 'delivered' || !BEFORE_DELIVERY.has(status);
}
