import type { Failure } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { heard } from '../../answer/heard.ts';
import { codeTable, GOING_BACK, type Meaning, REFUSED } from '../../answer/meaning.ts';

/** `eventType` and `derivedStatusCode` of a scan. */
const meaningOfCode = codeTable({
  OC: 'info_received', // order created
  OX: 'info_received', // data sent to USPS
  EP: 'info_received', // on the way to the pickup
  MD: 'info_received', // data of the manifest
  IN: 'info_received', // initiated
  RP: 'info_received', // a label for a return was sent
  RG: 'info_received', // a label for a return is about to expire
  RD: 'info_received', // a label for a return has expired
  LP: 'info_received', // a label for a return was cancelled
  PU: 'in_transit', // picked up
  PX: 'in_transit', // picked up, see the details
  OF: 'in_transit', // at the facility of origin
  AP: 'in_transit', // at the pickup
  IT: 'in_transit', // in transit
  IX: 'in_transit', // in transit, see the details
  AA: 'in_transit', // at the airport
  AC: 'in_transit', // at a facility of Canada Post
  AF: 'in_transit', // at a facility
  AR: 'in_transit', // arrived
  AX: 'in_transit', // at a facility of USPS
  CC: 'in_transit', // cleared customs
  CU: 'in_transit', // customs
  DP: 'in_transit', // departed
  DR: 'in_transit', // vehicle not used
  EA: 'in_transit', // on the way to the airport
  EO: 'in_transit', // on the way to the airport of origin
  FD: 'in_transit', // at the destination
  HA: 'in_transit',
  LO: 'in_transit', // left the origin
  PF: 'in_transit', // plane in flight
  PL: 'in_transit', // plane landed
  PM: 'in_transit', // in progress
  SF: 'in_transit', // at the sorting facility
  SH: 'in_transit',
  SP: 'in_transit', // the parts of a shipment differ
  TR: 'in_transit', // transferred
  AD: 'out_for_delivery', // at the delivery
  ED: 'out_for_delivery', // on the way to the delivery
  OD: 'out_for_delivery',
  HL: 'available_for_pickup', // held at a location
  HP: 'available_for_pickup', // ready for pickup
  DL: 'delivered',
  DE: 'exception', // delivery exception
  SE: 'exception', // shipment exception
  CD: 'exception', // clearance delay
  DY: 'exception', // delay
  DD: 'exception', // delivery delay
  PY: 'exception', // pickup delay
  CA: 'exception', // cancelled
  CH: 'exception', // location changed
  RS: GOING_BACK, // return to shipper
  RT: GOING_BACK, // return to shipper
});

/** Shipment data changed, or the recipient chose a delivery option: nothing happened to the parcel. */
const INFORMS: ReadonlySet<string> = new Set(['AO', 'AE', 'RC', 'RM', 'RR']);

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
  const known = meaningOfCode(eventType) ?? meaningOfCode(derived);
  if (known?.course === undefined && WAITS.test(text)) return { status: 'available_for_pickup' };
  if (known?.status === 'exception' && known.course === undefined && /\brefused\b/i.test(text)) return REFUSED;
  const ofText = () => STATUS_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? 'in_transit';
  return heard(known ?? { status: ofText() }, text);
}

/** What an error about one number means, by its code. */
export function outcomeOfError(code: string): Failure | 'not_found' {
  if (/\.NOTFOUND$/.test(code)) return 'not_found';
  if (/NUMBER\.(?:EMPTY|INVALID)$|^TRACKING\.TRACKINGNUMBER\.(?:LENGTH|FORMAT)/.test(code)) return 'invalid_number';
  if (/AUTHORI[SZ]ED|FORBIDDEN|LOGIN/.test(code)) return 'auth';
  return /INTERNAL|UNAVAILABLE|UNEXPECTED|SYSTEM|TIMEOUT/.test(code) ? 'temporary' : 'unreadable';
}
