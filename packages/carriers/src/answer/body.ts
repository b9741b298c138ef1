import type { IncomingHttpHeaders } from 'node:http';
import type { FailedAnswer, Failure } from '@pts/core/tracking/answer';
import { cleanText } from '@pts/core/tracking/outside-text';
import type { HttpOutcome } from '../http/http.ts';
import { type JsonObject, parseObject } from '../http/json.ts';
import { parseXml, type XmlElement } from '../http/xml.ts';

/** The body that was read, or why the whole call failed. */
export type Body<T> = { kind: 'body'; body: T; status: number } | FailedAnswer;

/** The JSON object of an answer; as `bodyOrFailure`. */
export function jsonBody(outcome: HttpOutcome, provider: string, answers?: readonly number[]): Body<JsonObject> {
  return bodyBy(parseObject, outcome, provider, answers);
}

/** The root element of an XML answer; as `bodyOrFailure`. */
export function xmlBody(outcome: HttpOutcome, provider: string, answers?: readonly number[]): Body<XmlElement> {
  return bodyBy(parseXml, outcome, provider, answers);
}

/**
 * A 200 that cannot be read is `unreadable`. Any other status with such a body does not come from the API: the address
 * is wrong, or something in between is in trouble.
 */
export function bodyBy<T>(
  read: (text: string) => T | null,
  outcome: HttpOutcome,
  provider: string,
  answers: readonly number[] = [200],
): Body<T> {
  const text = bodyOrFailure(outcome, provider, answers);
  if (typeof text !== 'string') return text;
  const status = outcome.kind === 'response' ? outcome.status : 0;
  const body = read(text);
  if (body !== null) return { kind: 'body', body, status };
  if (status === 200) return failed('unreadable', `${provider} answered something that cannot be read`);
  return failed('transient', `${provider} responded with HTTP ${status}`);
}

export function failed(failure: Failure, message: string, retryAfterSeconds?: number): FailedAnswer {
  return {
    kind: 'failed',
    failure,
    message: cleanText(message),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/**
 * The body of an answer, or why the whole call failed: 401 and 403 are `auth`, 429 is `rate_limited` (with the seconds
 * of `Retry-After`), and so is a 403 with a web page; every other status is `transient`.
 * @param answers the statuses with which this API answers; some use 207, or 404 for a number that they do not know.
 */
export function bodyOrFailure(
  outcome: HttpOutcome,
  provider: string,
  answers: readonly number[] = [200],
): string | FailedAnswer {
  if (outcome.kind === 'no_response') {
    const failure = outcome.reason === 'too_large' ? 'unreadable' : 'transient';
    return failed(failure, `${provider} did not answer: ${outcome.reason} (${outcome.detail})`);
  }
  if (answers.includes(outcome.status)) return outcome.text;
  const failure = isBlocked(outcome) ? 'rate_limited' : failureOfStatus(outcome.status);
  return failed(failure, `${provider} responded with HTTP ${outcome.status}`, retryAfter(outcome));
}

/** A 403 with a web page comes from the firewall in front of an API, which blocks addresses with too many calls. */
export function isBlocked({ status, text }: { status: number; text: string }): boolean {
  return status === 403 && /^\s{0,99}<(?:!doctype html|html)/i.test(text);
}

/** The meaning of an HTTP status that is not an answer. */
export function failureOfStatus(status: number): Failure {
  if (status === 429) return 'rate_limited';
  if (status === 401 || status === 403) return 'auth';
  // Not only 5xx: a redirect or a 404 means that the API URL is wrong, and says nothing about a parcel.
  return 'transient';
}

/** `Retry-After` in seconds; a date is compared with the other side's own clock (`Date`). */
function retryAfter({ headers }: { headers: IncomingHttpHeaders }): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const seconds = Math.ceil((Date.parse(value) - Date.parse(headers.date ?? '')) / 1000);
  return seconds >= 0 ? seconds : undefined;
}
