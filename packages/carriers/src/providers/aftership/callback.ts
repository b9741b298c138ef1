import { createHmac } from 'node:crypto';
import { parseObject, partOf, textOf } from '../../http/json.ts';
import { isSameText } from '../../http/signature.ts';
import type { Callback, CallbackKeys, CallbackRequest, CallbackResponse } from '../../provider-callbacks.ts';
import { COURIERS } from './carriers.ts';
import { parseTracking } from './parse.ts';

/** Anything but 2xx is sent again. */
export const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/** Header `aftership-hmac-sha256`: HMAC-SHA256 of the body with the webhook secret, in base64. */
export function verifyCallback(
  { headers, rawBody }: CallbackRequest,
  { settings: { webhookSecret } }: CallbackKeys,
): boolean {
  if (!webhookSecret) return false;
  const wanted = createHmac('sha256', webhookSecret).update(rawBody).digest('base64');
  return isSameText(headers['aftership-hmac-sha256'], wanted);
}

/** Reads a callback: the tracking (`msg`) with its whole history. AfterShip ends with a tracking that is not `active`. */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body) return null;
  const item = partOf(body, 'msg');
  const number = textOf(item, 'tracking_number');
  // Other events of the account have no tracking.
  if (number === '') return textOf(body, 'event') === '' ? null : [];
  const carrier = COURIERS.carrierOf(textOf(item, 'slug'));
  const answer = parseTracking(item, { number, carrier: carrier ?? '' });
  const carriers = carrier === null ? [] : [carrier];
  if (item.active !== false) return [{ number, carriers, answer, watch: 'going_on' }];
  return [{ number, carriers, answer, watch: 'ended', reason: 'AfterShip has stopped tracking the number' }];
}
