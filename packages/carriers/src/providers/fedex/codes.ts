import type { Failure } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { GOING_BACK, isOnItsWayBack, type Meaning } from '../history.ts';

const CODES_OF_STATUS: Readonly<Record<string, ScanStatus>> = {
  'OC OX EP MD IN': 'info_received',
  'PU PX OF AP': 'in_transit', // picked up
  'IT IX AA AC AF AR AX CC CU DP DR EA EO FD HA LO PF PL PM SF SH SP TR': 'in_transit',
  'AD ED OD': 'out_for_delivery',
  'HL HP': 'available_for_pickup',
  DL: 'delivered',
  'DE SE CD DY DD PY CA RD CH': 'exception',
};

/** `eventType` and `derivedStatusCode` of a scan. */
const STATUS_OF_CODE = new Map(
  Object.entries(CODES_OF_STATUS).flatMap(([codes, status]) => codes.split(' ').map((code) => [code, status] as const)),
);
/** Shipment data changed: nothing happened to the parcel. */
const INFORMS: ReadonlySet<string> = new Set(['AO', 'AE']);
const RETURN: ReadonlySet<string> = new Set(['RS', 'RT', 'RP']);

/** Texts of delivery events that mean a pickup point. */
const WAITS = /(?:ready|available) for (?:customer |recipient )?(?:pick-?\s?up|collection)/i;

const STATUS_OF_TEXT: readonly (readonly [RegExp, ScanStatus])[] = [
  [/^delivered\b/i, 'delivered'],
  [/out for delivery|on fedex vehicle for delivery/i, 'out_for_delivery'],
  [/exception|delay|unable|refused|damaged|held|incorrect/i, 'exception'],
  [/shipment information sent|label created/i, 'info_received'],
];

/** The meaning of a scan: of its event, or of its derived status if the event is unknown; null if it is informational. */
export function meaningOf(eventType: string, derived: string, text: string): Meaning | null {
  if (INFORMS.has(eventType)) return null;
  if (RETURN.has(eventType)) return isOnItsWayBack(text) ? GOING_BACK : { status: 'returned' };
  if (WAITS.test(text)) return { status: 'available_for_pickup' };
  const known = STATUS_OF_CODE.get(eventType) ?? STATUS_OF_CODE.get(derived);
  if (known === 'exception' && /\brefused\b/i.test(text)) return { status: known, course: 'refused' };
  return { status: known ?? STATUS_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? 'in_transit' };
}

/** What an error about one number means, by its code. */
export function outcomeOfError(code: string): Failure | 'not_found' {
  if (/\.NOTFOUND$/.test(code)) return 'not_found';
  if (/NUMBER\.(?:EMPTY|INVALID)$|^TRACKING\.TRACKINGNUMBER\.(?:LENGTH|FORMAT)/.test(code)) return 'invalid_number';
  if (/AUTHORI[SZ]ED|FORBIDDEN|LOGIN/.test(code)) return 'auth';
  return /INTERNAL|UNAVAILABLE|UNEXPECTED|SYSTEM|TIMEOUT/.test(code) ? 'temporary' : 'unreadable';
}
