import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { jsonBody } from '../../answer/body.ts';
import { answersByNumber } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, objectsIn, oneOrMore, partOf, textOf } from '../../http/json.ts';
import { destinationAt } from '../../time/destination.ts';
import { resolveLocalTime } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { meaningOfCategory, meaningOfEvent, outcomeOf } from './codes.ts';

const TITLE = 'Royal Mail';
const CARRIER = 'royal-mail';

/**
 * Reads the answer to one `mailpieces/{id}/events` call. Times have an offset. A piece is named by its internal id and by the
 * barcode that people know; either may be the queried number.
 */
export function parseEvents(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return requested.map(() => read);
  const { body: answer, status } = read;
  const pieces = oneOrMore(answer.mailPieces);
  if (pieces.length === 0) return requested.map(() => refusal(answer, status));
  return answersByNumber(requested, pieces, { provider: TITLE, numbersOf, answerOf });
}

function refusal(answer: JsonObject, status: number): CarrierAnswer {
  const [error] = objectsIn(answer, 'errors');
  const stated = Number(codeOf(answer, 'httpCode') || status);
  if (error) return failureOf(error, stated);
  if (stated === 200) return failed('unreadable', `${TITLE} answered without a mail piece`);
  const said = [textOf(answer, 'httpMessage'), textOf(answer, 'moreInformation')].filter((text) => text !== '');
  return failureOf({ errorCode: String(stated), errorDescription: said.join(': ') }, stated);
}

function failureOf(error: JsonObject, status: number): CarrierAnswer {
  const code = textOf(error, 'errorCode');
  const outcome = outcomeOf(code, status);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `${TITLE} answered ${code}: ${textOf(error, 'errorDescription')}`);
}

function numbersOf(piece: JsonObject): string[] {
  const summary = partOf(piece, 'summary');
  return [textOf(summary, 'oneDBarcode'), textOf(piece, 'mailPieceId'), textOf(summary, 'uniqueItemId')];
}

function answerOf(piece: JsonObject): CarrierAnswer {
  if (isObject(piece.error)) return failureOf(piece.error, Number(codeOf(piece, 'status') || 200));
  const summary = partOf(piece, 'summary');
  const listed = listIn(piece, 'events');
  const events = listed.length > 0 ? listed : lastEventIn(summary);
  const country = textOf(summary, 'destinationCountryName') || textOf(summary, 'destinationCountryCode');
  return answerFrom(events.map(scanOf), TITLE, {
    state: meaningOfCategory(textOf(summary, 'statusCategory')),
    stateAt: textOf(summary, 'lastEventDateTime'),
    estimatedDelivery: estimateIn(partOf(piece, 'estimatedDelivery')),
    ...destinationAt({ country }),
  });
}

/** The newest event, which is all that summaries have. */
function lastEventIn(summary: JsonObject): JsonObject[] {
  if (textOf(summary, 'lastEventDateTime') === '') return [];
  return [
    {
      eventCode: summary.lastEventCode,
      eventName: summary.lastEventName,
      eventDateTime: summary.lastEventDateTime,
      locationName: summary.lastEventLocationName,
    },
  ];
}

/** A day, and on it the window of the round (`08:00:00+01:00`). */
function estimateIn(estimate: JsonObject) {
  const [date, from, to] = ['date', 'startOfEstimatedWindow', 'endOfEstimatedWindow'].map((name) =>
    textOf(estimate, name),
  );
  const at = (time: string | undefined) => (time ? `${date}T${time}` : (date ?? ''));
  return date ? estimateOf(at(from), at(to), { country: 'GB' }) : undefined;
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'eventDateTime');
  const location = textOf(value, 'locationName');
  const description = textOf(value, 'eventName');
  const resolved = resolveLocalTime(timeRaw, CARRIER, location);
  const meaning = meaningOfEvent(textOf(value, 'eventCode'), description) ?? 'silent';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
