import type { Failure } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { heard } from '../../answer/heard.ts';
import { GOING_BACK, type Meaning } from '../../answer/meaning.ts';

const CODES_OF_STATUS: Readonly<Record<string, ScanStatus>> = {
  'OC OX EP MD IN': 'info_received',
  'RP RG RD LP': 'info_received', // a label for a return was sent, expires, has expired or was cancelled
  'PU PX OF AP': 'in_transit', // picked up
  'IT IX AA AC AF AR AX CC CU DP DR EA EO FD HA LO PF PL PM SF SH SP TR': 'in_transit',
  'AD ED OD': 'out_for_delivery',
  'HL HP': 'available_for_pickup',
  DL: 'delivered',
  'DE SE CD DY DD PY CA CH': 'exception',
};

/** `eventType` and `derivedStatusCode` of a scan. */
const STATUS_OF_CODE = new Map(
  Object.entries(CODES_OF_STATUS).flatMap(([codes, status]) => codes.split(' ').map((code) => [code, status] as const)),
);
/** Shipment data changed: nothing happened to the parcel. */
const INFORMS: ReadonlySet<string> = new Set(['AO', 'AE']);
/** On the way back to the shipper. */
const RETURNING: ReadonlySet<string> = new Set(['RS', 'RT']);

/** Texts of delivery events that mean a pickup point. */
const WAITS = /(?:ready|available) for (?:customer |recipient )?(?:pick-?\s?up|collection)/i;

const STATUS_OF_TEXT: readonly (readonly [RegExp, ScanStatus])[] = [
  [/^delivered\b/i, 'delivered'],
  [/out for delivery|on fedex vehicle for delivery/i, 'out_for_delivery'],
  [/exception|delay|unable|refused|damaged|held|incorrect/i, 'exception'],
  [/shipment information sent|label created/i, 'info_received'],
];

/** The meaning of a scan: of its event, or of its derived status if the event is unknown. */
export function meaningOf(eventType: string, derived: string, text: string): Meaning | 'informational' {
  if (INFORMS.has(eventType)) return 'informational';
  if (RETURNING.has(eventType)) return heard(GOING_BACK, text);
  if (WAITS.test(text)) return { status: 'available_for_pickup' };
  const known = STATUS_OF_CODE.get(eventType) ?? STATUS_OF_CODE.get(derived);
  if (known === 'exception' && /\brefused\b/i.test(text)) return { status: known, course: 'refused' };
  const ofText = () => STATUS_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? 'in_transit';
  return heard({ status: known ?? ofText() }, text);
}

/** What an error about one number means, by its code. */
export function outcomeOfError(code: string): Failure | 'not_found' {
  if (/\.NOTFOUND$/.test(code)) return 'not_found';
  if (/NUMBER\.(?:EMPTY|INVALID)$|^TRACKING\.TRACKINGNUMBER\.(?:LENGTH|FORMAT)/.test(code)) return 'invalid_number';
  if (/AUTHORI[SZ]ED|FORBIDDEN|LOGIN/.test(code)) return 'auth';
  return /INTERNAL|UNAVAILABLE|UNEXPECTED|SYSTEM|TIMEOUT/.test(code) ? 'temporary' : 'unreadable';
}
