import type { CarrierAnswer, Found } from '@pts/core/tracking/answer';
import { isObject, type JsonObject, objectsIn, parseObject, partOf, textOf } from '../../http/json.ts';
import { isSameText } from '../../http/signature.ts';
import type { Callback, CallbackKeys, CallbackRequest, CallbackResponse } from '../../provider-callbacks.ts';
import { COURIERS } from './carriers.ts';
import { parseTracking } from './parse.ts';

/** Any 2xx counts, unless its JSON says `success: false`. */
export const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/** Header `Authorization: Bearer <webhook secret>`; the body is not signed. */
export function verifyCallback({ headers }: CallbackRequest, { settings: { webhookSecret } }: CallbackKeys): boolean {
  return webhookSecret ? isSameText(headers.authorization, `Bearer ${webhookSecret}`) : false;
}

/**
 * Reads a callback: usually one event of one number, sometimes several, each an item of its own. Other topics, such as proofs of
 * delivery, have no events and no news.
 */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body || !Array.isArray(body.trackings)) return null;
  const byNumber = new Map<string, Callback>();
  for (const item of objectsIn(body, 'trackings')) {
    const number = textOf(partOf(item, 'tracker'), 'trackingNumber');
    if (number === '' || !isObject(item.shipment)) continue;
    const callback = callbackOf(item, number);
    const before = byNumber.get(number);
    byNumber.set(number, before ? { ...callback, answer: joined(before.answer, callback.answer) } : callback);
  }
  return [...byNumber.values()];
}

function callbackOf(item: JsonObject, number: string): Callback {
  const [event] = objectsIn(item, 'events');
  const carrier = event && COURIERS.carrierOf(textOf(event, 'courierCode'));
  // The state of the shipment may be that of a later event, which another callback reports.
  const { statusCode: _, statusMilestone: __, ...shipment } = partOf(item, 'shipment');
  const answer = parseTracking(event ? { ...item, shipment } : item, { number, carrier: carrier ?? '' });
  return { number, carriers: carrier ? [carrier] : [], answer, watch: 'going_on' };
}

/** Two parts of one history. */
function joined(a: CarrierAnswer, b: CarrierAnswer): CarrierAnswer {
  if (a.kind !== 'found') return b;
  if (b.kind !== 'found') return a.scans.length > 0 ? a : b;
  const scans: Found['scans'] = [...a.scans, ...b.scans];
  return { ...a, ...b, scans };
}
