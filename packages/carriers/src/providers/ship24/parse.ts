import type { CarrierAnswer, NotFound } from '@pts/core/tracking/answer';
import { type Body, jsonBody } from '../../answer/body.ts';
import { answerByNumber } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { findCarrier } from '../../registry/registry.ts';
import { destinationAt } from '../../time/destination.ts';
import { resolveTimeAt } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { COURIERS, countryOf } from './carriers.ts';
import { meaningOfEvent, meaningOfStatus, outcomeOf } from './codes.ts';

const TITLE = 'Ship24';
/** Refusals have `errors` in their body, whatever their status. */
const ANSWERS = [200, 201, 207, 400, 402, 404, 409, 422];
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const OFFSET = /^[+-]\d{2}:?\d{2}$/;

/** Reads the answer to one `GET /trackers/search/{number}/results`. */
export function parseResults(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = bodyIn(outcome);
  if (read.kind !== 'body') return read;
  // Callbacks list them at the top.
  const data = Array.isArray(read.body.trackings) ? read.body : partOf(read.body, 'data');
  if (!Array.isArray(data.trackings)) return failed('unreadable', `${TITLE} answered without trackings`);
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
    : failed(failure, `${TITLE} answered ${code}: ${textOf(error, 'message')}`);
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
  return answerFrom(read, TITLE, { state, estimatedDelivery: estimateIn(shipment), ...destination });
}

function estimateIn(shipment: JsonObject) {
  const delivery = partOf(shipment, 'delivery');
  const range = partOf(delivery, 'courierEstimatedDeliveryDate');
  const single = textOf(delivery, 'estimatedDeliveryDate');
  const place = { country: textOf(shipment, 'destinationCountryCode') };
  return estimateOf(textOf(range, 'from') || single, textOf(range, 'to') || single, place);
}

function scanOf(event: JsonObject, carrier: string): ReadScan | null {
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
  const resolved = resolveTimeAt(withOffset, { locality: location }, [country]);
  if (resolved === null) return null;
  const description = textOf(event, 'status');
  const meaning = meaningOfEvent(textOf(event, 'statusCode'), textOf(event, 'statusMilestone'), description);
  return { scan: { ...resolved, timeRaw, location, description }, meaning };
}
