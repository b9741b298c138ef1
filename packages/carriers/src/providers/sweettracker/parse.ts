import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { failed, failureOfStatus, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, textOf } from '../../http/json.ts';
import { codeTable, type ReadScan } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { resolveTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'SweetTracker';
const KOREA = 'Asia/Seoul';

/** Our codes and theirs (`companylist`). */
export const COMPANIES: Readonly<Record<string, string>> = {
  'korea-post': '01',
  'cj-logistics': '04',
  hanjin: '05',
  logen: '06',
  lotte: '08',
  daesin: '22',
};

/**
 * Reads the answer to one `trackingInfo` call: a parcel with its steps, or an error. Of a parcel that its carrier does
 * not know yet, there are no steps, and the level is 0.
 */
export function parseTrackingInfo(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE, [200, 404, 500]);
  if (read.kind === 'failed') return read;
  const { body: parcel, status } = read;
  const code = codeOf(parcel, 'code');
  if (parcel.status === false || (code !== '' && !Array.isArray(parcel.trackingDetails))) return refusal(parcel, code);
  if (status !== 200) return failed(failureOfStatus(status), `${TITLE} responded with HTTP ${status}`);
  if (textOf(parcel, 'invoiceNo') === '') return failed('unreadable', `${TITLE} responded without a parcel`);
  return answerByNumber(requested, [parcel], {
    provider: TITLE,
    numbersOf: () => [textOf(parcel, 'invoiceNo')],
    answerOf,
  });
}

function refusal(parcel: JsonObject, code: string): CarrierAnswer {
  const outcome = outcomeOf(code);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `${TITLE} responded with ${code || 'without a code'}: ${textOf(parcel, 'msg')}`);
}

/** Errors by their codes. A number that the carrier does not know yet is called invalid as well (104). */
const OUTCOMES = new Map<string, Failure | 'not_found'>([
  ['101', 'auth'], // no such key
  ['102', 'auth'], // it has expired
  ['103', 'quota'], // used up
  ['104', 'not_found'],
  ['105', 'temporary'], // the number was queried too often today
  ['106', 'temporary'], // the carrier did not answer
]);

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOMES.get(code) ?? 'temporary';
}

function answerOf(parcel: JsonObject): CarrierAnswer {
  const isComplete = parcel.complete === true || textOf(parcel, 'completeYN') === 'Y';
  return answerFrom(listIn(parcel, 'trackingDetails').map(scanOf), TITLE, {
    state: isComplete ? { status: 'delivered' } : meaningOf(codeOf(parcel, 'level')),
  });
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'timeString').trim();
  // The same time in milliseconds, where it has no text.
  const instant = Number(codeOf(value, 'time'));
  const stated = timeRaw === '' && instant > 1e12 && instant < 1e13 ? new Date(instant).toISOString() : timeRaw;
  const resolved = resolveTime(stated, KOREA, 'location');
  const location = textOf(value, 'where');
  const description = textOf(value, 'kind');
  const code = codeOf(value, 'level');
  const known = meaningOf(code);
  const meaning = refined(known, known?.status === 'in_transit' || known?.status === 'info_received', description);
  return resolved && { scan: { ...resolved, timeRaw: stated, location, description }, meaning, code };
}

/** The levels of a parcel and of its steps. */
export const meaningOf = codeTable({
  1: 'info_received', // being prepared
  2: 'in_transit', // collected
  3: 'in_transit',
  4: 'in_transit', // at the branch
  5: 'out_for_delivery',
  6: 'delivered',
});
