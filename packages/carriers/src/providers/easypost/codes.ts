import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../answer/meaning.ts';
import { meaningOfText } from '../../texts/text.ts';

/** `status`, of the tracker and of every detail. Without one: `unknown` and `error`. */
const meaningOfCode = codeTable({
  pre_transit: 'info_received',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  delivered: 'delivered',
  available_for_pickup: 'available_for_pickup',
  return_to_sender: GOING_BACK,
  failure: 'undeliverable',
  cancelled: 'exception',
  canceled: 'exception',
});

/** `status_detail`, if it says more than the status. */
const meaningOfDetail = codeTable({
  arrived_at_pickup_location: 'available_for_pickup',
  refused: REFUSED,
  return: GOING_BACK,
  damaged: 'exception',
  lost: 'exception',
  delivery_exception: 'exception',
  transit_exception: 'exception',
});

/** `status_detail` of parcels that are moving otherwise: a parcel that waits for its recipient is held as well. */
const meaningOfStandstill = codeTable({
  delayed: 'exception',
  weather_delay: 'exception',
  held: 'exception',
  awaiting_information: 'exception',
});

/** The meaning of a detail and status; undefined for those that say nothing about the parcel. */
export function meaningOfStatus(detail: string, status: string): Meaning | undefined {
  const meaning = meaningOfCode(status);
  if (meaning?.status === 'delivered') return meaning;
  const standstill = meaning?.status === 'in_transit' ? meaningOfStandstill(detail) : undefined;
  return meaningOfDetail(detail) ?? standstill ?? meaning;
}

export function meaningOfScan(detail: string, status: string, text: string): ReadScan['meaning'] {
  return meaningOfStatus(detail, status) ?? meaningOfText(text) ?? 'silent';
}

/** What error codes mean, by their beginning. Any other is `unreadable`. */
const OUTCOMES: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/^(?:UNAUTHORIZED|FORBIDDEN|APIKEY|AUTHENTICATION)/i, 'auth'],
  [/^(?:PAYMENT|BILLING|INSUFFICIENT_FUNDS)/i, 'quota'],
  [/^RATE_LIMIT/i, 'rate_limited'],
  [/^(?:NOT_FOUND|TRACKER\.NOT_FOUND)/i, 'not_found'],
  [/^TRACKER\.CREATE/i, 'temporary'],
  [/^(?:INTERNAL|TIMEOUT|SERVICE_UNAVAILABLE|GATEWAY)/i, 'transient'],
];

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOMES.find(([pattern]) => pattern.test(code))?.[1] ?? 'unreadable';
}
