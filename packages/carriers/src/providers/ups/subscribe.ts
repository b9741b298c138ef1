import { concernsProvider, type FailedAnswer } from '@pts/core/tracking/answer';
import { bodyOrFailure, failed } from '../../answer/failure.ts';
import { isSameNumber } from '../../answer/number.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, type JsonObject, objectsIn, parseObject, partOf, textOf } from '../../http/json.ts';
import type { SubscribeOutcome } from '../../provider-callbacks.ts';
import type { Requested } from '../manifest.ts';
import { outcomeOfError } from './codes.ts';

/** The most numbers of one subscription. */
export const MAX_SUBSCRIBED = 100;
/** No number of the call is valid. */
const NONE_VALID = ['VSS210', 'VSS215'];
/** A fault of UPS, whatever the HTTP status. */
const SERVER_FAULT = /^(?:VSS100|10\d{3})$/;

/** The body of a subscription. UPS sends callbacks to the address, and with the credential, that the webhook of the app has. */
export function subscriptionOf(requested: readonly Requested[]) {
  return { locale: 'en_US', countryCode: 'US', trackingNumberList: requested.map(({ number }) => number) };
}

/** Reads the answer to one subscription: `{validTrackingNumbers, invalidTrackingNumbers}`, or the error of the whole call. */
export function parseSubscribed(outcome: HttpOutcome, requested: readonly Requested[]): SubscribeOutcome[] {
  const text = bodyOrFailure(outcome, 'UPS', [200, 400]);
  if (typeof text !== 'string') return requested.map(() => text);
  const body = parseObject(text);
  if (!body) return requested.map(() => failed('unreadable', 'UPS answered a subscription without a JSON object'));
  const [error] = [...objectsIn(partOf(body, 'response'), 'errors'), ...objectsIn(body, 'errors')];
  const code = error ? codeOf(error, 'code') : '';
  const valid = textsIn(body, 'validTrackingNumbers');
  const invalid = textsIn(body, 'invalidTrackingNumbers');
  return requested.map(({ number }) => {
    const isIn = (numbers: readonly string[]) => numbers.some((each) => isSameNumber(each, number));
    if (isIn(valid)) return { kind: 'subscribed' };
    if (isIn(invalid) || NONE_VALID.includes(code))
      return {
        kind: 'refused',
        message: `UPS sends no callbacks about ${number}: it accepts numbers that begin with 1Z or 1R`,
      };
    return error ? failureOf(error) : failed('unreadable', `UPS answered nothing about ${number}`);
  });
}

function failureOf(error: JsonObject): FailedAnswer {
  const code = codeOf(error, 'code');
  const message = `UPS answered ${code || 'no code'}: ${textOf(error, 'message')}`;
  const known = outcomeOfError(code);
  if (known !== undefined && known !== 'not_found' && concernsProvider(known)) return failed(known, message);
  return failed(SERVER_FAULT.test(code) ? 'transient' : 'unreadable', message);
}

function textsIn(body: JsonObject, key: string): string[] {
  const list = body[key];
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
