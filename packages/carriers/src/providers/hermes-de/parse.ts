import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, objectsIn, partOf, textOf } from '../../http/json.ts';
import { codeTable, type Meaning, type ReadScan, undeliverable } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { destinationAt } from '../../time/place.ts';
import { estimateOf, resolveTimeAt } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Hermes';
const GERMANY = { country: 'DE' };

/** Reads the answer to one `shipmentinfo` call: each number with a result, or with its whole history. */
export function parseShipmentInfo(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE, [200, 400, 403, 500]);
  if (read.kind === 'failed') return requested.map(() => read);
  const shipments = objectsIn(read.body, 'shipmentinfo');
  if (shipments.length === 0) {
    const [error] = objectsIn(read.body, 'listOfResultCodes');
    return refusedCall(requested, refusal(error ?? {}), read.status);
  }
  return answersByNumber(requested, shipments, {
    provider: TITLE,
    numbersOf: (shipment) => [textOf(shipment, 'shipmentID'), textOf(shipment, 'internationalShipmentID')],
    answerOf,
  });
}

function refusal(error: JsonObject): CarrierAnswer {
  const code = codeOf(error, 'code');
  const outcome = outcomeOf(code);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `${TITLE} responded with ${code || 'without shipments'}: ${textOf(error, 'message')}`);
}

/** Results and errors by their codes. */
const OUTCOMES = new Map<string, Failure | 'not_found'>([
  ['e001', 'not_found'],
  ['e002', 'temporary'],
  ['e005', 'invalid_number'],
  ['e006', 'invalid_number'],
  ['e008', 'invalid_number'],
  ['e900', 'auth'],
  ['e902', 'transient'], // the token is not valid any more
  ['e903', 'transient'],
  ['e999', 'transient'],
]);

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOMES.get(code.toLowerCase()) ?? 'unreadable';
}

function answerOf(shipment: JsonObject): CarrierAnswer {
  const result = partOf(shipment, 'result');
  const statuses = listIn(shipment, 'status');
  if (statuses.length === 0 && OUTCOMES.has(codeOf(result, 'code').toLowerCase())) return refusal(result);
  const receiver = partOf(shipment, 'receiverAddress');
  const country = textOf(receiver, 'countryCode') === 'DEU' ? 'DE' : '';
  return answerFrom(statuses.map(scanOf), TITLE, {
    estimatedDelivery: forecastIn(partOf(shipment, 'deliveryForecast')),
    ...destinationAt({ locality: textOf(receiver, 'city'), country }),
  });
}

function forecastIn(forecast: JsonObject) {
  const date = textOf(forecast, 'date');
  const slot = partOf(forecast, 'timeSlot');
  const [from, to] = [textOf(slot, 'from'), textOf(slot, 'to')];
  return from && to ? estimateOf(`${date} ${from}`, `${date} ${to}`, GERMANY) : estimateOf(date, '', GERMANY);
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'timestamp');
  const resolved = resolveTimeAt(timeRaw, GERMANY);
  const unit = partOf(value, 'scanningUnit');
  const location = textOf(unit, 'city') || textOf(unit, 'name');
  const description = textOf(value, 'description');
  const code = codeOf(value, 'code');
  const meaning = meaningOfEvent(code, description);
  return (
    resolved && {
      scan: { ...resolved, timeRaw, location, description },
      meaning,
      place: { locality: textOf(unit, 'city') },
      code,
    }
  );
}

/** Wishes of the recipient, measures, and corrections of the last scan. */
const INFORMS = /^(?:904[01]|93[1289]\d|4690|4070)$/;

/** The meaning of a code with four digits. Some of them stand for more than one case, which the text tells. */
export function meaningOfEvent(code: string, text: string): Meaning | 'silent' | 'informational' {
  const known = meaningOf(code);
  if (known === undefined && INFORMS.test(code)) return 'informational';
  return refined(known, known?.status === 'in_transit', text);
}

