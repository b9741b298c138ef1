import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, type Meaning, meaningByRules, type TextRules } from '../../answer/meaning.ts';
import { meaningOfEnglish } from '../../texts/english.ts';

/** The states of an article, also of StarTrack. Those that only say that it moves (`In transit`, `Booked In`, …) are left out. */
export const meaningOfState = codeTable({
  Created: 'info_received',
  Initiated: 'info_received',
  Sealed: 'info_received',
  Incomplete: 'info_received',
  Unconfirmed: 'info_received',
  Confirmed: 'info_received',
  'Ready for Pickup': 'info_received', // waits at the sender for StarTrack
  'On Board for Delivery': 'out_for_delivery',
  'Partial Delivery': 'out_for_delivery', // the rest is on the round
  'Awaiting collection': 'available_for_pickup',
  Delivered: 'delivered',
  'Delivered in Full': 'delivered',
  'Item Delivered': 'delivered',
  'Final Shortage': 'exception', // delivered, and some items are missing
  Deleted: 'exception', // cancelled by the sender
  'Article damaged': 'exception',
  Cancelled: 'exception',
  'Held by courier': 'exception',
  'Possible delay': 'exception',
  'To be Re-Delivered': 'exception',
  'Unsuccessful Delivery': 'exception',
  'Unsuccessful pickup': 'exception',
  'Cannot be delivered': 'undeliverable',
});

/** Wordings of its own; events carry no code. */
const RULES: TextRules = [
  [/\bshipping information (?:received|approved)\b/i, 'info_received'],
  [/\bawaiting (?:clearance|international departure|customs)/i, 'in_transit'],
  [/^ready for pickup$/i, 'info_received'],
];

export function meaningOfEvent(description: string): Meaning | undefined {
  return meaningByRules(description, RULES) ?? meaningOfEnglish(description);
}

/** Errors of one article. A number that Australia Post does not have yet is called invalid as well. */
const OUTCOME_OF_ARTICLE = new Map<string, Failure | 'not_found'>([
  ['ESB-10001', 'not_found'],
  ['ESB-10002', 'invalid_number'], // not a trackable product
]);

export function outcomeOfArticle(code: string): Failure | 'not_found' {
  return OUTCOME_OF_ARTICLE.get(code) ?? 'temporary';
}

/** Errors of the whole call. 51101 (too many numbers in a call) is a fault of ours. */
const FAILURE_OF_CALL: readonly (readonly [RegExp, Failure])[] = [
  [/^5110[0123]\b/, 'unreadable'],
  [/^51104\b/, 'invalid_number'], // one of the numbers is not known
  [/429|too many requests|rate[ _]?limit|throttl|quota/i, 'rate_limited'],
  [/API_0(?:01|02|03)|auth|credential|account|client|token|40[13]/i, 'auth'],
];

/** What `<code>: <message>` of a call means. */
export function failureOfCall(said: string): Failure {
  return FAILURE_OF_CALL.find(([pattern]) => pattern.test(said))?.[1] ?? 'transient';
}
