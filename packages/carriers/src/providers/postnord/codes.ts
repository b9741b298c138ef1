import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, GOING_BACK, type Meaning, REFUSED } from '../../answer/meaning.ts';
import { meaningOfEnglish } from '../../texts/english.ts';

/** The states of a shipment, an item or an event. `EN_ROUTE`, `EXPECTED_DELAY` and `OTHER` only say that it moves. */
export const meaningOfState = codeTable({
  CREATED: 'info_received',
  INFORMED: 'info_received',
  INFORMATION_RECEIVED: 'info_received',
  OUT_FOR_DELIVERY: 'out_for_delivery',
  DELIVERY: 'out_for_delivery',
  // At a service point or in a parcel locker: deliveries to the door have no such state.
  AVAILABLE_FOR_DELIVERY: 'available_for_pickup',
  AVAILABLE_FOR_DELIVERY_PAR_LOC: 'available_for_pickup',
  READY_FOR_PICKUP: 'available_for_pickup',
  DELIVERED: 'delivered',
  DELAYED: 'exception',
  STOPPED: 'exception',
  DELIVERY_IMPOSSIBLE: 'undeliverable',
  DELIVERY_REFUSED: REFUSED,
  RETURNING: GOING_BACK,
  RETURNED: 'returned',
});

/** The meaning of an event by its state, otherwise by its text: states of events are optional, and event codes numerous. */
export function meaningOfEvent(state: string, text: string): Meaning | undefined {
  return meaningOfState(state) ?? meaningOfEnglish(text);
}

/** `compositeFault`, by the text of its codes. */
const OUTCOME_OF_FAULT: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/not[ _]?found|no[ _]?(?:shipment|item|data)/i, 'not_found'],
  [/api ?key|auth|forbidden/i, 'auth'],
  [/rate[ _]?limit|quota|too[ _]many/i, 'rate_limited'],
  [/invalid|\bformat|\blength/i, 'invalid_number'],
];

export function outcomeOfFault(text: string): Failure | 'not_found' {
  return OUTCOME_OF_FAULT.find(([pattern]) => pattern.test(text))?.[1] ?? 'temporary';
}