const meaningOf = codeTable({
  '0000': 'info_received',
  '0600': 'info_received', // announced, and not at the depot after a day
  '0700': 'info_received',
  '0800': 'info_received',
  '0900': 'info_received',
  1000: 'in_transit', // left the client
  1510: 'in_transit', // sorted
  1520: 'returning',
  1610: 'in_transit', // abroad
  1710: 'in_transit', // papers for customs
  1720: 'in_transit', // released by customs
  1730: 'customs',
  1751: 'customs', // rejected
  1810: 'in_transit', // handed over to a partner
  1820: 'in_transit',
  1900: 'in_transit', // collected
  1901: 'in_transit',
  1910: 'in_transit',
  2000: 'in_transit', // arrived
  2100: 'in_transit',
  2300: 'in_transit',
  2400: 'in_transit', // handed in at a shop
  3000: 'out_for_delivery',
  3010: 'in_transit', // left a place
  3300: 'in_transit',
  3410: 'available_for_pickup',
  3430: 'in_transit', // with the carrier of an island
  3500: 'delivered',
  3510: 'delivered',
  3511: 'delivered', // in the letterbox
  3520: 'delivered',
  3530: 'delivered', // collected from a shop
  3710: 'refused',
  3715: 'payment',
  3720: 'address',
  3731: 'recipient_unavailable', // for the first time, and so on
  3732: 'recipient_unavailable',
  3733: 'recipient_unavailable',
  3734: 'recipient_unavailable',
  3740: 'damaged',
  3750: 'failed_attempt', // the route was cancelled
  3751: 'failed_attempt', // without the code of the recipient
  3752: 'failed_attempt',
  3753: 'failed_attempt',
  3754: 'failed_attempt',
  3760: 'in_transit', // a return was collected from the customer
  3761: 'in_transit',
  3780: 'delayed', // on the wrong route
  3782: 'failed_attempt', // the recipient could not be identified
  3783: 'failed_attempt',
  3784: 'failed_attempt',
  3785: 'failed_attempt',
  3786: 'failed_attempt',
  3787: 'failed_attempt',
  3795: 'held', // stopped
  4010: 'failed_attempt', // back at the depot, for the reasons of 37xx
  4015: 'payment',
  4020: 'address',
  4024: 'exception', // too large for the shop
  4025: 'in_transit', // forwarded
  4031: 'recipient_unavailable',
  4032: 'recipient_unavailable',
  4033: 'recipient_unavailable',
  4034: 'recipient_unavailable',
  4035: undeliverable('recipient_unavailable'), // not collected from the shop
  4040: 'damaged',
  4050: 'failed_attempt',
  4051: 'failed_attempt',
  4052: 'failed_attempt',
  4053: 'failed_attempt',
  4054: 'failed_attempt',
  4060: 'in_transit', // a return arrived
  4061: 'in_transit',
  4062: 'in_transit',
  4072: 'in_transit', // the return was cancelled
  4080: 'delayed',
  4081: 'failed_attempt',
  4082: 'failed_attempt',
  4083: 'failed_attempt',
  4084: 'failed_attempt',
  4085: 'failed_attempt',
  4086: 'failed_attempt',
  4087: 'failed_attempt',
  4095: 'held',
  4100: 'delayed', // kept for later
  4500: 'held',
  4610: 'delayed', // not collected from the shop where it was handed in
  4620: 'delayed',
  4630: 'lost',
  6080: 'in_transit',
  6081: 'returning',
  6082: 'returning',
  6083: 'returning',
  6084: 'returning',
  6085: 'damaged',
  6086: 'delayed', // at the wrong place
  6087: 'delayed',
  6088: 'in_transit', // redirected by the recipient
  6089: 'in_transit',
  6090: 'in_transit',
  6092: 'returning',
  6093: 'returning',
  6094: 'returning',
  6096: 'returning',
  6098: 'returning',
  6099: 'returning',
  7500: 'returned',
  9340: 'cancelled',
  9341: 'cancelled',
});
