import { createHash } from 'node:crypto';
import { codeOf, parseObject, partOf, textOf } from '../../http/json.ts';
import { isSameText } from '../../http/signature.ts';
import type { Callback, CallbackKeys, CallbackRequest, CallbackResponse } from '../../provider-callbacks.ts';
import { carrierOf } from './carriers.ts';
import { parseTracking } from './parse.ts';

/** Anything else is sent again after 10, 30 and 60 minutes. */
export const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/** Header `sign` = SHA256(body + "/" + key) in hexadecimal. */
export function verifyCallback({ headers, rawBody }: CallbackRequest, { settings: { key } }: CallbackKeys): boolean {
  if (!key) return false;
  const wanted = createHash('sha256').update(`${rawBody}/${key}`).digest('hex');
  return isSameText(headers.sign?.toLowerCase(), wanted);
}

/** Reads a callback: `TRACKING_UPDATED` with the whole history, or `TRACKING_STOPPED` without one. */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body) return null;
  const item = partOf(body, 'data');
  const number = textOf(item, 'number');
  if (number === '') return null;
  const carrier = carrierOf(codeOf(item, 'carrier'));
  const carriers = carrier === undefined ? [] : [carrier];
  const answer = parseTracking(item);
  if (textOf(body, 'event') !== 'TRACKING_STOPPED') return [{ number, carriers, answer, watch: 'going_on' }];
  return [{ number, carriers, answer, watch: 'ended', reason: '17TRACK has stopped tracking the number' }];
}
