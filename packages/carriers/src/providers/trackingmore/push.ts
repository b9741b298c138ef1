import { createHmac } from 'node:crypto';
import { isObject, type JsonObject, parseObject, textOf } from '../../http/json.ts';
import { isSameText } from '../../http/signature.ts';
import type { Push, PushKeys, PushRequest, PushResponse } from '../../provider-push.ts';
import { COURIERS } from './carriers.ts';
import { parseTracking } from './parse.ts';

/** Anything but 2xx is pushed again, up to 14 times. */
export const ACCEPTED: PushResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/** Names of the header with the signature: the documentation gives none. */
const HEADERS = ['signature', 'x-signature', 'trackingmore-signature', 'x-trackingmore-signature'];

/** HMAC-SHA256 of the body with the webhook secret, in base64 or hexadecimal. The signature inside the body, of an older version, proves nothing. */
export function verifyPush({ headers, rawBody }: PushRequest, { settings: { webhookSecret } }: PushKeys): boolean {
  if (!webhookSecret) return false;
  const wanted = createHmac('sha256', webhookSecret).update(rawBody).digest();
  // Its examples write the digest in either form.
  return HEADERS.some(
    (name) => isSameText(headers[name], wanted.toString('base64')) || isSameText(headers[name], wanted.toString('hex')),
  );
}

/** Reads a push: a tracking (`data`), as a query answers it, or a list of them. */
export function parsePush(rawBody: string): Push[] | null {
  const body = parseObject(rawBody);
  if (!body) return null;
  const { data = body } = body;
  const pushes = (Array.isArray(data) ? data : [data]).filter(isObject).flatMap(pushOf);
  return pushes.length > 0 ? pushes : null;
}

function pushOf(item: JsonObject): Push[] {
  const number = textOf(item, 'tracking_number');
  const carrier = COURIERS.carrierOf(textOf(item, 'courier_code') || textOf(item, 'carrier_code'));
  if (number === '') return [];
  const answer = parseTracking(item, { number, carrier: carrier ?? '' });
  return [{ number, carriers: carrier === null ? [] : [carrier], answer, watch: 'going_on' }];
}
