import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, objectsIn, partOf, textOf } from '../../http/json.ts';
import { codeTable, type ReadScan } from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { refined } from '../../texts/reader.ts';
import { destinationAt, type Place } from '../../time/place.ts';
import { estimateOf, resolveTimeAt } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'CDEK';

/** Reads the answer to one `GET v2/orders`: an order with its statuses, or requests with errors. */
export function parseOrder(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return read;
  const { entity } = read.body;
  const [error] = [
    ...objectsIn(read.body, 'requests').flatMap((request) => objectsIn(request, 'errors')),
    ...objectsIn(read.body, 'errors'),
  ];
  if (!isObject(entity) || !Array.isArray(entity.statuses)) return refusal(error);
  return answerByNumber(requested, [entity], {
    provider: TITLE,
    numbersOf: (order) => [codeOf(order, 'cdek_number')],
    answerOf,
  });
}

function refusal(error: JsonObject | undefined): CarrierAnswer {
  const code = error ? textOf(error, 'code') : '';
  const outcome = outcomeOf(code);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(
    outcome,
    `${TITLE} responded with ${code || 'without an order'}: ${error ? textOf(error, 'message') : ''}`,
  );
}

/** Errors by their codes. An order of another contract is one that this account does not have. */
export function outcomeOf(code: string): Failure | 'not_found' {
  if (/not_found|forbidden/.test(code)) return 'not_found';
  if (/token|auth/.test(code)) return 'auth';
  if (/internal|temporar|unavailable/.test(code)) return 'temporary';
  return /number|incorrect|invalid/.test(code) ? 'invalid_number' : 'unreadable';
}

function answerOf(order: JsonObject): CarrierAnswer {
  const address = partOf(order, 'to_location');
  const destination: Place = {
    locality: textOf(address, 'city'),
    region: textOf(address, 'region'),
    country: textOf(address, 'country_code'),
  };
  const isDelivered = textOf(partOf(order, 'delivery_detail'), 'date') !== '';
  return answerFrom(listIn(order, 'statuses').map(scanOf), TITLE, {
    estimatedDelivery: isDelivered
      ? undefined
      : estimateOf(textOf(order, 'planned_delivery_date').slice(0, 10), '', destination),
    proof: statedProof({ signedBy: textOf(partOf(order, 'delivery_detail'), 'recipient_name') }),
    ...destinationAt(destination),
  });
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'date_time');
  const location = textOf(value, 'city');
  const description = textOf(value, 'name');
  const resolved = resolveTimeAt(timeRaw, { locality: location }, ['RU']);
  const code = textOf(value, 'code');
  const known = meaningOf(code);
  const meaning = refined(known, known?.status === 'in_transit', description);
  return (
    resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, place: { locality: location }, code }
  );
}

/**
 * The codes of an order. The documentation has two names for some of them, a few of which are cut off. To a warehouse
 * of CDEK an order returns when it was not delivered; that does not mean that it goes back to the sender.
 */
export const meaningOf = codeTable({
  ACCEPTED: 'info_received',
  CREATED: 'info_received',
  REMOVED: 'cancelled',
  INVALID: 'exception', // was not made
  RECEIVED_AT_SHIPMENT_WAREHOUSE: 'in_transit',
  READY_TO_SHIP_AT_SENDING_OFFICE: 'in_transit',
  READY_FOR_SHIPMENT_IN_SENDER_CITY: 'in_transit',
  RETURNED_TO_SENDER_WAREHOUSE: 'in_transit',
  PASSED_TO_CARRIER_AT_SENDING_OFFICE: 'in_transit',
  TAKEN_BY_TRANSPORTER_FROM_SENDER_CITY: 'in_transit',
  TAKEN_BY_TRANSPORTER_FROM_SENDER_CIT: 'in_transit',
  SEND_TO_TRANSIT_OFFICE: 'in_transit',
  SENT_TO_TRANSIT_CITY: 'in_transit',
  SENT_TO_TRANSIT_CIT: 'in_transit',
  MET_AT_TRANSIT_OFFICE: 'in_transit',
  ACCEPTED_IN_TRANSIT_CITY: 'in_transit',
  ACCEPTED_IN_TRANSIT_CIT: 'in_transit',
  ACCEPTED_TO_OFFICE_TRANSIT_WAREHOUSE: 'in_transit',
  ACCEPTED_AT_TRANSIT_WAREHOUSE: 'in_transit',
  ACCEPTED_AT_TRANSIT_WAREHOUS: 'in_transit',
  RETURNED_TO_TRANSIT_WAREHOUSE: 'in_transit',
  READY_TO_SHIP_IN_TRANSIT_OFFICE: 'in_transit',
  PASSED_TO_CARRIER_AT_TRANSIT_OFFICE: 'in_transit',
  TAKEN_BY_TRANSPORTER_FROM_TRANSIT_CITY: 'in_transit',
  SEND_TO_SENDING_OFFICE: 'in_transit',
  MET_AT_SENDING_OFFICE: 'in_transit',
  SEND_TO_RECIPIENT_OFFICE: 'in_transit',
  SENT_TO_RECIPIENT_CITY: 'in_transit',
  MET_AT_RECIPIENT_OFFICE: 'in_transit',
  ACCEPTED_IN_RECIPIENT_CITY: 'in_transit',
  ENTERED_TO_OFFICE_TRANSIT_WAREHOUSE: 'in_transit',
  ENTERED_TO_DELIVERY_WAREHOUSE: 'in_transit',
  ACCEPTED_AT_DELIVERY_WAREHOUSE: 'in_transit',
  IN_CUSTOMS_INTERNATIONAL: 'in_transit',
  IN_CUSTOMS_LOCAL: 'in_transit',
  CUSTOMS_COMPLETE: 'in_transit',
  SHIPPED_TO_DESTINATION: 'in_transit',
  PASSED_TO_TRANSIT_CARRIER: 'in_transit',
  POSTOMAT_SEIZED: 'in_transit', // taken out of a locker by the courier
  ACCEPTED_AT_WAREHOUSE_ON_DEMAND: 'available_for_pickup',
  ENTERED_TO_WAREHOUSE_ON_DEMAND: 'available_for_pickup',
  ACCEPTED_AT_PICK_UP_POINT: 'available_for_pickup',
  POSTOMAT_POSTED: 'available_for_pickup',
  ISSUED_FOR_DELIVERY: 'out_for_delivery',
  TAKEN_BY_COURIER: 'out_for_delivery',
  RETURNED_TO_DELIVERY_WAREHOUSE: 'failed_attempt',
  RETURNED_TO_RECIPIENT_CITY_WAREHOUSE: 'failed_attempt',
  DELIVERED: 'delivered',
  POSTOMAT_RECEIVED: 'delivered',
  NOT_DELIVERED: 'undeliverable', // any kind
});
