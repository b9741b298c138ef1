import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, type Meaning, meaningByRules, type TextRules } from '../../answer/meaning.ts';
import { meaningOfEnglish } from '../../texts/english.ts';

/** The states of an article. Those that only say that it moves (`In transit`, `Unknown`, …) are left out. */
export const meaningOfState = codeTable({
  Created: 'info_received',
  Initiated: 'info_received',
  Sealed: 'info_received',
  'On Board for Delivery': 'out_for_delivery',
  'Awaiting collection': 'available_for_pickup',
  'Ready for Pickup': 'available_for_pickup',
  Delivered: 'delivered',
  'Delivered in Full': 'delivered',
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
];

export function meaningOfEvent(description: string): Meaning | undefined {
  return meaningByRules(description, RULES) ?? meaningOfEnglish(description);
}

/** Errors of one article. Australia Post answers a number that it does not have with that of an invalid one. */
const FAILURE_OF_ARTICLE = new Map<string, Failure>([
  ['ESB-10001', 'invalid_number'],
  ['ESB-10002', 'invalid_number'],
]);

export function failureOfArticle(code: string): Failure {
  return FAILURE_OF_ARTICLE.get(code) ?? 'temporary';
}

/** Errors of the whole call. 51101 (too many numbers in a call) is a fault of ours. */
const FAILURE_OF_CALL: readonly (readonly [RegExp, Failure])[] = [
  [/^5110[0123]\b/, 'unreadable'],
  [/^51104\b/, 'invalid_number'],
  [/429|too many requests|rate[ _]?limit|throttl|quota/i, 'rate_limited'],
  [/API_0(?:01|02|03)|auth|credential|account|client|token|40[13]/i, 'auth'],
];

/** What `<code>: <message>` of a call means. */
export function failureOfCall(said: string): Failure {
  return FAILURE_OF_CALL.find(([pattern]) => pattern.test(said))?.[1] ?? 'transient';
}
