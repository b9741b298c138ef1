import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../../http.ts';
import { codeOf, isObject, type JsonObject, oneOrMore, parseObject, textOf } from '../../json.ts';
import { CHINA, resolveTime } from '../../time-zone.ts';
import { answerFrom, answersByNumber, type ReadScan, type Result, refusedCall } from '../answers.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import type { Asked } from '../manifest.ts';
import { failureOfGateway, meaningOfRoute, outcomeOfMessage } from './codes.ts';

const TITLE = 'SF Express';

/**
 * Reads the answer to one `EXP_RECE_SEARCH_ROUTES` call: an envelope of the gateway with the answer of the service as JSON in a
 * text. No routes: an unknown number, or the phone of somebody else.
 */
export function parseRoutes(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, TITLE);
  if (typeof body !== 'string') return asked.map(() => body);
  const all = (answer: CarrierAnswer) => asked.map(() => answer);
  const envelope = jsonIn(body);
  if (!isObject(envelope)) return all(failed('unreadable', `${TITLE} answered something other than a JSON object`));
  const code = textOf(envelope, 'apiResultCode');
  if (code !== '' && code !== 'A1000') {
    return all(failed(failureOfGateway(code), `${TITLE} answered ${code}: ${textOf(envelope, 'apiErrorMsg')}`));
  }
  // Texts are cut when they are cleaned, so this one is parsed first.
  const data = envelope.apiResultData ?? envelope;
  const answer = parseObject(typeof data === 'string' ? data : JSON.stringify(data));
  return answer ? answersOf(answer, asked) : all(failed('unreadable', `${TITLE} answered without data`));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function answersOf(answer: JsonObject, asked: readonly Asked[]): CarrierAnswer[] {
  const routes = isObject(answer.msgData) ? answer.msgData.routeResps : undefined;
  if (Array.isArray(routes)) return answersByNumber(asked, oneOrMore(routes).map(resultOf), TITLE);
  const message = textOf(answer, 'errorMsg');
  const outcome = answer.success === true ? 'unreadable' : outcomeOfMessage(message);
  if (outcome === 'not_found') return asked.map(() => ({ kind: 'not_found' }));
  const code = codeOf(answer, 'errorCode') || 'no code';
  return refusedCall(asked, failed(outcome, `${TITLE} answered ${code}: ${message}`));
}

function resultOf(result: JsonObject): Result {
  const routes = Array.isArray(result.routes) ? result.routes : [];
  return { numbers: [textOf(result, 'mailNo')], answer: answerFrom(routes.map(scanOf), TITLE) };
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'acceptTime');
  const location = textOf(value, 'acceptAddress');
  const description = textOf(value, 'remark');
  const resolved = resolveTime(timeRaw, CHINA);
  const meaning = meaningOfRoute(codeOf(value, 'opCode'), codeOf(value, 'firstStatusCode'), description);
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
