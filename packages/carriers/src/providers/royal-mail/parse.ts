import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../../http.ts';
import { isObject, type JsonObject, oneOrMore, parseObject, textOf } from '../../json.ts';
import { resolveLocalTime } from '../../local-time.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import { answersByNumber, historyOf, type ReadScan, type Result } from '../history.ts';
import type { Asked } from '../manifest.ts';
import { meaningOfCategory, meaningOfEvent, outcomeOf } from './codes.ts';

const TITLE = 'Royal Mail';
const CARRIER = 'royal-mail';

/**
 * Reads the answer to one `mailpieces/{id}/events` call. Times have an offset. A piece is named by its internal id and by the
 * barcode that people know; either may be the number that was asked about.
 */
export function parseEvents(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, TITLE, [200, 400, 404]);
  if (typeof body !== 'string') return asked.map(() => body);
  const status = outcome.kind === 'response' ? outcome.status : 0;
  const answer = parseObject(body);
  if (!answer) return asked.map(() => failed('unreadable', `${TITLE} answered something other than a JSON object`));
  const pieces = oneOrMore(answer.mailPieces);
  if (pieces.length === 0) return asked.map(() => refusal(answer, status));
  return answersByNumber(asked, pieces.map(resultOf), TITLE);
}

function refusal(answer: JsonObject, status: number): CarrierAnswer {
  const [error] = oneOrMore(answer.errors);
  if (!error) return failed('unreadable', `${TITLE} answered without a mail piece`);
  return failureOf(error, status);
}

function failureOf(error: JsonObject, status: number): CarrierAnswer {
  const code = textOf(error, 'errorCode');
  const outcome = outcomeOf(code, status);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `${TITLE} answered ${code}: ${textOf(error, 'errorDescription')}`);
}

function resultOf(piece: JsonObject): Result {
  const summary = isObject(piece.summary) ? piece.summary : {};
  const numbers = [textOf(summary, 'oneDBarcode'), textOf(piece, 'mailPieceId'), textOf(summary, 'uniqueItemId')];
  if (isObject(piece.error)) return { numbers, answer: failureOf(piece.error, 200) };
  const events = Array.isArray(piece.events) ? piece.events : [];
  return { numbers, answer: historyOf(events.map(scanOf), TITLE, meaningOfCategory(textOf(summary, 'statusCategory'))) };
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'eventDateTime');
  const location = textOf(value, 'locationName');
  const description = textOf(value, 'eventName');
  const resolved = resolveLocalTime(timeRaw, CARRIER, location);
  const meaning = meaningOfEvent(textOf(value, 'eventCode'), description) ?? 'unspoken';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
