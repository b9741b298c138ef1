import type { CarrierAnswer, NotFound } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { destinationAt } from '../../destination.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http.ts';
import { type JsonObject, objectsIn, partOf, textOf } from '../../json.ts';
import { resolveTimeNear } from '../../local-time.ts';
import { findCarrier } from '../../registry.ts';
import { classified } from '../../scans/meaning.ts';
import { foundWith } from '../../scans/parcel-state.ts';
import { type Body, jsonBody } from '../body.ts';
import { answerByNumber } from '../by-number.ts';
import { failed } from '../failure.ts';
import type { Asked } from '../manifest.ts';
import { COURIERS, countryOf } from './carriers.ts';
import { meaningOfEvent, meaningOfStatus, outcomeOf } from './codes.ts';

/** Refusals have `errors` in their body, whatever their status. */
const ANSWERS = [200, 201, 207, 400, 402, 404, 409, 422];
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const OFFSET = /^[+-]\d{2}:?\d{2}$/;

/** Reads the answer to one `GET /trackers/search/{number}/results`. */
export function parseResults(outcome: HttpOutcome, asked: Asked): CarrierAnswer {
  const read = bodyIn(outcome);
  if (read.kind !== 'body') return read;
  // Pushes list them at the top.
  const data = Array.isArray(read.body.trackings) ? read.body : partOf(read.body, 'data');
  if (!Array.isArray(data.trackings)) return failed('unreadable', 'Ship24 answered without trackings');
  const context = { asked, all: [asked], provider: 'Ship24' };
  return answerByNumber(
    objectsIn(data, 'trackings'),
    (item) => numbersOf(item, asked),
    context,
    (same) => {
      const withNews = same.find((item) => objectsIn(item, 'events').length > 0);
      return parseTracking(withNews ?? same[0], asked);
    },
  );
}

/** The body of an answer without `errors`, or what they mean. */
export function bodyIn(outcome: HttpOutcome): Body<JsonObject> | NotFound {
  const read = jsonBody(outcome, 'Ship24', ANSWERS);
  if (read.kind === 'failed') return read;
  const [error] = objectsIn(read.body, 'errors');
  if (!error) return read;
  const code = textOf(error, 'code');
  const failure = outcomeOf(code);
  return failure === 'not_found'
    ? { kind: 'not_found', ...(code === 'tracker_not_found' && { isUnregistered: true }) }
    : failed(failure, `Ship24 answered ${code}: ${textOf(error, 'message')}`);
}

/** A shipment may continue under further numbers. A shipment without a number is that of the requested one. */
function numbersOf(item: JsonObject, { number }: Asked): string[] {
  const further = objectsIn(partOf(item, 'shipment'), 'trackingNumbers').map((each) => textOf(each, 'tn'));
  const numbers = [textOf(partOf(item, 'tracker'), 'trackingNumber'), ...further].filter((each) => each !== '');
  return numbers.length > 0 ? numbers : [number];
}

/** Reads a tracking, from an answer or a push. */
export function parseTracking(item: JsonObject, asked: Asked): CarrierAnswer {
  const shipment = partOf(item, 'shipment');
  const state = meaningOfStatus(textOf(shipment, 'statusCode'), textOf(shipment, 'statusMilestone'));
  const read = objectsIn(item, 'events').map((event) => scanOf(event, asked.carrier));
  const scans = read.filter((scan) => scan !== null);
  if (scans.length < read.length) {
    return failed('unreadable', `Ship24 answered an event of ${asked.number} with an unreadable time`);
  }
  if (scans.length === 0 && state === undefined) return { kind: 'not_found' };
  const estimate = estimateIn(shipment);
  const destination = { country: textOf(shipment, 'destinationCountryCode') };
  return {
    ...foundWith(scans, state),
    ...destinationAt(destination),
    ...(estimate && { estimatedDelivery: estimate }),
  };
}

function estimateIn(shipment: JsonObject) {
  const delivery = partOf(shipment, 'delivery');
  const range = partOf(delivery, 'courierEstimatedDeliveryDate');
  const single = textOf(delivery, 'estimatedDeliveryDate');
  const place = { country: textOf(shipment, 'destinationCountryCode') };
  return estimateOf(textOf(range, 'from') || single, textOf(range, 'to') || single, place);
}

function scanOf(event: JsonObject, carrier: string): Scan | null {
  const location = textOf(event, 'location');
  const timeRaw = textOf(event, 'occurrenceDatetime');
  const courier = textOf(event, 'courierCode');
  const ours = COURIERS.carrierOf(courier) ?? carrier;
  const country = countryOf(courier) || (findCarrier(ours, { sandbox: true })?.country ?? '');
  // `datetime` has a false Z unless there is an offset.
  const offset = textOf(event, 'utcOffset');
  const time = `${DATE.test(timeRaw) ? `${timeRaw} 00:00:00` : timeRaw}`;
  const withOffset =
    OFFSET.test(offset) && /\d$/.test(time) && !OFFSET.test(time.slice(-6)) ? `${time}${offset}` : time;
  const resolved = resolveTimeNear(withOffset, { locality: location }, country);
  if (resolved === null) return null;
  const description = textOf(event, 'status');
  const meaning = meaningOfEvent(textOf(event, 'statusCode'), textOf(event, 'statusMilestone'), description);
  return classified({ ...resolved, timeRaw, location, description }, meaning);
}
