import type { CarrierAnswer, FailedAnswer, NotFound } from '@pts/core/tracking/answer';
import { jsonBody } from '../../answer/body.ts';
import { answersByNumber, refusedCall } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { findCarrier } from '../../registry/registry.ts';
import { destinationAt } from '../../time/destination.ts';
import { type Place, placeText, resolveTimeAt } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { COURIERS } from './carriers.ts';
import { meaningOfCheckpoint, meaningOfStatus, NOT_REGISTERED, outcomeOf } from './codes.ts';

const TITLE = 'TrackingMore';
/** Refusals of numbers have status 400, with the code in `meta`. */
const ANSWERS = [200, 201, 400];
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the answer to one `GET /trackings/get`: those of the requested numbers that are registered. */
export function parseTrackings(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const data = dataIn(outcome);
  if (data.kind !== 'data') return refusedCall(requested, data);
  if (data.items === null) return requested.map(() => failed('unreadable', `${TITLE} answered without trackings`));
  return answersByNumber(requested, data.items, {
    provider: TITLE,
    numbersOf: (item) => [textOf(item, 'tracking_number')],
    answerOf: parseTracking,
    carrierOf: courierOf,
    missing: { kind: 'not_found', isUnregistered: true },
  });
}

/** `data` of an answer: a list, a single tracking or the result of each number; otherwise null. */
export type Data = { kind: 'data'; items: JsonObject[] | null; data: JsonObject };

/** The envelope of every call, or what its refusal means. */
export function dataIn(outcome: HttpOutcome): Data | FailedAnswer | NotFound {
  const read = jsonBody(outcome, TITLE, ANSWERS);
  if (read.kind === 'failed') return read;
  const { body } = read;
  const meta = partOf(body, 'meta');
  const code = codeOf(meta, 'code');
  if (code !== '' && !/^20[01]$/.test(code)) return refusal(code, textOf(meta, 'message'));
  return { kind: 'data', items: itemsIn(body), data: partOf(body, 'data') };
}

function itemsIn(body: JsonObject): JsonObject[] | null {
  const { data = body } = body;
  if (Array.isArray(data)) return data.filter(isObject);
  if (!isObject(data)) return null;
  const list = ['success', 'items'].find((name) => Array.isArray(data[name]));
  if (list !== undefined) return objectsIn(data, list);
  return isObject(data.origin_info) || textOf(data, 'tracking_number') !== '' ? [data] : null;
}

/** A refused call or number. */
export function refusal(code: string, message: string): FailedAnswer | NotFound {
  const outcome = outcomeOf(code);
  return outcome === 'not_found'
    ? { kind: 'not_found', ...(code === NOT_REGISTERED && { isUnregistered: true }) }
    : failed(outcome, `${TITLE} answered ${code || 'no code'}: ${message}`);
}

function courierOf(item: JsonObject): string | null {
  return COURIERS.carrierOf(textOf(item, 'courier_code') || textOf(item, 'carrier_code'));
}

/** Reads a tracking, from an answer or a callback. The checkpoints of origin and destination are one history. */
export function parseTracking(item: JsonObject, requested: Requested): CarrierAnswer {
  const carrier = courierOf(item) ?? requested.carrier;
  const status = textOf(item, 'delivery_status') || textOf(item, 'status');
  const state = meaningOfStatus(textOf(item, 'substatus'), status);
  const read = ['origin_info', 'destination_info']
    .flatMap((leg) => {
      const info = partOf(item, leg);
      const mover = courierOf(info) ?? carrier;
      return objectsIn(info, 'trackinfo').map((checkpoint) => scanOf(checkpoint, mover));
    })
    .concat(objectsIn(item, 'track_info').map((checkpoint) => scanOf(checkpoint, carrier)));
  const day = textOf(item, 'scheduled_delivery_date') || textOf(item, 'expected_delivery');
  const estimatedDelivery = estimateOf(day, day, { country: textOf(item, 'destination_country') });
  const destination: Place = {
    locality: textOf(item, 'destination_city'),
    region: textOf(item, 'destination_state'),
    country: textOf(item, 'destination_country'),
  };
  return answerFrom(read, TITLE, { state, estimatedDelivery, ...destinationAt(destination) });
}

/** The names in brackets are from older answers. */
function scanOf(checkpoint: JsonObject, carrier: string): ReadScan | null {
  const [time, description, location] = [
    textOf(checkpoint, 'checkpoint_date') || textOf(checkpoint, 'Date'),
    textOf(checkpoint, 'tracking_detail') || textOf(checkpoint, 'StatusDescription'),
    textOf(checkpoint, 'location') || textOf(checkpoint, 'Details'),
  ];
  const country = findCarrier(carrier, { sandbox: true })?.country ?? '';
  const place = placeOf(checkpoint, location);
  const resolved = resolveTimeAt(DATE.test(time) ? `${time} 00:00:00` : time, place, [country]);
  if (resolved === null) return null;
  const status = textOf(checkpoint, 'checkpoint_delivery_status') || textOf(checkpoint, 'checkpoint_status');
  const meaning = meaningOfCheckpoint(textOf(checkpoint, 'checkpoint_delivery_substatus'), status, description);
  return { scan: { ...resolved, timeRaw: time, location: location || placeText(place), description }, meaning };
}

/** The country has a field of its own; the text may end with it as well. */
function placeOf(checkpoint: JsonObject, location: string): Place {
  const country = textOf(checkpoint, 'country_iso2').toUpperCase();
  const region = textOf(checkpoint, 'state').toUpperCase();
  return country === ''
    ? { locality: location }
    : { locality: textOf(checkpoint, 'city') || location, region, country };
}
