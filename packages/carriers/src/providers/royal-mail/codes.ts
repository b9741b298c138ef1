import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, GOING_BACK, type Meaning, meaningByRules, REFUSED, type TextRules } from '../../answer/meaning.ts';
import { meaningOfEnglish } from '../../texts/english.ts';

/** Event codes whose names are vague or misleading. */
const meaningOfCode = codeTable({
  EVOCO: 'in_transit', // received, being processed for delivery
  EVPPA: 'in_transit', // accepted at a post office
  EVDAC: 'in_transit',
  EVDAV: 'in_transit',
  EVGMI: 'in_transit',
  EVGPD: 'out_for_delivery', // handed to the postman
  EVNMI: 'in_transit', // forwarded after a mis-sort
  EVNRT: 'exception', // retained
  EVKSP: 'delivered', // signed
  EVKOP: 'delivered',
  EVKSF: 'delivered', // left in the safeplace
});

/** Codes that are used for more than one step: their name decides. */
const COARSE: ReadonlySet<string> = new Set(['EVGPD', 'EVNRT', 'EVDAC', 'EVDAV', 'EVGMI']);

/** Its own wordings in the names of events. */
const RULES: TextRules = [
  [/\brefused\b/i, REFUSED],
  [
    /\bsender (?:preparing|despatching|has despatched)\b|\bitem advised\b|\b(?:shipment|shipping|order|item) (?:information|details)\b/i,
    'info_received',
  ],
  [/\b(?:ready|available|awaiting|waiting) (?:for|to be) collect/i, 'available_for_pickup'],
  [/\bdelivered (?:to )?(?:your |a )?(?:neighbour|safe ?place)/i, 'delivered'],
  [
    /\b(?:no answer|not in|item retention|address (?:inaccessible|incorrect)|gone away|addressee unknown)\b/i,
    'exception',
  ],
  [/\b(?:in transit|forwarded|mis-?sort|accepted|received)\b/i, 'in_transit'],
];

export function meaningOfEvent(code: string, name: string): Meaning | undefined {
  const known = meaningOfCode(code);
  if (known !== undefined && !COARSE.has(code)) return known;
  return meaningByRules(name, RULES) ?? meaningOfEnglish(name) ?? known;
}

/** `statusCategory` of the summary. Categories that only say that the item moves are left out. */
export const meaningOfCategory = codeTable({
  'SENDER PREPARING ITEM': 'info_received',
  'SENDER DESPATCHING ITEM': 'info_received',
  'DUE TODAY': 'out_for_delivery',
  'OUT FOR DELIVERY': 'out_for_delivery',
  'READY FOR DELIVERY': 'out_for_delivery',
  'READY FOR COLLECTION': 'available_for_pickup',
  'AVAILABLE FOR COLLECTION': 'available_for_pickup',
  DELIVERED: 'delivered',
  'DELIVERED TO NEIGHBOUR': 'delivered',
  'DELIVERED TO YOUR NEIGHBOUR': 'delivered',
  'DELIVERED TO YOUR SAFEPLACE': 'delivered',
  COLLECTED: 'delivered',
  'DELIVERY ATTEMPTED': 'exception',
  'ATTEMPTED DELIVERY': 'exception',
  'ACTION REQUIRED': 'exception',
  'ITEM RETAINED': 'exception',
  CANCELLED: 'exception',
  'UNABLE TO DELIVER': 'undeliverable',
  REFUSED,
  'ITEM REFUSED': REFUSED,
  'RETURN TO SENDER': GOING_BACK,
  'RETURNING TO SENDER': GOING_BACK,
  'RETURNED TO SENDER': 'returned',
});

/** Errors of a number. E1142: not recognised, as a new one is too. */
const OUTCOME_OF_ERROR = new Map<string, Failure | 'not_found'>([
  ['E1142', 'not_found'],
  ['E1143', 'invalid_number'],
  ['E1144', 'invalid_number'],
  ['E0004', 'temporary'], // headers of the call
  ['E0010', 'rate_limited'],
  ['E0016', 'auth'],
]);

/** What an error means; the HTTP status decides if its code is unknown. A 400 may also be about the headers of the call. */
export function outcomeOf(code: string, status: number): Failure | 'not_found' {
  const known = OUTCOME_OF_ERROR.get(code);
  if (known) return known;
  if (status === 404) return 'not_found';
  if (status === 401 || status === 403) return 'auth';
  return status === 429 ? 'rate_limited' : 'temporary';
}
