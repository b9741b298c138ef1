import type { Failure } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { GOING_BACK, type Meaning, REFUSED } from '../../answer/meaning.ts';

const CODES_OF_STATUS: readonly (readonly [string, ScanStatus | Meaning])[] = [
  ['GX MA GA', 'info_received'],
  ['03 06 07 10 41 42 43 80 81 82 A1 L1 NT PC SF T1 TM U1 UA', 'in_transit'],
  ['OF DG', 'out_for_delivery'],
  // 17 and 34: an agent has it, not the recipient.
  ['14 16 17 34', 'available_for_pickup'],
  ['01', 'delivered'],
  ['02 08 15 44 51 52 53 54 55 56 57', 'exception'],
  ['04', REFUSED],
  ['05 11 21 22 23 24 25 26 27 28', 'undeliverable'],
  ['09 29 31', GOING_BACK],
];

/** `eventCode`: those that mean one thing. */
const MEANING_OF_CODE = new Map(
  CODES_OF_STATUS.flatMap(([codes, meaning]) =>
    codes.split(' ').map((code) => [code, typeof meaning === 'string' ? { status: meaning } : meaning] as const),
  ),
);

/** `eventType`, the text of an event; the first rule that matches decides. */
const MEANING_OF_TEXT: readonly (readonly [RegExp, Meaning])[] = [
  [/delivered,? to original sender|returned to sender/i, { status: 'returned' }],
  [/return(?:ing)? to (?:the )?(?:original )?sender|unclaimed, return/i, GOING_BACK],
  [/refused/i, REFUSED],
  [/^delivered,? to agent(?! for (?:onward|further))|picked up by agent/i, { status: 'available_for_pickup' }],
  [/available for pickup|held at post office|ready for pickup/i, { status: 'available_for_pickup' }],
  [/^delivered\b/i, { status: 'delivered' }],
  [/out for delivery|awaiting delivery scan|delivery status not updated/i, { status: 'out_for_delivery' }],
  [
    /undeliverable|insufficient address|no such number|moved, left no|addressee unknown|vacant|deceased|dead mail/i,
    { status: 'undeliverable' },
  ],
  [
    /notice left|attempt|missent|mis-?shipped|alert|delayed|clearance delay|held in customs|business closed|receptacle|no access|damaged|animal/i,
    { status: 'exception' },
  ],
  [
    /label created|pre-?shipment|awaiting item|shipping label|electronic(?:ally)? (?:shipping )?info/i,
    { status: 'info_received' },
  ],
];

/** The meaning of an event by its code if it is known, otherwise by its text. */
export function meaningOf(code: string, text: string): Meaning {
  const ofCode = MEANING_OF_CODE.get(code);
  const ofText = MEANING_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1];
  // "Delivered" also occurs at an agent and at the sender.
  if (code === '01') return ofText && ofText !== REFUSED ? ofText : { status: 'delivered' };
  return ofCode ?? ofText ?? { status: 'in_transit' };
}

/** What an error says about a number or a call. Its texts say more than its codes. */
const OUTCOME_OF_ERROR: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/not available|not (?:be )?found|no record|not yet (?:available|in the system)|could not locate/i, 'not_found'],
  [/scope|oauth|token|credential|not authori[sz]ed|unauthori[sz]ed|identifier is invalid|invalid_client/i, 'auth'],
  [/too many|rate limit|quota/i, 'rate_limited'],
  [/invalid|incorrect|not valid|format|length|pattern|check digit|duplicate/i, 'invalid_number'],
];

export function outcomeOfError(code: string, text: string): Failure | 'not_found' {
  const ofText = OUTCOME_OF_ERROR.find(([pattern]) => pattern.test(text))?.[1];
  if (ofText !== undefined) return ofText;
  return code === '404' ? 'not_found' : code === '401' || code === '403' ? 'auth' : 'temporary';
}
