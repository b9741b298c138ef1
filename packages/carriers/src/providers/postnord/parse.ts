import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, oneOrMore, partOf, textOf } from '../../http/json.ts';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../texts/meaning.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { destinationAt } from '../../time/place.ts';
import { estimateOf, resolveLocalTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'PostNord';
const CARRIER = 'postnord';
const HOME = { country: 'SE' };

/**
 * Reads the answer to one `trackandtrace` call: a shipment with its items, which are its pieces. For an item, the
 * answer is its shipment, and only that item counts. Times without an offset are those of the place. An unknown number
 * is an empty list.
 */
export function parseTrackAndTrace(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return requested.map(() => read);
  const answer = read.body.TrackingInformationResponse;
  if (!isObject(answer)) return requested.map(() => failed('unreadable', `${TITLE} responded without its envelope`));
  const shipments = oneOrMore(answer.shipments);
  if (shipments.length === 0) return requested.map(() => withoutShipment(answer));
  return answersByNumber(requested, [...shipments.map(shipmentOf), ...shipments.flatMap(itemsOf)], {
    provider: TITLE,
    numbersOf: ({ numbers }) => numbers,
    answerOf: ({ answer }) => answer,
  });
}

function withoutShipment(answer: JsonObject): CarrierAnswer {
  const [fault] = isObject(answer.compositeFault) ? oneOrMore(answer.compositeFault.faults) : [];
  if (fault === undefined) {
    return Array.isArray(answer.shipments)
      ? { kind: 'not_found' }
      : failed('unreadable', `${TITLE} responded without a list of shipments`);
  }
  const reason = `${codeOf(fault, 'faultCode')} ${textOf(fault, 'explanationText')}`;
  const outcome = outcomeOfFault(reason);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${reason}`);
}

/** A shipment or an item, with the numbers that name it. */
type Result = { numbers: readonly string[]; answer: CarrierAnswer };

function shipmentOf(shipment: JsonObject): Result {
  const items = oneOrMore(shipment.items);
  const [item, ...others] = items;
  const ofItem = item && others.length === 0 ? [textOf(item, 'itemId')] : [];
  const numbers = [textOf(shipment, 'shipmentId'), ...ofItem];
  const delivered = items.filter((item) => meaningOfState(textOf(item, 'status'))?.status === 'delivered').length;
  const answer = answerFrom(items.flatMap(scansOf), TITLE, {
    state: meaningOfState(textOf(shipment, 'status')),
    estimatedDelivery: estimateIn(shipment),
    ...destinationOf(shipment),
    ...(items.length > 1 && { pieces: { total: items.length, delivered } }),
  });
  return { numbers, answer };
}

/** The items of a shipment of several. */
function itemsOf(shipment: JsonObject): Result[] {
  const items = oneOrMore(shipment.items);
  if (items.length < 2) return [];
  return items.map((item) => {
    const state = meaningOfState(textOf(item, 'status'));
    const estimatedDelivery = estimateIn(item) ?? estimateIn(shipment);
    return {
      numbers: [textOf(item, 'itemId')],
      answer: answerFrom(scansOf(item), TITLE, { state, estimatedDelivery, ...destinationOf(shipment) }),
    };
  });
}

function destinationOf(shipment: JsonObject) {
  const address = partOf(partOf(shipment, 'consignee'), 'address');
  return destinationAt({ locality: textOf(address, 'city'), country: textOf(address, 'countryCode') });
}

function estimateIn(part: JsonObject) {
  return estimateOf(textOf(part, 'estimatedTimeOfArrival'), '', HOME);
}

function scansOf({ events }: JsonObject): (ReadScan | null)[] {
  if (isObject(events)) return [scanOf(events)];
  return Array.isArray(events) ? events.map(scanOf) : [];
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const place = isObject(value.location) ? value.location : {};
  const named = textOf(place, 'displayName') || textOf(place, 'name') || textOf(place, 'city');
  const location = named || textOf(value, 'location');
  const description = textOf(value, 'eventDescription');
  const timeRaw = textOf(value, 'eventTime');
  const country = textOf(place, 'countryCode') || textOf(place, 'country');
  const resolved = resolveLocalTime(timeRaw, CARRIER, country);
  const parts = { locality: textOf(place, 'city'), country };
  const state = textOf(value, 'eventStatus') || textOf(value, 'status');
  const meaning = meaningOfEvent(state, description) ?? 'silent';
  return (
    resolved && {
      scan: { ...resolved, timeRaw, location, description },
      meaning,
      place: parts,
      code: textOf(value, 'eventCode') || state,
    }
  );
}

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
  DELAYED: 'delayed',
  STOPPED: 'held',
  DELIVERY_IMPOSSIBLE: 'undeliverable', // any kind
  DELIVERY_REFUSED: REFUSED,
  RETURNING: GOING_BACK,
  RETURNED: 'returned',
});

/**
 * The meaning of an event by its state, otherwise by its text: states of events are optional, and event codes numerous.
 */
export function meaningOfEvent(state: string, text: string): Meaning | undefined {
  return meaningOfState(state) ?? meaningOfText(text);
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
