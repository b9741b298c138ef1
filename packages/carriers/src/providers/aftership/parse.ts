import type { DeliveryWindow } from '@pts/core/estimates';
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
import { resolveTimeAt } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { alpha2Of } from './alpha-3.ts';
import { COURIERS } from './carriers.ts';
import { meaningOfCheckpoint, meaningOfTag, outcomeOf } from './codes.ts';
import { destinationOf } from './tracking-destination.ts';

const TITLE = 'AfterShip';
/** Refusals have their code in `meta`. */
const ANSWERS = [200, 201, 400, 404];

/** Reads the answer to one `GET /trackings`: those of the requested numbers that are registered. */
export function parseTrackings(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = bodyIn(outcome);
  if (read.kind !== 'body') return refusedCall(requested, read);
  const items = itemsIn(read.body);
  if (items === null) return requested.map(() => failed('unreadable', `${TITLE} answered without trackings`));
  return answersByNumber(requested, items, {
    provider: TITLE,
    numbersOf,
    answerOf: parseTracking,
    carrierOf: courierOf,
    missing: { kind: 'not_found', isUnregistered: true },
  });
}

/** The body of an answer, or what the code of its refusal means. */
export function bodyIn(outcome: HttpOutcome): { kind: 'body'; body: JsonObject } | FailedAnswer | NotFound {
  const read = jsonBody(outcome, TITLE, ANSWERS);
  if (read.kind === 'failed') return read;
  const meta = partOf(read.body, 'meta');
  const code = codeOf(meta, 'code');
  if (code === '' || /^20[01]$/.test(code)) return read;
  const failure = outcomeOf(code);
  if (failure === 'not_found') return { kind: 'not_found' };
  return failed(failure, `${TITLE} answered ${code}: ${textOf(meta, 'message')}`);
}

/** A list, a single tracking (in `data`, in older versions in `data.tracking`, in callbacks in `msg`), or null. */
function itemsIn(body: JsonObject): JsonObject[] | null {
  const { data = body.msg ?? body } = body;
  if (!isObject(data)) return null;
  if (Array.isArray(data.trackings)) return objectsIn(data, 'trackings');
  const item = isObject(data.tracking) ? data.tracking : data;
  return textOf(item, 'tag') === '' && textOf(item, 'tracking_number') === '' ? null : [item];
}

/** Very old answers have the number as title alone. */
function numbersOf(item: JsonObject): string[] {
  return [textOf(item, 'tracking_number') || textOf(item, 'title')];
}

function courierOf(item: JsonObject): string | null {
  return COURIERS.carrierOf(textOf(item, 'slug'));
}

/** Reads a tracking, from an answer or a callback. */
export function parseTracking(item: JsonObject, requested: Requested): CarrierAnswer {
  const state = meaningOfTag(textOf(item, 'subtag'), textOf(item, 'tag'), textOf(item, 'subtag_message'));
  const carrier = courierOf(item) ?? requested.carrier;
  const read = objectsIn(item, 'checkpoints').map((checkpoint) => scanOf(checkpoint, carrier));
  const stateAt = state?.status === 'delivered' ? textOf(item, 'shipment_delivery_date') : undefined;
  return answerFrom(read, TITLE, { state, stateAt, estimatedDelivery: estimateIn(item), ...destinationOf(item) });
}

function scanOf(checkpoint: JsonObject, carrier: string): ReadScan | null {
  const timeRaw = textOf(checkpoint, 'checkpoint_time');
  const code = alpha2Of(textOf(checkpoint, 'country_region') || textOf(checkpoint, 'country_iso3')) ?? '';
  const name = textOf(checkpoint, 'country_region_name') || textOf(checkpoint, 'country_name');
  const partsWith = (country: string) =>
    [textOf(checkpoint, 'city'), textOf(checkpoint, 'state'), country].filter((part) => part !== '').join(', ');
  const location = textOf(checkpoint, 'location') || partsWith(name || code);
  const ours = COURIERS.carrierOf(textOf(checkpoint, 'slug')) ?? carrier;
  const home = findCarrier(ours, { sandbox: true })?.country ?? '';
  const place = code === '' ? { locality: partsWith(name) || location } : { locality: partsWith(''), country: code };
  const resolved = resolveTimeAt(timeRaw, place, [home]);
  if (resolved === null) return null;
  const description = textOf(checkpoint, 'message');
  const [subtag, tag] = [textOf(checkpoint, 'subtag'), textOf(checkpoint, 'tag')];
  const meaning = meaningOfCheckpoint(subtag, tag, textOf(checkpoint, 'subtag_message'), description);
  return { scan: { ...resolved, timeRaw, location, description }, meaning };
}

/** The latest estimate, otherwise the carrier's own. */
function estimateIn(item: JsonObject): DeliveryWindow | undefined {
  for (const name of ['latest_estimated_delivery', 'courier_estimated_delivery']) {
    const estimate = partOf(item, name);
    const single = textOf(estimate, 'datetime');
    const [from, to] = [textOf(estimate, 'datetime_min') || single, textOf(estimate, 'datetime_max') || single];
    if (from !== '' || to !== '') return estimateOf(from, to, {});
  }
  const single = textOf(item, 'expected_delivery');
  return single === '' ? undefined : estimateOf(single, single, {});
}
