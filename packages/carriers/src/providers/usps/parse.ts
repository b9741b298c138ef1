import { toUtcSeconds } from '@pts/core/time';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { answersByNumber, refusedCall } from '../../answer/by-number.ts';
import { bodyOrFailure, failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import { estimateOf } from '../../estimate.ts';
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
import { destinationAt } from '../../time/destination.ts';
import { offsetBeside, type Place, placeText, resolveTimeBeside } from '../../time/local-time.ts';
import { type ResolvedTime, resolveTime } from '../../time/time-zone.ts';
import type { Requested } from '../manifest.ts';
import { meaningOf, outcomeOfError } from './codes.ts';

const TITLE = 'USPS';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** 207: some numbers have an error. 400 and 404: there is one error for all of them. */
const ANSWERS = [200, 207, 400, 404];

/**
 * Reads the answer to one `POST /tracking/v3r2/tracking`: a list with one entry per number, matched by number, not by position.
 * The single object of the older version is read as well.
 */
export function parseTracking(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, TITLE, ANSWERS);
  if (typeof body !== 'string') return requested.map(() => body);
  const status = outcome.kind === 'response' ? outcome.status : 200;
  const single = parseObject(body);
  const entries = parseObjects(body) ?? (single && [single]);
  if (entries === null) {
    const failure = status === 404 ? 'transient' : 'unreadable';
    return requested.map(() => failed(failure, `${TITLE} answered HTTP ${status} without JSON`));
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
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${code}: ${text}`);
}

function scanOf(event: JsonObject, neighborOffset: string | undefined): ReadScan | null {
  const place: Place = {
    locality: textOf(event, 'eventCity'),
    region: textOf(event, 'eventState'),
    country: textOf(event, 'eventCountry') || (textOf(event, 'eventState') ? 'US' : ''),
  };
  const timeRaw = textOf(event, 'eventTimestamp') || textOf(event, 'GMTTimestamp');
  const resolved = timeOf(event, place, neighborOffset);
  if (resolved === null) return null;
  const description = textOf(event, 'eventType');
  const meaning = meaningOf(codeOf(event, 'eventCode').padStart(2, '0'), description);
  return { scan: { ...resolved, timeRaw, location: placeText(place), description }, meaning };
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
