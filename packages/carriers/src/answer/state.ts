import type { Scan } from '@pts/core/tracking/scan';
import { heard } from './heard.ts';
import { classified, type Meaning, type ReadScan } from './meaning.ts';

/** What stands further down counts against what stands above it. */
const ORDER: readonly string[] = [
  'info_received',
  'in_transit',
  'out_for_delivery',
  'available_for_pickup',
  'exception',
  'undeliverable',
  'refused',
  'delivered',
  'going_back',
  'returned',
];

/** Texts of a step on the way: a scan with one says where the parcel was. */
const STEP =
  /process|arriv|depart|\bleft\b(?! (?:at|in|with|on|by|behind)\b)|sort(?:ed|ing)|in transit|accepted|received|collected|picked up|clear|export|import|forward|transfer|tendered|loaded|scanned|flight|manifest|d[ei]spatch|en route|on (?:its|the) way|\bat (?:[a-z]{1,20} ){0,4}(?:facility|depot|hub|terminal|gateway|airport|warehouse|cent(?:re|er))|sortiert|transportiert|bearbeitet|eingeliefert|eingetroffen|verladen|weitergeleitet|unterwegs|pris en charge|achemin|收[件寄](?![人方])|揽收|到达|抵达|发往|发出|离开|运往|运输|中转|转运|分拣|装车|封发|清关|航班|起飞|[入出]库/i;

/**
 * The state of a parcel and its newest scan are two things, and may contradict each other. One rule for all carriers:
 * - a state that is not further along than the scan lags behind it. Trouble is further along than movement, a delivery than
 *   trouble, a return than a delivery;
 * - a scan keeps the status of its own code and text, and a state that is further along is kept beside it (`parcel`). Only a scan
 *   that says no more than that the parcel moves, without a step in its text, takes the state: nothing else is known about
 *   it (its own status is in `ownStatus`);
 * - a parcel that waits for pickup is not delivered before a scan says so: carriers count the delivery to the pickup point;
 * - the text of the newest scan also decides the state, because both have the same coarse code.
 * @param isLater whether the carrier dates the state after the scan; otherwise it may be doubted (`doubtedState`).
 */
export function withState(scan: ReadScan['scan'], own: Meaning, state: Meaning | undefined, isLater = false): Scan {
  if (state === undefined) return classified(scan, own);
  const ofParcel = heard(state, scan.description);
  if (!isFurther(ofParcel, own)) return classified(scan, own);
  if (own.status === 'in_transit' && !STEP.test(scan.description)) {
    return { ...classified(scan, ofParcel), ownStatus: own.status };
  }
  // The course holds from this scan on, also if later answers do not repeat it; a delivered parcel turns back after the scan.
  const { course = own.course } = own.status === 'delivered' ? own : ofParcel;
  return {
    ...classified(scan, course === undefined ? own : { ...own, course }),
    parcel: isLater ? { ...ofParcel, isLater } : ofParcel,
  };
}

function isFurther(state: Meaning, scan: Meaning): boolean {
  if (state.status === 'delivered' && scan.status === 'available_for_pickup') return false;
  return rank(state) > rank(scan);
}

function rank({ status, course }: Meaning): number {
  return ORDER.indexOf(course ?? status);
}
