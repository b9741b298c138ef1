import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { isObject, type JsonObject, listIn, objectsIn, partOf, textOf } from '../../http/json.ts';
import { codeTable, type ReadScan, wordsOf } from '../../texts/meaning.ts';
import { type Place, placeText } from '../../time/place.ts';
import { estimateOf, resolveTimeAt } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Amazon Shipping';

/** Reads the answer to one `GET /shipping/v2/tracking`: events with a code, a time and a place, and no text. */
export function parseTracking(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return read;
  const { payload } = read.body;
  if (!isObject(payload) || textOf(payload, 'trackingId') === '') return refusal(read.body, read.status);
  return answerByNumber(requested, [payload], {
    provider: TITLE,
    numbersOf: () => [textOf(payload, 'trackingId'), textOf(payload, 'alternateLegTrackingId')],
    answerOf,
  });
}

function refusal(body: JsonObject, status: number): CarrierAnswer {
  const [error = {}] = objectsIn(body, 'errors');
  const [code, message] = [textOf(error, 'code'), textOf(error, 'message')];
  if (/not ?found/i.test(`${code} ${message}`)) return { kind: 'not_found' };
  const reason = `${TITLE} responded with ${code || 'without a payload'}: ${message}`;
  if (status === 404) return failed('transient', reason);
  return failed(status === 400 && /tracking ?id/i.test(message) ? 'invalid_number' : 'unreadable', reason);
}

function answerOf(payload: JsonObject): CarrierAnswer {
  const state = meaningOf(textOf(partOf(payload, 'summary'), 'status'));
  const promised = estimateOf(textOf(payload, 'promisedDeliveryDate'), '', {});
  return answerFrom(listIn(payload, 'eventHistory').map(scanOf), TITLE, {
    state,
    estimatedDelivery: state?.status === 'delivered' ? undefined : promised,
  });
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'eventTime');
  const parts = partOf(value, 'location');
  const place: Place = {
    locality: textOf(parts, 'city'),
    region: textOf(parts, 'stateOrRegion'),
    country: textOf(parts, 'countryCode'),
  };
  const resolved = resolveTimeAt(timeRaw, place);
  const code = textOf(value, 'eventCode');
  const meaning =
    code === 'RecipientRequestedAlternateDeliveryTiming' ? 'informational' : (meaningOf(code) ?? 'silent');
  return (
    resolved && { scan: { ...resolved, timeRaw, location: placeText(place), description: wordsOf(code) }, meaning }
  );
}

/** The codes of events, and the statuses of the summary. */
export const meaningOf = codeTable({
  ReadyForReceive: 'info_received',
  PreTransit: 'info_received',
  PickupDone: 'in_transit',
  Departed: 'in_transit',
  ArrivedAtCarrierFacility: 'in_transit',
  InTransit: 'in_transit',
  OutForDelivery: 'out_for_delivery',
  AvailableForPickup: 'available_for_pickup',
  AwaitingCustomerPickup: 'available_for_pickup',
  Delivered: 'delivered',
  DeliveryAttempted: 'failed_attempt',
  Lost: 'lost',
  Rejected: 'refused',
  Undeliverable: 'undeliverable', // any kind
  PickupCancelled: 'cancelled',
  ReturnInitiated: 'returning',
});
