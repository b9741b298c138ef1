import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, type JsonObject, listIn, objectsIn, oneOrMore, textOf } from '../../http/json.ts';
import { codeTable, type ReadScan } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { resolveLocalTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Aramex';
const CARRIER = 'aramex';
/** `/Date(1718900000000+0300)/`: milliseconds in UTC, and the offset of the place. */
const WCF_DATE = /^\/Date\((\d{1,13})(?:[+-]\d{4})?\)\/$/;

/**
 * Reads the answer to one `TrackShipments` call: the updates of each waybill, by its number (`[{Key, Value}]`), and the
 * waybills that do not exist.
 */
export function parseTrackShipments(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE);
  if (read.kind === 'failed') return requested.map(() => read);
  const { body } = read;
  if (body.HasErrors === true) return refusedCall(requested, refusal(body));
  if (!Array.isArray(body.TrackingResults)) {
    return requested.map(() => failed('unreadable', `${TITLE} responded without results`));
  }
  const unknown = listIn(body, 'NonExistingWaybills').filter((number) => typeof number === 'string');
  const parcels = [
    ...oneOrMore(body.TrackingResults).map((result) => ({ number: codeOf(result, 'Key'), updates: result.Value })),
    ...unknown.map((number) => ({ number, updates: [] })),
  ];
  return answersByNumber(requested, parcels, {
    provider: TITLE,
    numbersOf: ({ number }) => [number],
    answerOf: ({ updates }) => answerFrom(oneOrMore(updates).map(scanOf), TITLE),
  });
}

function refusal(body: JsonObject): CarrierAnswer {
  const [notification = {}] = objectsIn(body, 'Notifications');
  const reason = `${codeOf(notification, 'Code')}: ${textOf(notification, 'Message')}`;
  return failed(failureOf(reason), `${TITLE} answered ${reason}`);
}

/** Errors of a call, by their texts: their codes are not published. */
export function failureOf(reason: string): Failure {
  if (/user ?name|password|credential|account|pin\b|entity|authenticat|authori[sz]|client ?info/i.test(reason))
    return 'auth';
  return /waybill|shipment number|invalid/i.test(reason) ? 'invalid_number' : 'temporary';
}

function scanOf(update: JsonObject): ReadScan | null {
  const timeRaw = textOf(update, 'UpdateDateTime');
  const ms = WCF_DATE.exec(timeRaw)?.[1];
  const location = textOf(update, 'UpdateLocation');
  const resolved = resolveLocalTime(ms === undefined ? timeRaw : new Date(Number(ms)).toISOString(), CARRIER, location);
  const what = textOf(update, 'UpdateDescription');
  const comments = textOf(update, 'Comments');
  const description = comments === '' || comments === what ? what : `${what}: ${comments}`;
  const known = meaningOf(textOf(update, 'UpdateCode'));
  const meaning = refined(known, known?.problem === 'failed_attempt', description);
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}

/** The codes that are the same in all regions; of the others, the text decides. */
export const meaningOf = codeTable({
  SH003: 'out_for_delivery',
  SH005: 'delivered',
  SH006: 'delivered', // collected by the recipient
  SH014: 'info_received', // record created
  SH033: 'failed_attempt',
  SH069: 'returned',
});
