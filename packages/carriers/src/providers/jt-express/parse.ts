import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, listIn, oneOrMore, textOf } from '../../http/json.ts';
import { codeTable, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { resolveTime } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'J&T Express';
export const CARRIER = 'jtexpress-my';
const MALAYSIA = 'Asia/Kuala_Lumpur';
/** `GMT+08:00`, as scans write their zone. */
const OFFSET = /^(?:GMT|UTC)[+-]\d{1,2}(?::\d{2})?$/;

/** Reads the answer to one `logistics/trace` call: a waybill with its scans. All errors have HTTP status 200. */
export function parseTrace(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE);
  if (read.kind === 'failed') return read;
  const code = codeOf(read.body, 'code');
  if (code !== '1') return refusal(code, textOf(read.body, 'msg'));
  return answerByNumber(requested, oneOrMore(read.body.data), {
    provider: TITLE,
    numbersOf: (parcel) => [textOf(parcel, 'billCode')],
    answerOf: historyOf,
    missing: { kind: 'not_found' },
  });
}

function refusal(code: string, message: string): CarrierAnswer {
  const outcome = outcomeOf(code, message);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `${TITLE} responded with ${code || 'without a code'}: ${message}`);
}

export function outcomeOf(code: string, message: string): Failure | 'not_found' {
  if (code === '') return 'unreadable';
  if (code === '999001030') return 'not_found';
  if (code === '145003100') return 'invalid_number';
  // Account, permission and signature; customer code and password.
  if (/^1450030(?:10|12|30|5[1-3])$/.test(code) || /customerCode|password/i.test(message)) return 'auth';
  return /frequent|limit|频繁|限/i.test(message) ? 'rate_limited' : 'temporary';
}

/** The history of a parcel, in answers and in callbacks. */
export function historyOf(parcel: JsonObject): CarrierAnswer {
  return answerFrom(listIn(parcel, 'details').map(scanOf), TITLE);
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'scanTime');
  const zone = textOf(value, 'timeZone');
  const resolved = resolveTime(OFFSET.test(zone) ? `${timeRaw} ${zone}` : timeRaw, MALAYSIA);
  const place = ['scanNetworkArea', 'scanNetworkCity', 'scanNetworkProvince'].map((name) => textOf(value, name));
  const location = place.filter((part) => part !== '').join(', ') || textOf(value, 'scanNetworkName');
  const description = textOf(value, 'desc') || textOf(value, 'scanType');
  const code = codeOf(value, 'scanTypeCode');
  const known = meaningOf(code);
  const isCoarse = known?.status === 'in_transit' || isAnyTrouble(known);
  const meaning = refined(known, isCoarse, description);
  return (
    resolved && {
      scan: { ...resolved, timeRaw, location, description },
      meaning,
      place: { locality: place[1] ?? '', region: place[2] ?? '' },
      code,
    }
  );
}

/** Whether it is trouble of an unknown kind. */
function isAnyTrouble(known: Meaning | undefined): boolean {
  return known?.status === 'exception' && known.problem === undefined && known.course === undefined;
}

/** `scanTypeCode`. */
export const meaningOf = codeTable({
  10: 'in_transit', // picked up
  20: 'in_transit', // departed
  30: 'in_transit', // arrived
  94: 'out_for_delivery',
  100: 'delivered',
  110: 'exception', // a problem, which the text names
  172: 'returning',
  173: 'returned',
  200: 'in_transit', // handed in
  300: 'damaged',
  301: 'lost',
  302: 'exception', // disposed of
  303: 'refused',
  304: 'customs', // confiscated
  305: 'exception', // too old
  306: 'exception', // disposed of abroad
  400: 'in_transit', // collected for customs
  401: 'in_transit', // in customs
  402: 'in_transit', // released
  403: 'in_transit', // handed over by customs
  404: 'in_transit', // received in a bag
  405: 'in_transit', // received at the center
  700: 'available_for_pickup', // at a station
  701: 'available_for_pickup', // the recipient was notified
  702: 'delivered', // taken from the station
  703: 'returning', // taken from the station, because the recipient was not reached
  704: 'returning', // handed over to the courier for that
});
