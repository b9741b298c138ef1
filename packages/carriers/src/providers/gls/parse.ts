import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { jsonBody } from '../../answer/body.ts';
import { answersByNumber, refusedCall } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { isObject, type JsonObject, listIn, objectsIn, oneOrMore, textOf } from '../../http/json.ts';
import { resolveLocalTime } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { meaningOfEvent, meaningOfState, outcomeOf } from './codes.ts';

const TITLE = 'GLS';
const CARRIER = 'gls';

/** Reads the answer to one `trackids` call: one parcel for each number, with an error of its own or a state and events. */
export function parseParcels(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return requested.map(() => read);
  const { parcels } = read.body;
  if (Array.isArray(parcels)) {
    return answersByNumber(requested, oneOrMore(parcels), { provider: TITLE, numbersOf, answerOf });
  }
  const [error = {}] = objectsIn(read.body, 'errors');
  const code = textOf(error, 'errorCode') || textOf(error, 'code');
  if (code === '') return requested.map(() => failed('unreadable', `${TITLE} answered without parcels`));
  return refusedCall(requested, refusal(code, textOf(error, 'errorMessage') || textOf(error, 'message')));
}

function refusal(code: string, message: string): CarrierAnswer {
  const outcome = outcomeOf(code);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${code}: ${message}`);
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
  const location = [textOf(value, 'city'), country].filter((part) => part !== '').join(', ');
  const description = textOf(value, 'description');
  const resolved = resolveLocalTime(timeRaw, CARRIER, country);
  const meaning = meaningOfEvent(textOf(value, 'code'), description) ?? 'silent';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
