import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../answer/meaning.ts';
import { meaningOfText } from '../../texts/text.ts';

const REFUSED_AT_DELIVERY: Meaning = { status: 'undeliverable', course: 'refused' };

/** Statuses, their sub-statuses (`<status>_<detail>`) and the stages of events. */
const meaningOfCode = codeTable({
  InfoReceived: 'info_received',
  InTransit: 'in_transit',
  InTransit_PickedUp: 'in_transit',
  InTransit_Departure: 'in_transit',
  InTransit_Arrival: 'in_transit',
  InTransit_Arrived: 'in_transit',
  InTransit_CustomsProcessing: 'in_transit',
  InTransit_CustomsReleased: 'in_transit',
  InTransit_CustomsRequiringInformation: 'in_transit',
  OutForDelivery: 'out_for_delivery',
  AvailableForPickup: 'available_for_pickup',
  DeliveryFailure: 'undeliverable',
  DeliveryFailure_NoBody: 'undeliverable',
  DeliveryFailure_Security: 'undeliverable',
  DeliveryFailure_InvalidAddress: 'undeliverable',
  DeliveryFailure_Rejected: REFUSED_AT_DELIVERY,
  Delivered: 'delivered',
  Exception: 'exception',
  Exception_Returning: GOING_BACK,
  Exception_Returned: 'returned',
  Exception_Rejected: REFUSED,
  Exception_NoBody: 'exception',
  Exception_Security: 'exception',
  Exception_Damage: 'exception',
  Exception_Lost: 'exception',
  Exception_Delayed: 'exception',
  Exception_Destroyed: 'exception',
  Exception_Cancel: 'exception',
  Exception_Held: 'exception',
  // Stages that are not statuses
  PickedUp: 'in_transit',
  Departure: 'in_transit',
  Arrival: 'in_transit',
  Returning: GOING_BACK,
  Returned: 'returned',
});

/** A detail that is not listed, such as `_Other`, means its status. */
function meaningOf(code: string): Meaning | undefined {
  return meaningOfCode(code) ?? meaningOfCode(code.replace(/_[^_]*$/, ''));
}

/** The meaning of a status; undefined for `NotFound`, `Expired` and unknown codes. */
export function meaningOfStatus(subStatus: string, status: string): Meaning | undefined {
  return meaningOf(subStatus) ?? meaningOf(status);
}

/** The meaning of an event: its sub-status before its stage, which may be missing, before its text. */
export function meaningOfEvent(subStatus: string, stage: string, text: string): ReadScan['meaning'] {
  return meaningOfStatus(subStatus, stage) ?? meaningOfText(text) ?? 'silent';
}

/** Register again: it is charged once only. */
export const ALREADY_REGISTERED = '-18019901';
export const NOT_REGISTERED = '-18019902';
/** Only a stopped number can be tracked again. */
export const NOT_STOPPED = '-18019904';
/** Only a number that is tracked can be stopped. */
export const NOT_TRACKED = '-18019906';
/** A number is tracked again once only. */
export const RESTARTED_BEFORE = '-18019905';

/** What codes mean for a number, or for the whole call where the envelope has them. Any other is `unreadable`. */
const OUTCOMES = new Map(
  Object.entries<Failure | 'not_found'>({
    '-18010001': 'auth', // address not allowed
    '-18010002': 'auth',
    '-18010003': 'transient',
    '-18010004': 'auth', // account disabled
    '-18010005': 'auth',
    '-18010012': 'invalid_number',
    '-18010018': 'needs_input', // country
    '-18010019': 'needs_input', // postal code
    '-18010020': 'needs_input', // phone
    '-18010021': 'needs_input', // date
    '-18010022': 'needs_input',
    '-18019902': 'not_found', // not registered
    '-18019904': 'temporary', // tracking has not stopped
    '-18019905': 'temporary', // tracked again once before
    '-18019907': 'quota', // of the day
    '-18019908': 'quota',
    '-18019909': 'not_found', // registered, no news yet
    '401': 'auth',
    '403': 'auth',
    '429': 'rate_limited',
    '500': 'transient',
    '503': 'transient',
  }),
);

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOMES.get(code) ?? 'unreadable';
}
