import { createHmac } from 'node:crypto';
import { isObject, type JsonObject, parseObject, textOf } from '../../http/json.ts';
import { isSameText } from '../../http/signature.ts';
import type { Callback, CallbackKeys, CallbackRequest, CallbackResponse } from '../../provider-callbacks.ts';
import { COURIERS } from './carriers.ts';
import { parseTracking } from './parse.ts';

/** Anything but 2xx is sent again, up to 14 times. */
export const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/** Names of the header with the signature: the documentation gives none. */
const HEADERS = ['signature', 'x-signature', 'trackingmore-signature', 'x-trackingmore-signature'];

/** HMAC-SHA256 of the body with the webhook secret, in base64 or hexadecimal. The signature inside the body, of an older version, proves nothing. */
export function verifyCallback(
  { headers, rawBody }: CallbackRequest,
  { settings: { webhookSecret } }: CallbackKeys,
): boolean {
  if (!webhookSecret) return false;
  const wanted = createHmac('sha256', webhookSecret).update(rawBody).digest();
  // Its examples write the digest in either form.
  return HEADERS.some(
    (name) => isSameText(headers[name], wanted.toString('base64')) || isSameText(headers[name], wanted.toString('hex')),
  );
}

/** Reads a callback: a tracking (`data`), as a query answers it, or a list of them. */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body) return null;
  const { data = body } = body;
  const callbacks = (Array.isArray(data) ? data : [data]).filter(isObject).flatMap(callbackOf);
  return callbacks.length > 0 ? callbacks : null;
}

function callbackOf(item: JsonObject): Callback[] {
  const number = textOf(item, 'tracking_number');
  const carrier = COURIERS.carrierOf(textOf(item, 'courier_code') || textOf(item, 'carrier_code'));
  if (number === '') return [];
  const answer = parseTracking(item, { number, carrier: carrier ?? '' });
  return [{ number, carriers: carrier === null ? [] : [carrier], answer, watch: 'going_on' }];
}
