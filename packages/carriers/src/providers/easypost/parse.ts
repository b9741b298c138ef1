import type { DeliveryWindow } from '@pts/core/estimates';
import type { CarrierAnswer, Failure, NotFound } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { type Body, failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { findCarrier } from '../../registry/registry.ts';
import { codeTable, GOING_BACK, type ListedScan, type Meaning, REFUSED, type ReadScan } from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { refined } from '../../texts/reader.ts';
import { destinationAt, type Place, placeText } from '../../time/place.ts';
import { estimateOf, type ResolvedTime, resolveTimeAt } from '../../time/time.ts';
import { type Requested, slugs } from '../manifest.ts';

const TITLE = 'EasyPost';
/** Refusals have an `error` in their body. */
const ANSWERS = [200, 201, 400, 402, 404, 422];

/** Reads the answer to one `GET /trackers`: a list of trackers; a single one is read as well. */
export function parseTrackers(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = bodyIn(outcome);
  if (read.kind !== 'body') return read;
  const items = itemsIn(read.body);
  if (items === null) return failed('unreadable', `${TITLE} responded without trackers`);
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
  const failure = OUTCOMES.find(([pattern]) => pattern.test(code))?.[1] ?? 'unreadable';
  if (failure === 'not_found') return { kind: 'not_found' };
  return failed(failure, `${TITLE} responded with ${code || 'an error'}: ${textOf(error, 'message')}`);
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
  const proof = statedProof({ signedBy: textOf(item, 'signed_by') });
  return answerFrom(read, TITLE, { state, estimatedDelivery, proof, ...destinationAt(destinationOf(item)) });
}

function destinationOf(item: JsonObject): Place {
  const detail = partOf(item, 'carrier_detail');
  const place = placeOf(partOf(detail, 'destination_tracking_location'));
  return place.locality || place.country ? place : { locality: textOf(detail, 'destination_location') };
}

function scanOf(detail: JsonObject, home: string): ListedScan {
  if (textOf(detail, 'datetime_local') === '' && textOf(detail, 'datetime') === '') return 'untimed';
  const place = placeOf(partOf(detail, 'tracking_location'));
  const time = timeOf(detail, place, home);
  if (time === null) return null;
  const description = textOf(detail, 'message') || textOf(detail, 'description');
  const meaning = meaningOfScan(textOf(detail, 'status_detail'), textOf(detail, 'status'), description);
  const code = textOf(detail, 'carrier_code') || textOf(detail, 'status_detail') || textOf(detail, 'status');
  return { scan: { ...time, location: placeText(place), description }, meaning, place, code };
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
    postalCode: textOf(location, 'zip'),
  };
}

function estimateIn(item: JsonObject, home: string): DeliveryWindow | undefined {
  const detail = partOf(item, 'carrier_detail');
  const day = textOf(detail, 'est_delivery_date_local') || withoutZ(textOf(item, 'est_delivery_date'));
  const place = placeOf(partOf(detail, 'destination_tracking_location'));
  return estimateOf(day, day, { ...place, country: place.country || home });
}

/** `status`, of the tracker and of every detail. Without one: `unknown` and `error`. */
const meaningOfCode = codeTable({
  pre_transit: 'info_received',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  delivered: 'delivered',
  available_for_pickup: 'available_for_pickup',
  return_to_sender: GOING_BACK,
  failure: 'undeliverable', // any kind
  cancelled: 'cancelled',
  canceled: 'cancelled',
});

/** `status_detail`, if it says more than the status. */
const meaningOfDetail = codeTable({
  arrived_at_pickup_location: 'available_for_pickup',
  refused: REFUSED,
  return: GOING_BACK,
  damaged: 'damaged',
  lost: 'lost',
  delivery_exception: 'failed_attempt',
  transit_exception: 'exception', // any kind
});

/** `status_detail` of parcels that are moving otherwise: a parcel that waits for its recipient is held as well. */
const meaningOfStandstill = codeTable({
  delayed: 'delayed',
  weather_delay: 'weather',
  held: 'held',
  awaiting_information: 'exception', // any kind
});

/** The meaning of a detail and status; undefined for those that say nothing about the parcel. */
export function meaningOfStatus(detail: string, status: string): Meaning | undefined {
  const meaning = meaningOfCode(status);
  if (meaning?.status === 'delivered') return meaning;
  const standstill = meaning?.status === 'in_transit' ? meaningOfStandstill(detail) : undefined;
  return meaningOfDetail(detail) ?? standstill ?? meaning;
}

export function meaningOfScan(detail: string, status: string, text: string): ReadScan['meaning'] {
  const isCoarse = status === 'in_transit' && /^(?:|in_transit|unknown|status_update)$/.test(detail);
  return refined(meaningOfStatus(detail, status), isCoarse, text);
}

/** The meanings of error codes, by their beginning. Any other is `unreadable`. */
const OUTCOMES: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  // MODE.UNAUTHORIZED: a key of the test mode, which is refused for every number.
  [/^MODE\.|^(?:UNAUTHORIZED|FORBIDDEN|APIKEY|AUTHENTICATION)/i, 'auth'],
  [/^(?:PAYMENT|BILLING|INSUFFICIENT_FUNDS)/i, 'quota'],
  [/^RATE_LIMIT/i, 'rate_limited'],
  [/^(?:NOT_FOUND|TRACKER\.NOT_FOUND)/i, 'not_found'],
  [/^TRACKER\.CREATE/i, 'temporary'],
  [/^(?:INTERNAL|TIMEOUT|SERVICE_UNAVAILABLE|GATEWAY)/i, 'transient'],
];

/** EasyPost's names of our carriers. It has more than one for some; answers name the one that it found. */
export const CARRIERS = slugs(
  {
    usps: 'USPS',
    ups: 'UPS',
    fedex: 'FedEx',
    dhl: 'DHLExpress',
    'dhl-paket': 'DHLPaket',
    'canada-post': 'CanadaPost',
    'royal-mail': 'RoyalMail',
    'australia-post': 'AustraliaPost',
    purolator: 'Purolator',
    canpar: 'Canpar',
    ontrac: 'OnTrac',
    lasership: 'LaserShipV2',
    dpd: 'DPD',
    'dpd-uk': 'DPDUK',
    gls: 'GLS',
    evri: 'Evri',
    parcelforce: 'Parcelforce',
    yodel: 'Yodel',
    estafeta: 'Estafeta',
    uniuni: 'UniUni',
    veho: 'Veho',
    asendia: 'AsendiaUsa',
    aramex: 'Aramex',
    fastway: 'Fastway',
    sendle: 'Sendle',
    couriersplease: 'CouriersPlease',
    toll: 'Toll',
    'sf-express': 'SFExpress',
    postnl: 'PostNL',
    'deutsche-post': 'DeutschePost',
    yanwen: 'Yanwen',
  },
  { LaserShip: 'lasership', FedExDefault: 'fedex', UPSDAP: 'ups', Asendia: 'asendia', DHL: 'dhl', OnTracV3: 'ontrac' },
);
