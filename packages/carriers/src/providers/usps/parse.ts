import { toUtcSeconds } from '@pts/core/time';
import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { bodyOrFailure, failed } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import {
  codeOf,
  isObject,
  type JsonObject,
  objectsIn,
  parseObject,
  parseObjects,
  partOf,
  textOf,
} from '../../http/json.ts';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan, undeliverable } from '../../texts/meaning.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { destinationAt, type Place, placeText } from '../../time/place.ts';
import { estimateOf, offsetBeside, type ResolvedTime, resolveTime, resolveTimeBeside } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'USPS';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** 207: some numbers have an error. 400 and 404: there is one error for all of them. */
const ANSWERS = [200, 207, 400, 404];

/**
 * Reads the answer to one `POST /tracking/v3r2/tracking`: a list with one entry per number, matched by number, not by
 * position. The single object of the older version is read as well.
 */
export function parseTracking(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, TITLE, ANSWERS);
  if (typeof body !== 'string') return requested.map(() => body);
  const status = outcome.kind === 'response' ? outcome.status : 200;
  const single = parseObject(body);
  const entries = parseObjects(body) ?? (single && [single]);
  if (entries === null) {
    const failure = status === 404 ? 'transient' : 'unreadable';
    return requested.map(() => failed(failure, `${TITLE} responded with HTTP ${status} without JSON`));
  }
  if (single && 'error' in single && textOf(single, 'trackingNumber') === '') {
    return refusedCall(requested, refusal(single, status), status);
  }
  return answersByNumber(requested, entries, {
    provider: TITLE,
    numbersOf: (entry) => [textOf(entry, 'trackingNumber')],
    answerOf,
  });
}

function answerOf(entry: JsonObject): CarrierAnswer {
  const events = objectsIn(entry, 'trackingEvents');
  if (events.length === 0) {
    return 'error' in entry || 'errors' in entry ? refusal(entry, 200) : { kind: 'not_found' };
  }
  const offsets = events.map((event) => textOf(event, 'GMTOffset') || undefined);
  const [locality, region] = [textOf(entry, 'destinationCity'), textOf(entry, 'destinationState')];
  return answerFrom(
    events.map((event, i) => scanOf(event, offsetBeside(offsets, i))),
    TITLE,
    {
      estimatedDelivery: estimateIn(entry),
      ...destinationAt(locality || region ? { locality, region, country: 'US' } : {}),
    },
  );
}

