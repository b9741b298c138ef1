import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../../http.ts';
import { isObject, type JsonObject, objectsIn, oneOrMore, textOf } from '../../json.ts';
import { resolveLocalTime } from '../../local-time.ts';
import { answerFrom, answersByNumber, type ReadScan, type Result, refusedCall } from '../answers.ts';
import { jsonBody } from '../body.ts';
import { failed } from '../failure.ts';
import type { Asked } from '../manifest.ts';
import { meaningOfEvent, meaningOfState, outcomeOf } from './codes.ts';

const TITLE = 'GLS';
const CARRIER = 'gls';

/** Reads the answer to one `trackids` call: one parcel for each number, with an error of its own or a state and events. */
export function parseParcels(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE, [200, 400, 404]);
  if (read.kind === 'failed') return asked.map(() => read);
  const { parcels } = read.body;
  if (Array.isArray(parcels)) return answersByNumber(asked, oneOrMore(parcels).map(resultOf), TITLE);
  const [error = {}] = objectsIn(read.body, 'errors');
  const code = textOf(error, 'errorCode') || textOf(error, 'code');
  if (code === '') return asked.map(() => failed('unreadable', `${TITLE} answered without parcels`));
  return refusedCall(asked, refusal(code, textOf(error, 'errorMessage') || textOf(error, 'message')));
}

function refusal(code: string, message: string): CarrierAnswer {
  const outcome = outcomeOf(code);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${code}: ${message}`);
}

function resultOf(parcel: JsonObject): Result {
  const numbers = [textOf(parcel, 'requested'), textOf(parcel, 'unitno')];
  const code = textOf(parcel, 'errorCode');
  if (code !== '') return { numbers, answer: refusal(code, textOf(parcel, 'errorMessage')) };
  const events = Array.isArray(parcel.events) ? parcel.events : [];
  return {
    numbers,
    answer: answerFrom(events.map(scanOf), TITLE, { ofParcel: meaningOfState(textOf(parcel, 'status')) }),
  };
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'eventDateTime');
  const country = textOf(value, 'country');
  const location = [textOf(value, 'city'), country].filter((part) => part !== '').join(', ');
  const description = textOf(value, 'description');
  const resolved = resolveLocalTime(timeRaw, CARRIER, country);
  const meaning = meaningOfEvent(textOf(value, 'code'), description) ?? 'unspoken';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
