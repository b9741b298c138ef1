import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { isObject, type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { codeTable, GOING_BACK, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { refined } from '../../texts/reader.ts';
import { destinationAt } from '../../time/place.ts';
import { estimateOf, resolveTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Delhivery';
/** The one zone of India. Times have no offset. */
const INDIA = 'Asia/Kolkata';
/** The firewall of the API, which counts the calls of an address, lets it in again after this. */
const BLOCKED_SECONDS = 30;

/**
 * Reads the answer to one `packages/json` call: the shipments of those waybills that the account has. If none of them
 * is, the answer is an error.
 */
export function parsePackages(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  if (outcome.kind === 'response' && outcome.status === 403) {
    const blocked = failed('rate_limited', `${TITLE} responded with HTTP 403: too many calls`, BLOCKED_SECONDS);
    return requested.map(() => blocked);
  }
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return requested.map(() => read);
  const shipments = objectsIn(read.body, 'ShipmentData').map((each) => partOf(each, 'Shipment'));
  if (shipments.length === 0) return refused(read.body, requested);
  return answersByNumber(requested, shipments, {
    provider: TITLE,
    numbersOf: (shipment) => [textOf(shipment, 'AWB')],
    answerOf,
    missing: { kind: 'not_found' },
  });
}

function refused(body: JsonObject, requested: readonly Requested[]): CarrierAnswer[] {
  const reason = [textOf(body, 'Error'), textOf(body, 'rmk'), textOf(body, 'error'), textOf(body, 'detail')].join(' ');
  if (!/no such|not? exists?|not found/i.test(reason)) {
    const failure = /token|credential|authenticat|unauthori/i.test(reason) ? 'auth' : 'unreadable';
    return refusedCall(requested, failed(failure, `${TITLE} responded without shipments: ${reason.trim()}`));
  }
  // One unknown number may hide the others: the call is divided until there is but this number.
  if (requested.length === 1) return [{ kind: 'not_found' }];
  return refusedCall(requested, failed('invalid_number', `${TITLE} responded: ${reason.trim()}`));
}

function answerOf(shipment: JsonObject): CarrierAnswer {
  const status = partOf(shipment, 'Status');
  const scans = objectsIn(shipment, 'Scans').map((each) => scanOf(each.ScanDetail));
  const consignee = partOf(shipment, 'Consignee');
  return answerFrom(scans, TITLE, {
    state: meaningOf(textOf(status, 'StatusType'), textOf(status, 'Status')),
    stateAt: textOf(status, 'StatusDateTime') && `${textOf(status, 'StatusDateTime')}+05:30`,
    // The end of a day.
    estimatedDelivery: estimateOf(textOf(shipment, 'ExpectedDeliveryDate').slice(0, 10), '', { country: 'IN' }),
    proof: statedProof({ signedBy: textOf(status, 'RecievedBy') }),
    ...destinationAt({ locality: textOf(consignee, 'City'), region: textOf(consignee, 'State'), country: 'IN' }),
  });
}

/** A shipment with one scan, as it is pushed: the scan is its status, in the words of a status. */
export function pushedScan(shipment: JsonObject): CarrierAnswer {
  const status = partOf(shipment, 'Status');
  const detail = {
    ScanType: status.StatusType,
    Scan: status.Status,
    ScanDateTime: status.StatusDateTime,
    ScannedLocation: status.StatusLocation,
    Instructions: status.Instructions,
  };
  return answerFrom([scanOf(detail)], TITLE);
}

function scanOf(detail: unknown): ReadScan | null {
  if (!isObject(detail)) return null;
  const timeRaw = textOf(detail, 'ScanDateTime') || textOf(detail, 'StatusDateTime');
  const resolved = resolveTime(timeRaw, INDIA, 'location');
  const known = meaningOf(textOf(detail, 'ScanType'), textOf(detail, 'Scan'));
  const description = textOf(detail, 'Instructions') || textOf(detail, 'Scan');
  const location = textOf(detail, 'ScannedLocation');
  // Why a delivery failed is in the text of a scan that only says that the parcel is pending.
  const meaning = refined(known, known?.status === 'in_transit', description);
  return (
    resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, code: textOf(detail, 'StatusCode') }
  );
}

/**
 * A type of a scan, and the status below it: `UD` to the recipient, `RT` back to the sender, `PP` and `PU` from a
 * customer who sends something back, `CN` cancelled, `DL` the end of each.
 */
const meaningOfPair = codeTable({
  'UD Manifested': 'info_received',
  'UD Not Picked': 'info_received',
  'UD In Transit': 'in_transit',
  'UD Pending': 'in_transit', // at the town of the recipient
  'UD Dispatched': 'out_for_delivery',
  'DL Delivered': 'delivered',
  'DL RTO': 'returned',
  'DL DTO': 'delivered', // what a customer sent back is with the sender of the order
  'PP Open': 'info_received',
  'PP Scheduled': 'info_received',
  'PP Dispatched': 'info_received', // the courier is on the way to the customer
  'PU In Transit': 'in_transit',
  'PU Pending': 'in_transit',
  'PU Dispatched': 'out_for_delivery',
});
const meaningOfType = codeTable({ RT: GOING_BACK, CN: 'cancelled' });

export function meaningOf(type: string, status: string): Meaning | undefined {
  return meaningOfPair(`${type.trim()} ${status.trim()}`) ?? meaningOfType(type);
}
