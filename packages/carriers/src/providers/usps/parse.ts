import type { CarrierAnswer, Found } from '@pts/core/tracking/answer';
import type { ZoneSource } from '@pts/core/tracking/scan';
import { destinationAt } from '../../destination.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http.ts';
import { codeOf, isObject, type JsonObject, objectsIn, parseObject, parseObjects, partOf, textOf } from '../../json.ts';
import { type Place, placeText, resolveTimeAt } from '../../local-time.ts';
import { resolveTime } from '../../time-zone.ts';
import { refusedCall } from '../answers.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import { historyOf, isAbout, type ReadScan } from '../history.ts';
import type { Asked } from '../manifest.ts';
import { meaningOf, outcomeOfError } from './codes.ts';

/** 207: some numbers have an error. 400 and 404: there is one error for all of them. */
const ANSWERS = [200, 207, 400, 404];

/**
 * Reads the answer to one `POST /tracking/v3r2/tracking`: a list with one entry a number, matched by number, not by place. The
 * single object of the older version is read as well.
 */
export function parseTracking(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, 'USPS', ANSWERS);
  if (typeof body !== 'string') return asked.map(() => body);
  const status = outcome.kind === 'response' ? outcome.status : 200;
  const single = parseObject(body);
  const entries = parseObjects(body) ?? (single && [single]);
  if (entries === null) {
    const failure = status === 404 ? 'transient' : 'unreadable';
    return asked.map(() => failed(failure, `USPS answered HTTP ${status} without JSON`));
  }
  if (single && 'error' in single && textOf(single, 'trackingNumber') === '') {
    return refusedCall(asked, refusal(single, status), status);
  }
  return asked.map(({ number }) => {
    const entry = entries.find((each) => isAbout(textOf(each, 'trackingNumber'), number));
    return entry ? answerOf(entry) : failed('unreadable', `USPS did not answer about ${number}`);
  });
}

function answerOf(entry: JsonObject): CarrierAnswer {
  const events = objectsIn(entry, 'trackingEvents');
  if (events.length === 0) {
    return 'error' in entry || 'errors' in entry ? refusal(entry, 200) : { kind: 'not_found' };
  }
  const history = historyOf(events.map(scanOf), 'USPS');
  if (!Array.isArray(history)) return history;
  const [locality, region] = [textOf(entry, 'destinationCity'), textOf(entry, 'destinationState')];
  const destination = destinationAt(locality || region ? { locality, region, country: 'US' } : {});
  const found: Found = { kind: 'found', scans: history, ...destination };
  const estimate = estimateIn(entry);
  if (estimate) found.estimatedDelivery = estimate;
  return found;
}

/** `error` is a text in errors of OAuth, otherwise an object with a list of details. */
function refusal(answer: JsonObject, status: number): CarrierAnswer {
  const error = isObject(answer.error) ? answer.error : answer;
  const [detail = {}] = objectsIn(error, 'errors');
  const code = codeOf(error, 'code') || codeOf(detail, 'status') || codeOf(error, 'status') || String(status);
  const texts = [textOf(answer, 'error'), textOf(answer, 'error_description'), textOf(error, 'message')];
  const text = [...texts, textOf(detail, 'title'), textOf(detail, 'detail')].filter((each) => each !== '').join('; ');
  const outcome = outcomeOfError(code, text);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `USPS answered ${code}: ${text}`);
}

function scanOf(event: JsonObject): ReadScan | null {
  const place: Place = {
    locality: textOf(event, 'eventCity'),
    region: textOf(event, 'eventState'),
    country: textOf(event, 'eventCountry') || (textOf(event, 'eventState') ? 'US' : ''),
  };
  const timeRaw = textOf(event, 'eventTimestamp') || textOf(event, 'GMTTimestamp');
  const resolved = timeOf(event, place);
  if (resolved === null) return null;
  const description = textOf(event, 'eventType');
  const meaning = meaningOf(codeOf(event, 'eventCode').padStart(2, '0'), description);
  return { scan: { ...resolved, timeRaw, location: placeText(place), description }, meaning };
}

/** GMT where the event has it. The other time is local, also when it ends with a Z. */
function timeOf(event: JsonObject, place: Place): { time: string; zoneSource: ZoneSource } | null {
  const gmt = resolveTime(`${textOf(event, 'GMTTimestamp').replace(/Z$/, '')}Z`);
  if (gmt) return gmt;
  const local = textOf(event, 'eventTimestamp').replace(/Z$/, '');
  const ofOffset = resolveTime(local + textOf(event, 'GMTOffset'));
  return ofOffset?.zoneSource === 'carrier' ? ofOffset : resolveTimeAt(local, place, ['US']);
}

function estimateIn(entry: JsonObject) {
  const expectation = partOf(entry, 'deliveryDateExpectation');
  const day = ['predictedDeliveryDate', 'expectedDeliveryDate', 'guaranteedDeliveryDate']
    .map((name) => textOf(expectation, name).slice(0, 10))
    .find((text) => text !== '');
  return estimateOf(day ?? '', '', { region: textOf(entry, 'destinationState'), country: 'US' });
}
