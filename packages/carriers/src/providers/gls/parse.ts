import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../../http.ts';
import { isObject, type JsonObject, objectsIn, parseObject, textOf } from '../../json.ts';
import { resolveLocalTime } from '../../local-time.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import { answersByNumber, historyOf, type ReadScan, type Result } from '../history.ts';
import type { Asked } from '../manifest.ts';
import { meaningOfEvent, meaningOfState, outcomeOf } from './codes.ts';

const TITLE = 'GLS';
const CARRIER = 'gls';

/** Reads the answer to one `trackids` call: one parcel for each number, with an error of its own or a state and events. */
export function parseParcels(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, TITLE, [200, 400, 404]);
  if (typeof body !== 'string') return asked.map(() => body);
  const answer = parseObject(body);
  if (answer && Array.isArray(answer.parcels)) {
    return answersByNumber(asked, objectsIn(answer.parcels).map(resultOf), TITLE);
  }
  const [error] = objectsIn(answer?.errors);
  const code = textOf(error ?? {}, 'errorCode') || textOf(error ?? {}, 'code');
  if (code === '') return asked.map(() => failed('unreadable', `${TITLE} answered without parcels`));
  return asked.map(() => refusal(code, textOf(error ?? {}, 'errorMessage') || textOf(error ?? {}, 'message')));
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
  return { numbers, answer: historyOf(events.map(scanOf), TITLE, meaningOfState(textOf(parcel, 'status'))) };
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
