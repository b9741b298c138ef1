import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, objectsIn, oneOrMore, partOf, textOf } from '../../http/json.ts';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { destinationAt } from '../../time/place.ts';
import { estimateOf, resolveLocalTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Royal Mail';
const CARRIER = 'royal-mail';

/**
 * Reads the answer to one `mailpieces/{id}/events` call. Times have an offset. A piece is named by its internal id and
 * by the barcode that people know; either may be the queried number.
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
  if (stated === 200) return failed('unreadable', `${TITLE} responded without a mail piece`);
  const texts = [textOf(answer, 'httpMessage'), textOf(answer, 'moreInformation')].filter((text) => text !== '');
  return failureOf({ errorCode: String(stated), errorDescription: texts.join(': ') }, stated);
}

function failureOf(error: JsonObject, status: number): CarrierAnswer {
  const code = textOf(error, 'errorCode');
  const outcome = outcomeOf(code, status);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `${TITLE} responded with ${code}: ${textOf(error, 'errorDescription')}`);
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
    proof: statedProof({ signedBy: textOf(partOf(piece, 'signature'), 'recipientName') }),
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
  const code = textOf(value, 'eventCode');
  const meaning = meaningOfEvent(code, description) ?? 'silent';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, code };
}

/** Event codes whose names are vague or misleading. */
const meaningOfCode = codeTable({
  EVOCO: 'in_transit', // received, being processed for delivery
  EVPPA: 'in_transit', // accepted at a post office
  EVDAC: 'in_transit',
  EVDAV: 'in_transit',
  EVGMI: 'in_transit',
  EVGPD: 'out_for_delivery', // handed to the postman
  EVNMI: 'in_transit', // forwarded after a mis-sort
  EVNRT: 'held',
  EVKSP: 'delivered', // signed
  EVKOP: 'delivered',
  EVKSF: 'delivered', // left in the safeplace
});

/** Codes that are used for more than one step: their name decides. */
const COARSE: ReadonlySet<string> = new Set(['EVGPD', 'EVNRT', 'EVDAC', 'EVDAV', 'EVGMI']);

export function meaningOfEvent(code: string, name: string): Meaning | undefined {
  const known = meaningOfCode(code);
  if (known !== undefined && !COARSE.has(code)) return known;
  return meaningOfText(name) ?? known;
}

/** `statusCategory` of the summary. Categories that only say that the item moves are left out. */
export const meaningOfCategory = codeTable({
  'SENDER PREPARING ITEM': 'info_received',
  'SENDER DESPATCHING ITEM': 'info_received',
  'DUE TODAY': 'out_for_delivery',
  'OUT FOR DELIVERY': 'out_for_delivery',
  'READY FOR DELIVERY': 'out_for_delivery',
  'READY FOR COLLECTION': 'available_for_pickup',
  'AVAILABLE FOR COLLECTION': 'available_for_pickup',
  DELIVERED: 'delivered',
  'DELIVERED TO NEIGHBOUR': 'delivered',
  'DELIVERED TO YOUR NEIGHBOUR': 'delivered',
  'DELIVERED TO YOUR SAFEPLACE': 'delivered',
  COLLECTED: 'delivered',
  'DELIVERY ATTEMPTED': 'failed_attempt',
  'ATTEMPTED DELIVERY': 'failed_attempt',
  'ACTION REQUIRED': 'exception', // any kind
  'ITEM RETAINED': 'held',
  CANCELLED: 'cancelled',
  'UNABLE TO DELIVER': 'undeliverable', // any kind
  REFUSED,
  'ITEM REFUSED': REFUSED,
  'RETURN TO SENDER': GOING_BACK,
  'RETURNING TO SENDER': GOING_BACK,
  'RETURNED TO SENDER': 'returned',
});

/** Errors of a number. E1142: not recognised, as a new one is too. */
const OUTCOME_OF_ERROR = new Map<string, Failure | 'not_found'>([
  ['E1142', 'not_found'],
  ['E1143', 'invalid_number'],
  ['E1144', 'invalid_number'],
  ['E0004', 'auth'], // headers of the call: the same for every number
  ['E0010', 'rate_limited'],
  ['E0016', 'auth'],
]);

/**
 * An error's meaning; the HTTP status decides if its code is unknown. A 400 may also be about the headers of the call.
 */
export function outcomeOf(code: string, status: number): Failure | 'not_found' {
  const known = OUTCOME_OF_ERROR.get(code);
  if (known) return known;
  if (status === 404) return 'not_found';
  if (status === 401 || status === 403) return 'auth';
  return status === 429 ? 'rate_limited' : 'temporary';
}
