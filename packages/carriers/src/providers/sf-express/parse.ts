import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { bodyBy } from '../../answer/body.ts';
import { answersByNumber, refusedCall } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import type { HttpOutcome } from '../../http/http.ts';
import {
  codeOf,
  isObject,
  type JsonObject,
  listIn,
  oneOrMore,
  parseObject,
  textOf,
  uncutMember,
} from '../../http/json.ts';
import { CHINA, resolveTime } from '../../time/time-zone.ts';
import type { Requested } from '../manifest.ts';
import { failureOfGateway, meaningOfRoute, outcomeOfMessage } from './codes.ts';

const TITLE = 'SF Express';

/**
 * Reads the answer to one `EXP_RECE_SEARCH_ROUTES` call: an envelope of the gateway with the answer of the service as JSON in a
 * text. No routes: an unknown number, or a phone number that does not belong to it.
 */
export function parseRoutes(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = bodyBy(envelopeIn, outcome, TITLE);
  if (read.kind === 'failed') return requested.map(() => read);
  const { outer, inner } = read.body;
  const code = textOf(outer, 'apiResultCode');
  if (code !== '' && code !== 'A1000') {
    const refused = failed(failureOfGateway(code), `${TITLE} answered ${code}: ${textOf(outer, 'apiErrorMsg')}`);
    return requested.map(() => refused);
  }
  if (inner === null && code !== '') return requested.map(() => failed('unreadable', `${TITLE} answered without data`));
  return answersOf(inner ?? outer, requested);
}

/** The text with the answer would be truncated, so it is used unchanged, and the texts inside are sanitized. */
function envelopeIn(text: string): { outer: JsonObject; inner: JsonObject | null } | null {
  const outer = parseObject(text);
  const data = uncutMember(text, 'apiResultData');
  const inner = typeof data === 'string' ? parseObject(data) : outer?.apiResultData;
  return outer && { outer, inner: isObject(inner) ? inner : null };
}

function answersOf(answer: JsonObject, requested: readonly Requested[]): CarrierAnswer[] {
  const routes = isObject(answer.msgData) ? answer.msgData.routeResps : undefined;
  if (Array.isArray(routes) && routes.length === 0) return requested.map(() => ({ kind: 'not_found' }));
  if (Array.isArray(routes)) {
    return answersByNumber(requested, oneOrMore(routes), {
      provider: TITLE,
      numbersOf: (result) => [textOf(result, 'mailNo')],
      answerOf,
    });
  }
  const message = textOf(answer, 'errorMsg');
  const outcome = answer.success === true ? 'unreadable' : outcomeOfMessage(message);
  if (outcome === 'not_found') return requested.map(() => ({ kind: 'not_found' }));
  const code = codeOf(answer, 'errorCode') || 'no code';
  return refusedCall(requested, failed(outcome, `${TITLE} answered ${code}: ${message}`));
}

function answerOf(result: JsonObject): CarrierAnswer {
  return answerFrom(listIn(result, 'routes').map(scanOf), TITLE);
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'acceptTime');
  const location = textOf(value, 'acceptAddress');
  const description = textOf(value, 'remark');
  const resolved = resolveTime(timeRaw, CHINA);
  const operation = codeOf(value, 'opCode') || codeOf(value, 'opcode');
  const meaning = meaningOfRoute(operation, codeOf(value, 'firstStatusCode'), description);
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