/** `error` is a text in errors of OAuth, otherwise an object with a list of details. */
function refusal(answer: JsonObject, status: number): CarrierAnswer {
  const error = isObject(answer.error) ? answer.error : answer;
  const [detail = {}] = objectsIn(error, 'errors');
  const code = codeOf(error, 'code') || codeOf(detail, 'status') || codeOf(error, 'status') || String(status);
  const texts = [textOf(answer, 'error'), textOf(answer, 'error_description'), textOf(error, 'message')];
  const text = [...texts, textOf(detail, 'title'), textOf(detail, 'detail')].filter((each) => each !== '').join('; ');
  const outcome = outcomeOfError(code, text);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} responded with ${code}: ${text}`);
}

function scanOf(event: JsonObject, neighborOffset: string | undefined): ReadScan | null {
  const place: Place = {
    locality: textOf(event, 'eventCity'),
    region: textOf(event, 'eventState'),
    country: textOf(event, 'eventCountry') || (textOf(event, 'eventState') ? 'US' : ''),
    postalCode: textOf(event, 'eventZIP'),
  };
  const timeRaw = textOf(event, 'eventTimestamp') || textOf(event, 'GMTTimestamp');
  const resolved = timeOf(event, place, neighborOffset);
  if (resolved === null) return null;
  const description = textOf(event, 'eventType');
  const code = codeOf(event, 'eventCode').padStart(2, '0');
  const meaning = meaningOf(code, description);
  return { scan: { ...resolved, timeRaw, location: placeText(place), description }, meaning, place, code };
}

/** GMT if the event has it. The other time is local, even if it ends with a Z. */
function timeOf(event: JsonObject, place: Place, neighborOffset: string | undefined): ResolvedTime | null {
  const gmt = resolveTime(`${textOf(event, 'GMTTimestamp').replace(/Z$/, '')}Z`);
  const local = textOf(event, 'eventTimestamp').replace(/Z$/, '');
  const stated = resolveTime(local + textOf(event, 'GMTOffset'));
  const ofOffset = stated?.zoneSource === 'carrier' ? stated : null;
  if (gmt) return ofOffset ? onItsDay(gmt, ofOffset.time) : gmt;
  return ofOffset ?? resolveTimeBeside(local, place, ['US'], neighborOffset);
}

/** In the evening, `GMTTimestamp` may have the hours of GMT on the local day: a whole day off. */
function onItsDay(gmt: ResolvedTime, expected: string): ResolvedTime {
  const [ms, days] = [Date.parse(gmt.time), (Date.parse(expected) - Date.parse(gmt.time)) / DAY_MS];
  const isDayOff = Math.abs(Math.abs(days) - 1) < HOUR_MS / DAY_MS;
  return isDayOff ? { ...gmt, time: toUtcSeconds(new Date(ms + Math.sign(days) * DAY_MS)) } : gmt;
}

function estimateIn(entry: JsonObject) {
  const expectation = partOf(entry, 'deliveryDateExpectation');
  const day = ['predictedDeliveryDate', 'expectedDeliveryDate', 'guaranteedDeliveryDate']
    .map((name) => textOf(expectation, name).slice(0, 10))
    .find((text) => text !== '');
  return estimateOf(day ?? '', '', { region: textOf(entry, 'destinationState'), country: 'US' });
}

/** `eventCode`: those that mean one thing. */
const meaningOfCode = codeTable({
  GX: 'info_received', // label created
  MA: 'info_received', // data sent to USPS
  GA: 'info_received',
  '03': 'in_transit', // in possession of USPS
  '06': 'in_transit', // forwarded
  '07': 'in_transit', // arrived at the unit that delivers
  '10': 'in_transit', // processed
  '41': 'in_transit',
  '42': 'in_transit',
  '43': 'in_transit',
  '80': 'in_transit',
  '81': 'in_transit',
  '82': 'in_transit',
  A1: 'in_transit', // arrived at a facility
  L1: 'in_transit',
  NT: 'in_transit', // on the way to the next facility
  PC: 'in_transit',
  SF: 'in_transit', // departed
  T1: 'in_transit',
  TM: 'in_transit',
  U1: 'in_transit',
  UA: 'in_transit',
  OF: 'out_for_delivery',
  DG: 'out_for_delivery',
  '14': 'available_for_pickup', // arrived at a pickup point
  '16': 'available_for_pickup',
  '17': 'in_transit', // tendered to an agent, who delivers it
  '34': 'available_for_pickup', // picked up by an agent
  '01': 'delivered', // also to the sender, or to an agent who delivers it: the text says so
  '02': 'failed_attempt', // notice left
  '08': 'exception', // missent
  '15': 'exception', // mis-shipped
  '44': 'exception', // any kind
  '51': 'recipient_unavailable', // business closed
  '52': 'exception', // any kind
  '53': 'failed_attempt', // receptacle full
  '54': 'exception', // any kind
  '55': 'exception', // any kind
  '56': 'exception', // any kind
  '57': 'exception', // any kind
  '04': REFUSED, // refused
  '05': undeliverable('address'), // undeliverable as addressed
  '11': 'undeliverable', // dead mail
  '21': undeliverable('address'), // no such number
  '22': undeliverable('address'), // insufficient address
  '23': undeliverable('address'), // moved, left no address
  '24': undeliverable('address'), // forwarding expired
  '25': undeliverable('address'), // addressee unknown
  '26': undeliverable('address'), // vacant
  '27': undeliverable('recipient_unavailable'), // unclaimed
  '28': 'undeliverable', // deceased
  '09': GOING_BACK, // return to sender
  '29': GOING_BACK,
  '31': GOING_BACK,
});

/** The meaning of an event by its code if it is known, otherwise by its text. */
function meaningOf(code: string, text: string): Meaning {
  const ofCode = meaningOfCode(code);
  const ofText = meaningOfText(text);
  if (code === '01') return ofText && ofText !== REFUSED ? ofText : { status: 'delivered' };
  return ofCode ?? ofText ?? { status: 'in_transit' };
}

/** An error's meaning for a number or a call. Its texts say more than its codes. */
const OUTCOME_OF_ERROR: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/not available|not (?:be )?found|no record|not yet (?:available|in the system)|could not locate/i, 'not_found'],
  [/scope|oauth|token|credential|not authori[sz]ed|unauthori[sz]ed|identifier is invalid|invalid_client/i, 'auth'],
  [/too many|rate limit|quota/i, 'rate_limited'],
  // The whole call has another form than USPS expects.
  [/OASValidation(?!.{0,999}tracking ?number)/i, 'temporary'],
  [/invalid|incorrect|not valid|format|length|pattern|check digit|duplicate/i, 'invalid_number'],
];

function outcomeOfError(code: string, text: string): Failure | 'not_found' {
  const ofText = OUTCOME_OF_ERROR.find(([pattern]) => pattern.test(text))?.[1];
  if (ofText !== undefined) return ofText;
  return code === '404' ? 'not_found' : code === '401' || code === '403' ? 'auth' : 'temporary';
}
