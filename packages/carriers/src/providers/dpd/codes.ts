import type { Failure } from '@pts/core/tracking/answer';
import { codeTable, type Meaning } from '../../answer/meaning.ts';
import { meaningOfEnglish } from '../../texts/english.ts';

/** `status` of a step. */
const meaningOfStatus = codeTable({
  PreAdvice: 'info_received',
  PickedUp: 'in_transit',
  BetweenDepots: 'in_transit',
  Depot: 'in_transit',
  Courier: 'out_for_delivery',
  DeliveryFailure: 'exception',
  ParcelShop: 'available_for_pickup',
  ReturningFromDelivery: 'in_transit', // back at the depot, to be delivered again
  Delivered: 'delivered',
});

/** The meaning of a step. The text says where it was delivered to, and whether a failed delivery was refused. */
export function meaningOfStep(status: string, text: string): Meaning | undefined {
  const known = meaningOfStatus(status);
  const fromText = meaningOfEnglish(text);
  if (known === undefined) return fromText;
  const isRefined =
    (known.status === 'delivered' &&
      (fromText?.status === 'available_for_pickup' || fromText?.status === 'returned')) ||
    (known.status === 'exception' && fromText?.course !== undefined);
  return isRefined ? fromText : known;
}

/** A SOAP fault, by its code and text. */
const OUTCOME_OF_FAULT: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/AUTHENTICATION|LOGIN|TOKEN|ACCESS/i, 'auth'],
  [/NOT[ _]?FOUND|NO[ _]?DATA|UNKNOWN[ _]?PARCEL|no parcel/i, 'not_found'],
  [/WRONG[ _]?FORMAT|INVALID|parcel ?label ?number/i, 'invalid_number'],
  [/LIMIT|TOO_?MANY/i, 'rate_limited'],
];

export function outcomeOfFault(fault: string): Failure | 'not_found' {
  return OUTCOME_OF_FAULT.find(([pattern]) => pattern.test(fault))?.[1] ?? 'transient';
}
