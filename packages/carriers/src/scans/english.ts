import { GOING_BACK, type Meaning, meaningByRules, REFUSED, type TextRules } from './meaning.ts';

const POINT =
  'parcel ?shop|pick ?up ?shop|locker|packstation|paketshop|(?:collection|pick-?up|service|access) (?:point|location)';
/** A post office is such a point too, but parcels also pass through it. */
const OFFICE = `${POINT}|post office|retail outlet|branch`;

/** Announcements and denials that contain the words of the rules below. */
const NOT_DELIVERED =
  /\b(?:not|to|be|being|before|until|awaiting|for|expected|scheduled|estimated)(?: (?:yet|been|be|successfully))*[ -]delivered\b/i;

/** English texts of scans, as the carriers' own APIs write them. */
const RULES: TextRules = [
  [/\b(?:being|be|is|are) returned\b|\breturning\b/i, GOING_BACK],
  [/\b(?:delivered|returned|handed over) (?:back )?to (?:the |its |original )?(?:sender|shipper)\b/i, 'returned'],
  [/\breturn(?:ing|ed)?\b[^.;]{0,30}\b(?:sender|shipper|origin)\b|\breturn shipment\b/i, GOING_BACK],
  [/\b(?:sent|going|on (?:its|the) way) back\b/i, GOING_BACK],
  [/\brefus(?:ed|al)\b|\brejected by\b|\bdid not accept\b/i, REFUSED],
  [
    /\b(?:label|shipping information|shipment information)\b[^.;]{0,30}\b(?:created|printed|received|approved)\b/i,
    'info_received',
  ],
  [
    /\bpre-?advi[cs]e|\bannounced\b|\bdata (?:was|were|has been|have been|entered|received|transmitted)\b/i,
    'info_received',
  ],
  [
    /\b(?:electronic(?:ally)?|instruction data|order information|sender(?: is)? (?:preparing|despatching))\b/i,
    'info_received',
  ],
  [
    /\b(?:awaiting|ready for|waiting for) (?:the )?(?:collection|pick-?up) (?:by|from) (?:the )?(?:courier|carrier|sender|shipper)\b/i,
    'info_received',
  ],
  [
    /\b(?:ready|available|awaiting|waiting|held|hold)\b[^.;]{0,60}\b(?:collect(?:ion|ed)?|pick-?ups?|picked up)\b/i,
    'available_for_pickup',
  ],
  [/\b(?:can|may|to) (?:now )?be (?:collected|picked up)\b|\bcarded\b[^.;]{0,40}\bcollect/i, 'available_for_pickup'],
  [new RegExp(`\\barrived (?:at|in) (?:the |a |your )?[^.;]{0,30}\\b(?:${POINT})\\b`, 'i'), 'available_for_pickup'],
  [
    new RegExp(
      `\\b(?:delivered|available|deposited|left|stored|held) (?:to|at|in|with) [^.;]{0,30}\\b(?:${OFFICE})\\b`,
      'i',
    ),
    'available_for_pickup',
  ],
  [/\bdamaged\b|\blost\b|\bmissing\b|\bdestroyed\b|\bseized\b|\bcancell?ed\b|\bdisposed\b/i, 'exception'],
  [
    /\b(?:un|not )deliverable\b|\bcannot be delivered\b|\bno such (?:address|number)\b|\baddressee (?:unknown|gone)/i,
    'undeliverable',
  ],
  [
    /\bunsuccessful\b|\battempted\b|\b(?:delivery|deliver) attempt|\bdelivery (?:was )?not possible|\bcould ?n(?:o|')t be delivered\b|\bcould not deliver|\bunable to deliver|\bnot delivered\b|\bdelivery failed|\bfailed delivery|\bno answer\b/i,
    'exception',
  ],
  [
    /\bdelayed\b|\bpossible delay|\bheld (?:by|at|in)\b|\bon hold\b|\bretained by customs\b|\b(?:wrong|incorrect|incomplete|insufficient) address\b|\baddress(?:ing)? error\b/i,
    'exception',
  ],
  [
    /\bout for delivery\b|\bon ?board for delivery\b|\bdelivery (?:vehicle|van)\b|\bwith (?:the |our |a )?(?:delivery )?(?:courier|driver|postman)\b|\bin delivery\b(?! (?:depot|office|cent|base|area))|\bfor delivery today\b|\bon its way to (?:the )?(?:consignee|recipient|receiver|addressee)\b/i,
    'out_for_delivery',
  ],
  [
    /\b(?:collected|picked up) (?:by|from [^.;]{0,30} by) (?:the )?(?:recipient|receiver|customer|addressee|consignee)\b|\bsigned (?:for|by)\b|\bleft in (?:a )?safe ?place\b/i,
    'delivered',
  ],
];

/**
 * What an English text says about the parcel; undefined if nothing but that it moves. Delivery is read narrowly: what is only
 * announced or denied has not happened.
 */
export function meaningOfEnglish(text: string): Meaning | undefined {
  const told = meaningByRules(text, RULES);
  if (told !== undefined || NOT_DELIVERED.test(text)) return told;
  return /\bdelivered\b/i.test(text) ? { status: 'delivered' } : undefined;
}
