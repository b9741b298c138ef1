import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../answer/meaning.ts';
import { meaningOfText } from '../../texts/text.ts';

/** Finer codes of events; many events have none. */
const meaningOfCode = codeTable({
  data_order_created: 'info_received',
  data_order_cancelled: 'exception',
  data_delivery_proposed: 'in_transit',
  data_delivery_decided: 'in_transit',
  transit_handover: 'in_transit',
  transit_origin_country_departure: 'in_transit',
  destination_arrival: 'in_transit',
  customs_received: 'in_transit',
  customs_cleared: 'in_transit',
  customs_exception: 'exception',
  customs_rejected: 'exception',
  delivery_available_for_pickup: 'available_for_pickup',
  delivery_out_for_delivery: 'out_for_delivery',
  delivery_attempted: 'undeliverable',
  delivery_exception: 'exception',
  delivery_refused: REFUSED,
  delivery_delivered: 'delivered',
  exception_return: GOING_BACK,
  exception_lost: 'exception',
  exception_discarded: 'exception',
});

/** `statusMilestone`, of every event and of the shipment. `pending` means nothing yet. */
const meaningOfMilestone = codeTable({
  info_received: 'info_received',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  failed_attempt: 'undeliverable',
  available_for_pickup: 'available_for_pickup',
  delivered: 'delivered',
  exception: 'exception',
});

/** The meaning of a code or milestone; undefined for those that say nothing about the parcel. */
export function meaningOfStatus(code: string, milestone: string): Meaning | undefined {
  return meaningOfCode(code) ?? meaningOfMilestone(milestone);
}

export function meaningOfEvent(code: string, milestone: string, text: string): ReadScan['meaning'] {
  return meaningOfStatus(code, milestone) ?? meaningOfText(text) ?? 'silent';
}

/** What error codes mean. Any other is `unreadable`. */
const OUTCOMES = new Map(
  Object.entries<Failure | 'not_found'>({
    tracker_not_found: 'not_found',
    parcel_not_found: 'not_found',
    quota_limit_reached: 'quota',
    no_active_subscription: 'auth',
    request_conflict: 'temporary',
    processing_error: 'temporary',
    validation_error: 'invalid_number',
  }),
);

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOMES.get(code) ?? (/^auth|token|api_?key/i.test(code) ? 'auth' : 'unreadable');
}
