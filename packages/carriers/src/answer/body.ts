import type { FailedAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../http/http.ts';
import { type JsonObject, parseObject } from '../http/json.ts';
import { parseXml, type XmlElement } from '../http/xml.ts';
import { bodyOrFailure, failed } from './failure.ts';

/** What was read, or why the whole call failed. */
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
 * A 200 that cannot be read is `unreadable`. Any other status with such a body does not come from the API: the address is wrong,
 * or something in between is in trouble.
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
  return failed('transient', `${provider} answered HTTP ${status}`);
}
