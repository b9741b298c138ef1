import type { Course } from '@pts/core/tracking/scan';
import type { ScanStatus } from '@pts/core/tracking/status';

const SENDER = '(?:the )?(?:original )?(?:sender|shipper)';
const POINT = '(?:locker|access point|parcel ?shop|pick-?up (?:point|location)|collection point|agent)';

/** What English texts say, as carriers abroad write them; the first rule that matches decides. */
export const ENGLISH: readonly (readonly [RegExp, ScanStatus | { status: ScanStatus; course: Course }])[] = [
  [/\b(?:being|(?:to|will) be) returned\b/i, { status: 'exception', course: 'going_back' }],
  [new RegExp(`\\b(?:delivered|returned)\\b[^.;]{0,20}\\bto ${SENDER}`, 'i'), 'returned'],
  [/\brefused\b|\brejected by\b/i, { status: 'exception', course: 'refused' }],
  [
    new RegExp(`\\breturn(?:ing)? to ${SENDER}|\\breturn (?:requested|initiated|in progress)`, 'i'),
    { status: 'exception', course: 'going_back' },
  ],
  [
    /\b(?:not|cannot|unable|failed|unsuccessful|attempted)\b[^.;]{0,20}\bdeliver|\bdelivery\b[^.;]{0,20}\b(?:failed|exception|unsuccessful|attempted|not completed)|\bundeliverable\b|\b(?:insufficient|incorrect|bad) address\b|\bheld (?:by|in|at) customs\b|\b(?:damaged|lost)\b/i,
    'exception',
  ],
  [
    /\blabel (?:created|printed)\b|\bpre-shipment\b|\bship(?:ping|ment) information\b|\border (?:received|created)\b|\bawaiting (?:item|parcel|shipment)\b/i,
    'info_received',
  ],
  [
    /(?<!\bbe )\bout for delivery\b|\bwith (?:the )?(?:delivery )?courier\b|\b(?:vehicle|van|truck) for delivery\b|\bdelivery vehicle\b/i,
    'out_for_delivery',
  ],
  [
    new RegExp(
      `\\b(?:available|ready|held|awaiting|waiting)\\b[^.;]{0,30}\\b(?:pick-?up|collection|collected)\\b|\\b(?:delivered|left|dropped)\\b[^.;]{0,30}\\b${POINT}\\b`,
      'i',
    ),
    'available_for_pickup',
  ],
  [
    /(?<!\b(?:be|being|not) )\bdelivered\b|\b(?:picked up|collected) by (?:the )?(?:customer|recipient|addressee|consignee)\b|\bsigned (?:for )?by\b/i,
    'delivered',
  ],
];
