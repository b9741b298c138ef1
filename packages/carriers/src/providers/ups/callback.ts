import { parseObject, partOf, textOf } from '../../http/json.ts';
import { isSameText } from '../../http/signature.ts';
import type { Callback, CallbackKeys, CallbackRequest, CallbackResponse } from '../../provider-callbacks.ts';

/** UPS repeats nothing that was not accepted: the safety net finds it. */
export const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/** Header `credential`, or `Authorization` for a webhook with a Bearer token. The body is not signed. */
export function verifyCallback(
  { headers }: CallbackRequest,
  { settings: { webhookCredential } }: CallbackKeys,
): boolean {
  if (!webhookCredential) return false;
  return (
    isSameText(headers.credential, webhookCredential) ||
    isSameText(headers.authorization, `Bearer ${webhookCredential}`)
  );
}

/**
 * Reads a callback: one activity of one number, in the codes of Track Alert, which differ from those of Track. So it only says
 * that there is news, and the parcel's history is read.
 */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  const number = body ? textOf(body, 'trackingNumber').trim() : '';
  if (!body || number === '' || Object.keys(partOf(body, 'activityStatus')).length === 0) return null;
  return [{ number, carriers: ['ups'], answer: { kind: 'not_found' }, isNotice: true, watch: 'going_on' }];
}
