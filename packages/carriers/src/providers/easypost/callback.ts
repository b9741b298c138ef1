import { createHmac } from 'node:crypto';
import { parseObject, partOf, textOf } from '../../http/json.ts';
import { isSameText } from '../../http/signature.ts';
import type { Callback, CallbackKeys, CallbackRequest, CallbackResponse } from '../../provider-callbacks.ts';
import { CARRIERS } from './carriers.ts';
import { parseTracker } from './parse.ts';

/** Anything but 2xx is sent again. */
export const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/** Header `X-Hmac-Signature`: `hmac-sha256-hex=` and HMAC-SHA256 of the body with the webhook secret (Unicode NFKD). */
export function verifyCallback(
  { headers, rawBody }: CallbackRequest,
  { settings: { webhookSecret } }: CallbackKeys,
): boolean {
  if (!webhookSecret) return false;
  const wanted = createHmac('sha256', webhookSecret.normalize('NFKD')).update(rawBody).digest('hex');
  return isSameText(headers['x-hmac-signature'], `hmac-sha256-hex=${wanted}`);
}

/** Reads a callback: an event whose result is a tracker with its whole history. Other events have no news. */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body || textOf(body, 'object') !== 'Event') return null;
  const item = partOf(body, 'result');
  const number = textOf(item, 'tracking_code');
  if (!textOf(body, 'description').startsWith('tracker.') || number === '') return [];
  const carrier = CARRIERS.carrierOf(textOf(item, 'carrier'));
  const answer = parseTracker(item, { number, carrier: carrier ?? '' });
  return [{ number, carriers: carrier === null ? [] : [carrier], answer, watch: 'going_on' }];
}
