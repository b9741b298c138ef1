import type { CarrierAnswer, Failure, NotFound } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { type Body, failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { carriers, findCarrier } from '../../registry/registry.ts';
import {
  codeTable,
  GOING_BACK,
  type ListedScan,
  type Meaning,
  REFUSED,
  type ReadScan,
  undeliverable,
} from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { refined, refinedPending } from '../../texts/reader.ts';
import { destinationAt } from '../../time/place.ts';
import { estimateOf, resolveTimeAt } from '../../time/time.ts';
import { type Requested, slugs } from '../manifest.ts';

const TITLE = 'Ship24';
/** Refusals have `errors` in their body, whatever their status. */
const ANSWERS = [200, 201, 207, 400, 402, 404, 409, 422];
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const OFFSET = /^(?:(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?|Z|UTC|GMT)$/i;

/** Reads the answer to one `GET /trackers/search/{number}/results`. */
export function parseResults(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = bodyIn(outcome);
  if (read.kind !== 'body') return read;
  // Callbacks list them at the top.
  const data = Array.isArray(read.body.trackings) ? read.body : partOf(read.body, 'data');
  if (!Array.isArray(data.trackings)) return failed('unreadable', `${TITLE} responded without trackings`);
  return answerByNumber(requested, objectsIn(data, 'trackings'), {
    provider: TITLE,
    numbersOf,
    answerOf: parseTracking,
    missing: { kind: 'not_found', isUnregistered: true },
  });
}

/** The body of an answer without `errors`, or what they mean. */
export function bodyIn(outcome: HttpOutcome): Body<JsonObject> | NotFound {
  const read = jsonBody(outcome, TITLE, ANSWERS);
  if (read.kind === 'failed') return read;
  const [error] = objectsIn(read.body, 'errors');
  if (!error) return read;
  const code = textOf(error, 'code');
  const failure = outcomeOf(code);
  return failure === 'not_found'
    ? { kind: 'not_found', ...(code === 'tracker_not_found' && { isUnregistered: true }) }
    : failed(failure, `${TITLE} responded with ${code}: ${textOf(error, 'message')}`);
}

/** A shipment may continue under further numbers. */
function numbersOf(item: JsonObject): string[] {
  const further = objectsIn(partOf(item, 'shipment'), 'trackingNumbers').map((each) => textOf(each, 'tn'));
  return [textOf(partOf(item, 'tracker'), 'trackingNumber'), ...further];
}

/** Reads a tracking, from an answer or a callback. */
export function parseTracking(item: JsonObject, requested: Requested): CarrierAnswer {
  const shipment = partOf(item, 'shipment');
  const state = meaningOfStatus(textOf(shipment, 'statusCode'), textOf(shipment, 'statusMilestone'));
  const read = objectsIn(item, 'events').map((event) => scanOf(event, requested.carrier));
  const destination = destinationAt({ country: textOf(shipment, 'destinationCountryCode') });
  const proof = statedProof({ signedBy: textOf(partOf(shipment, 'delivery'), 'signedBy') });
  return answerFrom(read, TITLE, { state, estimatedDelivery: estimateIn(shipment), proof, ...destination });
}

function estimateIn(shipment: JsonObject) {
  const delivery = partOf(shipment, 'delivery');
  const range = partOf(delivery, 'courierEstimatedDeliveryDate');
  const single = textOf(delivery, 'estimatedDeliveryDate');
  const place = { country: textOf(shipment, 'destinationCountryCode') };
  return estimateOf(textOf(range, 'from') || single, textOf(range, 'to') || single, place);
}

function scanOf(event: JsonObject, carrier: string): ListedScan {
  const location = textOf(event, 'location');
  const timeRaw = textOf(event, 'occurrenceDatetime');
  if (timeRaw === '') return 'untimed';
  const courier = textOf(event, 'courierCode');
  const ours = COURIERS.carrierOf(courier) ?? carrier;
  const country = countryOf(courier) || (findCarrier(ours, { sandbox: true })?.country ?? '');
  // `datetime` has a false Z unless there is an offset.
  const offset = textOf(event, 'utcOffset');
  const time = `${DATE.test(timeRaw) ? `${timeRaw} 00:00:00` : timeRaw}`;
  const withOffset =
    OFFSET.test(offset) && !/:\d{2}(?:[.,]\d{1,9})?(?:[+-]\d{2}:?\d{0,2}|Z)$/i.test(time) ? `${time}${offset}` : time;
  const resolved = resolveTimeAt(withOffset, { locality: location }, [country]);
  if (resolved === null) return null;
  const description = textOf(event, 'status');
  const code = textOf(event, 'statusCode');
  const meaning = meaningOfEvent(code, textOf(event, 'statusMilestone'), description);
  return { scan: { ...resolved, timeRaw, location, description }, meaning, code };
}

/** Finer codes of events; many events have none. */
const meaningOfCode = codeTable({
  data_order_created: 'info_received',
  data_order_cancelled: 'cancelled',
  data_delivery_proposed: 'in_transit',
  data_delivery_decided: 'in_transit',
  transit_handover: 'in_transit',
  transit_origin_country_departure: 'in_transit',
  destination_arrival: 'in_transit',
  customs_received: 'in_transit',
  customs_cleared: 'in_transit',
  customs_exception: 'customs',
  customs_rejected: 'customs',
  delivery_available_for_pickup: 'available_for_pickup',
  delivery_out_for_delivery: 'out_for_delivery',
  delivery_attempted: undeliverable('failed_attempt'),
  delivery_exception: 'exception', // any kind
  delivery_refused: REFUSED,
  delivery_delivered: 'delivered',
  exception_return: GOING_BACK,
  exception_lost: 'lost',
  exception_discarded: 'exception', // of no kind
});

/** `statusMilestone`, of every event and of the shipment. `pending` means nothing yet. */
const meaningOfMilestone = codeTable({
  info_received: 'info_received',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  failed_attempt: undeliverable('failed_attempt'),
  available_for_pickup: 'available_for_pickup',
  delivered: 'delivered',
  exception: 'exception', // any kind
});

/** The meaning of a code or milestone; undefined for those that say nothing about the parcel. */
export function meaningOfStatus(code: string, milestone: string): Meaning | undefined {
  return meaningOfCode(code) ?? meaningOfMilestone(milestone);
}

export function meaningOfEvent(code: string, milestone: string, text: string): ReadScan['meaning'] {
  const known = meaningOfStatus(code, milestone);
  if (known === undefined && milestone === 'pending') return refinedPending(text);
  return refined(known, code === '' && milestone === 'in_transit', text);
}

/** The outcomes that error codes stand for. Any other code is `unreadable`. */
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

function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOMES.get(code) ?? (/^auth|token|api_?key/i.test(code) ? 'auth' : 'unreadable');
}

/** Ship24's `courierCode` of our carriers; it finds most by the number and needs none. */
const NAMED: Readonly<Record<string, string>> = {
  usps: 'us-post',
  'china-post': 'cn-post',
  'la-poste': 'fr-post',
  'royal-mail': 'gb-post',
  'canada-post': 'ca-post',
  'australia-post': 'au-post',
  'japan-post': 'jp-post',
  ups: 'ups',
  fedex: 'fedex',
  dhl: 'dhl',
};

/** The carriers that Ship24 serves, and its codes; '' where it finds the carrier by the number. */
export const COURIERS = slugs(
  Object.fromEntries(carriers({ sandbox: false }).map(({ code }) => [code, NAMED[code] ?? ''])),
);

/** The country of a post's code, which begins with it (`us-post`); '' for other codes. */
function countryOf(courierCode: string): string {
  return /^([a-z]{2})-post$/.exec(courierCode)?.[1]?.toUpperCase() ?? '';
}
