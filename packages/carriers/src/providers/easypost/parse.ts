import type { DeliveryWindow } from '@pts/core/estimates';
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
import { type Place, placeText, resolveTimeAt } from '../../time/local-time.ts';
import type { ResolvedTime } from '../../time/time-zone.ts';
import type { Requested } from '../manifest.ts';
import { CARRIERS } from './carriers.ts';
import { meaningOfScan, meaningOfStatus, outcomeOf } from './codes.ts';

const TITLE = 'EasyPost';
/** Refusals have an `error` in their body. */
const ANSWERS = [200, 201, 400, 402, 404, 422];

/** Reads the answer to one `GET /trackers`: a list of trackers; a single one is read as well. */
export function parseTrackers(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = bodyIn(outcome);
  if (read.kind !== 'body') return read;
  const items = itemsIn(read.body);
  if (items === null) return failed('unreadable', `${TITLE} answered without trackers`);
  return answerByNumber(requested, items, {
    provider: TITLE,
    numbersOf: (item) => [textOf(item, 'tracking_code')],
    answerOf: parseTracker,
    carrierOf,
    missing: { kind: 'not_found', isUnregistered: true },
  });
}

/** The body of an answer without `error`, or what it means. */
export function bodyIn(outcome: HttpOutcome): Body<JsonObject> | NotFound {
  const read = jsonBody(outcome, TITLE, ANSWERS);
  if (read.kind === 'failed' || read.body.error === undefined) return read;
  const error = partOf(read.body, 'error');
  const code = textOf(error, 'code');
  const failure = outcomeOf(code);
  if (failure === 'not_found') return { kind: 'not_found' };
  return failed(failure, `${TITLE} answered ${code || 'an error'}: ${textOf(error, 'message')}`);
}

/** Callbacks have the tracker in `result`. */
function itemsIn(body: JsonObject): JsonObject[] | null {
  if (Array.isArray(body.trackers)) return objectsIn(body, 'trackers');
  const item = textOf(body, 'tracking_code') === '' ? partOf(body, 'result') : body;
  return textOf(item, 'tracking_code') === '' ? null : [item];
}

function carrierOf(item: JsonObject): string | null {
  return CARRIERS.carrierOf(textOf(item, 'carrier'));
}

/** Reads a tracker, from an answer or a callback. */
export function parseTracker(item: JsonObject, requested: Requested): CarrierAnswer {
  const state = meaningOfStatus(textOf(item, 'status_detail'), textOf(item, 'status'));
  const home = findCarrier(carrierOf(item) ?? requested.carrier, { sandbox: true })?.country ?? '';
  const read = objectsIn(item, 'tracking_details').map((detail) => scanOf(detail, home));
  const estimatedDelivery = estimateIn(item, home);
  return answerFrom(read, TITLE, { state, estimatedDelivery, ...destinationAt(destinationOf(item)) });
}

function destinationOf(item: JsonObject): Place {
  const detail = partOf(item, 'carrier_detail');
  const place = placeOf(partOf(detail, 'destination_tracking_location'));
  return place.locality || place.country ? place : { locality: textOf(detail, 'destination_location') };
}

function scanOf(detail: JsonObject, home: string): ReadScan | null {
  const place = placeOf(partOf(detail, 'tracking_location'));
  const time = timeOf(detail, place, home);
  if (time === null) return null;
  const description = textOf(detail, 'message') || textOf(detail, 'description');
  const meaning = meaningOfScan(textOf(detail, 'status_detail'), textOf(detail, 'status'), description);
  return { scan: { ...time, location: placeText(place), description }, meaning };
}

/** `datetime_local`, which may be empty, before `datetime`: that is local as well, its Z is wrong. */
function timeOf(detail: JsonObject, place: Place, home: string): (ResolvedTime & { timeRaw: string }) | null {
  for (const name of ['datetime_local', 'datetime']) {
    const timeRaw = textOf(detail, name);
    const resolved = resolveTimeAt(name === 'datetime' ? withoutZ(timeRaw) : timeRaw, place, [home]);
    if (resolved) return { ...resolved, timeRaw };
  }
  return null;
}

function withoutZ(time: string): string {
  return time.replace(/Z$/, '');
}

function placeOf(location: JsonObject): Place {
  return {
    locality: textOf(location, 'city'),
    region: textOf(location, 'state'),
    country: textOf(location, 'country'),
  };
}

function estimateIn(item: JsonObject, home: string): DeliveryWindow | undefined {
  const detail = partOf(item, 'carrier_detail');
  const day = textOf(detail, 'est_delivery_date_local') || withoutZ(textOf(item, 'est_delivery_date'));
  const place = placeOf(partOf(detail, 'destination_tracking_location'));
  return estimateOf(day, day, { ...place, country: place.country || home });
}
