import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, GOING_BACK, type Meaning, meaningByRules, REFUSED, type TextRules } from '../../answer/meaning.ts';
import { meaningOfEnglish } from '../../texts/english.ts';

/** `eventCode`: those that mean one thing. */
const meaningOfCode = codeTable({
  GX: 'info_received', // label created
  MA: 'info_received', // data sent to USPS
  GA: 'info_received',
  '03': 'in_transit', // in possession of USPS
  '06': 'in_transit', // forwarded
  '07': 'in_transit', // arrived at the unit that delivers
  '10': 'in_transit', // processed
  '41': 'in_transit',
  '42': 'in_transit',
  '43': 'in_transit',
  '80': 'in_transit',
  '81': 'in_transit',
  '82': 'in_transit',
  A1: 'in_transit', // arrived at a facility
  L1: 'in_transit',
  NT: 'in_transit', // on the way to the next facility
  PC: 'in_transit',
  SF: 'in_transit', // departed
  T1: 'in_transit',
  TM: 'in_transit',
  U1: 'in_transit',
  UA: 'in_transit',
  OF: 'out_for_delivery',
  DG: 'out_for_delivery',
  '14': 'available_for_pickup', // arrived at a pickup point
  '16': 'available_for_pickup',
  '17': 'in_transit', // tendered to an agent, who delivers it
  '34': 'available_for_pickup', // picked up by an agent
  '01': 'delivered', // also to the sender, or to an agent who delivers it: the text says so
  '02': 'exception', // notice left
  '08': 'exception', // missent
  '15': 'exception', // mis-shipped
  '44': 'exception',
  '51': 'exception', // business closed
  '52': 'exception',
  '53': 'exception', // receptacle full
  '54': 'exception',
  '55': 'exception',
  '56': 'exception',
  '57': 'exception',
  '04': REFUSED, // refused
  '05': 'undeliverable', // undeliverable as addressed
  '11': 'undeliverable', // dead mail
  '21': 'undeliverable', // no such number
  '22': 'undeliverable', // insufficient address
  '23': 'undeliverable', // moved, left no address
  '24': 'undeliverable', // forwarding expired
  '25': 'undeliverable', // addressee unknown
  '26': 'undeliverable', // vacant
  '27': 'undeliverable', // unclaimed
  '28': 'undeliverable', // deceased
  '09': GOING_BACK, // return to sender
  '29': GOING_BACK,
  '31': GOING_BACK,
});

/** `eventType`, the text of an event; the first rule that matches decides. */
const RULES: TextRules = [
  [/delivered,? to original sender|returned to sender/i, 'returned'],
  [/return(?:ing)? to (?:the )?(?:original )?sender|unclaimed, return/i, GOING_BACK],
  [/refused/i, REFUSED],
  [/^delivered,? to agent for (?:final|further|onward) delivery/i, 'in_transit'],
  [
    /available for (?:redelivery or )?pickup|held at post office|ready for pickup|reminder to pick up|picked up by agent/i,
    'available_for_pickup',
  ],
  [/^delivered\b/i, 'delivered'],
  [/out for delivery|awaiting delivery scan|delivery status not updated/i, 'out_for_delivery'],
  [
    /undeliverable|insufficient address|no such number|moved, left no|addressee unknown|vacant|deceased|dead mail/i,
    'undeliverable',
  ],
  [
    /notice left|attempt|reminder to schedule redelivery|missent|mis-?shipped|alert|delayed|clearance delay|held in customs|business closed|receptacle|no access|damaged|animal/i,
    'exception',
  ],
  [/label created|pre-?shipment|shipping label|electronic(?:ally)? (?:shipping )?info/i, 'info_received'],
  // A partner has the parcel, and USPS does not yet.
  [/shipping partner/i, 'in_transit'],
  [/awaiting item/i, 'info_received'],
];

/** The meaning of an event by its code if it is known, otherwise by its text. */
export function meaningOf(code: string, text: string): Meaning {
  const ofCode = meaningOfCode(code);
  const ofText = meaningByRules(text, RULES);
  if (code === '01') return ofText && ofText !== REFUSED ? ofText : { status: 'delivered' };
  return ofCode ?? ofText ?? meaningOfEnglish(text) ?? { status: 'in_transit' };
}

/** What an error says about a number or a call. Its texts say more than its codes. */
const OUTCOME_OF_ERROR: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/not available|not (?:be )?found|no record|not yet (?:available|in the system)|could not locate/i, 'not_found'],
  [/scope|oauth|token|credential|not authori[sz]ed|unauthori[sz]ed|identifier is invalid|invalid_client/i, 'auth'],
  [/too many|rate limit|quota/i, 'rate_limited'],
  // The whole call has another form than USPS expects.
  [/OASValidation(?!.{0,999}tracking ?number)/i, 'temporary'],
  [/invalid|incorrect|not valid|format|length|pattern|check digit|duplicate/i, 'invalid_number'],
];

export function outcomeOfError(code: string, text: string): Failure | 'not_found' {
  const ofText = OUTCOME_OF_ERROR.find(([pattern]) => pattern.test(text))?.[1];
  if (ofText !== undefined) return ofText;
  return code === '404' ? 'not_found' : code === '401' || code === '403' ? 'auth' : 'temporary';
}
