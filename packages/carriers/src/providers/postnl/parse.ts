import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, type JsonObject, objectsIn, oneOrMore, partOf, textOf } from '../../http/json.ts';
import { codeTable, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { destinationAt } from '../../time/place.ts';
import { estimateOf, resolveTimeAt, yearFirst } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'PostNL';
const NETHERLANDS = { country: 'NL' };

/**
 * Reads the answer to one `status/barcode` call: a shipment with events, whose codes are hundreds, and with statuses,
 * whose codes are two dozen. An event comes with the status of the same second. Parts without a value are empty
 * objects.
 */
export function parseStatus(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return read;
  const { body } = read;
  const answer = { ...partOf(body, 'CurrentStatus'), ...partOf(body, 'CompleteStatus') };
  const shipments = oneOrMore(answer.Shipment).filter((shipment) => textOf(shipment, 'Barcode') !== '');
  if (shipments.length === 0) return withoutShipment(body, read.status);
  return answerByNumber(requested, shipments, {
    provider: TITLE,
    numbersOf: (shipment) => [textOf(shipment, 'Barcode'), textOf(shipment, 'MainBarcode')],
    answerOf,
  });
}

/** Warnings, such as that there is no such shipment, or errors of the gateway. */
function withoutShipment(body: JsonObject, status: number): CarrierAnswer {
  const [problem = body] = [...objectsIn(body, 'Warnings'), ...objectsIn(body, 'Errors'), ...objectsIn(body, 'errors')];
  const texts = ['Message', 'message', 'Description', 'ErrorMsg', 'title', 'detail'].map((name) =>
    textOf(problem, name),
  );
  const text = texts.filter((each) => each !== '').join(' ');
  const isUnknown = /no (?:shipment|data|result)|not? found|unknown|geen zending|niet gevonden/i.test(text);
  if (isUnknown || status === 404) return { kind: 'not_found' };
  const failure = status === 400 || /barcode|invalid/i.test(text) ? 'invalid_number' : 'unreadable';
  return failed(failure, `${TITLE} responded without a shipment: ${text}`);
}

function answerOf(shipment: JsonObject): CarrierAnswer {
  const current = partOf(shipment, 'Status');
  const statuses = [current, ...objectsIn(shipment, 'OldStatus')];
  const codes = new Map(statuses.map((each) => [textOf(each, 'TimeStamp'), codeOf(each, 'StatusCode')]));
  const events = objectsIn(shipment, 'Event');
  const scans =
    events.length > 0
      ? events.map((event) => scanAt(event, 'Description', codes.get(textOf(event, 'TimeStamp')) ?? ''))
      : statuses.map((status) => scanAt(status, 'StatusDescription', codeOf(status, 'StatusCode')));
  const recipient = objectsIn(shipment, 'Address').find((address) => textOf(address, 'AddressType') === '01');
  const state = meaningOf(codeOf(current, 'StatusCode'));
  const isOver = state?.status === 'delivered' || state?.status === 'available_for_pickup';
  return answerFrom(scans, TITLE, {
    state,
    estimatedDelivery: isOver ? undefined : estimateIn(shipment),
    ...destinationAt({ locality: namedIn(recipient, 'City'), country: namedIn(recipient, 'CountryCode') }),
  });
}

function estimateIn(shipment: JsonObject) {
  const { ETAFrom, ETATo } = partOf(shipment, 'Expectation');
  const [from, to] = [ETAFrom, ETATo].map((time) => (typeof time === 'string' ? yearFirst(time) : ''));
  const day = yearFirst(textOf(shipment, 'DeliveryDate')).slice(0, 10);
  return estimateOf(from ?? '', to ?? '', NETHERLANDS) ?? estimateOf(day, '', NETHERLANDS);
}

/** A text of an address; some answers write the empty object as a text. */
function namedIn(address: JsonObject | undefined, name: string): string {
  const text = address ? textOf(address, name) : '';
  return text === '{}' ? '' : text;
}

function scanAt(part: JsonObject, text: string, code: string): ReadScan | null {
  const timeRaw = textOf(part, 'TimeStamp');
  const resolved = resolveTimeAt(yearFirst(timeRaw), NETHERLANDS);
  const description = textOf(part, text);
  const known = code === '99' ? undefined : meaningOf(code);
  const meaning = refined(known, isCoarse(known), description);
  return resolved && { scan: { ...resolved, timeRaw, location: '', description }, meaning, code };
}

/** Sorting, and deliveries that failed, are described by the text of their event. */
function isCoarse(known: Meaning | undefined): boolean {
  return known?.status === 'in_transit' || known?.problem === 'failed_attempt';
}

/** `StatusCode`; 99 is not applicable. */
export const meaningOf = codeTable({
  1: 'info_received',
  2: 'in_transit', // accepted
  3: 'in_transit', // collected
  4: 'info_received', // not collected
  5: 'in_transit', // sorted
  6: 'in_transit', // not sorted
  7: 'out_for_delivery',
  8: 'failed_attempt',
  9: 'in_transit', // at customs
  11: 'delivered',
  12: 'available_for_pickup',
  13: 'info_received', // not accepted yet
  14: 'info_received', // never accepted
  15: 'lost', // missing at the collection
  16: 'lost',
  17: 'lost',
  18: 'lost',
  19: 'exception', // rejected
  20: 'in_transit', // in clearance
  21: 'in_transit', // in storage
  22: 'delivered', // collected from a post office
  23: 'in_transit', // collected from the sender
});
