import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { EXCEPTION_FAMILY } from '@pts/core/tracking/status';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { isObject, type JsonObject, listIn, objectsIn, oneOrMore, textOf } from '../../http/json.ts';
import { codeTable, type Entry, type Meaning, meaningByTable, type ReadScan } from '../../texts/meaning.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { placeText } from '../../time/place.ts';
import { resolveLocalTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'GLS';
const CARRIER = 'gls';

/**
 * Reads the answer to one `trackids` call: one parcel for each number, with an error of its own or a state and events.
 */
export function parseParcels(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return requested.map(() => read);
  const { parcels } = read.body;
  if (Array.isArray(parcels)) {
    return answersByNumber(requested, oneOrMore(parcels), { provider: TITLE, numbersOf, answerOf });
  }
  const [error = {}] = objectsIn(read.body, 'errors');
  const code = textOf(error, 'errorCode') || textOf(error, 'code');
  if (code === '') return requested.map(() => failed('unreadable', `${TITLE} responded without parcels`));
  return refusedCall(requested, refusal(code, textOf(error, 'errorMessage') || textOf(error, 'message')));
}

function refusal(code: string, message: string): CarrierAnswer {
  const outcome = outcomeOf(code);
  return outcome === 'not_found'
    ? { kind: 'not_found' }
    : failed(outcome, `${TITLE} responded with ${code}: ${message}`);
}

function numbersOf(parcel: JsonObject): string[] {
  return [textOf(parcel, 'requested'), textOf(parcel, 'unitno')];
}

function answerOf(parcel: JsonObject): CarrierAnswer {
  const code = textOf(parcel, 'errorCode');
  if (code !== '') return refusal(code, textOf(parcel, 'errorMessage'));
  const stateAt = textOf(parcel, 'statusDateTime');
  return answerFrom(listIn(parcel, 'events').map(scanOf), TITLE, {
    state: meaningOfState(textOf(parcel, 'status')),
    stateAt,
  });
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'eventDateTime');
  const country = textOf(value, 'country');
  const description = textOf(value, 'description');
  const resolved = resolveLocalTime(timeRaw, CARRIER, country);
  const code = textOf(value, 'code');
  const meaning = meaningOfEvent(code, description) ?? 'silent';
  const place = { locality: textOf(value, 'city'), country };
  const location = placeText(place);
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, place, code };
}

/**
 * The states of a parcel. FINAL means only that no event will follow: its events say whether it was delivered or
 * returned.
 */
export const meaningOfState = codeTable({
  PLANNEDPICKUP: 'info_received',
  INPICKUP: 'info_received',
  PREADVICE: 'info_received',
  INTRANSIT: 'in_transit',
  INWAREHOUSE: 'in_transit',
  INDELIVERY: 'out_for_delivery',
  DELIVERED: 'delivered',
  DELIVEREDPS: 'available_for_pickup', // in a parcel shop
  NOTDELIVERED: 'failed_attempt',
  NOTPICKEDUP: 'exception', // of no kind
  CANCELED: 'cancelled',
});

/** Codes of events are `<step>.<case>`, for example `INTIAL.PREADVICE` [sic]. */
const CODES: readonly Entry[] = [
  ['info_received', /PREADVI|PLANNEDPICKUP|INPICKUP|E48_DATA/i, 'INTIAL.PREADVICE'],
  ['available_for_pickup', /DELIVEREDPS|PARCELSHOP|PARCEL_SHOP/i, 'DELIVEREDPS.NORMAL'],
  ['exception', /NOT_?DEL|NOTPICKEDUP|CANCEL|UNDELIV/i, 'NOTDELIVERED.CLOSED'], // any kind: the text says which
  ['out_for_delivery', /^(?:INDELIVERY|OUTDEL)\b/i, 'INDELIVERY.NORMAL'],
  ['delivered', /^(?:DELIVD|DELIVERED)\b/i, 'DELIVD.NORMAL'],
];

/** The meaning of an event. Its text is more precise than the case of a failed delivery, and may deny a delivery. */
export function meaningOfEvent(code: string, text: string): Meaning | undefined {
  const ofCode = meaningByTable(code, CODES);
  const ofText = meaningOfText(text);
  if (ofCode === undefined || ofText === undefined) return ofCode ?? ofText;
  const isTextFiner =
    (ofCode.status === 'exception' && ofText.course !== undefined) ||
    (ofCode.status === 'delivered' && EXCEPTION_FAMILY.includes(ofText.status));
  return isTextFiner ? ofText : ofCode;
}

/** `errorCode` of one parcel: `E_<HTTP status>_<number>`. */
export function outcomeOf(code: string): Failure | 'not_found' {
  const status = /^E_(\d{3})_/.exec(code)?.[1];
  if (status === '404') return 'not_found';
  if (status === '400') return 'invalid_number';
  if (status === '401' || status === '403') return 'auth';
  return status === '429' ? 'rate_limited' : 'temporary';
}
