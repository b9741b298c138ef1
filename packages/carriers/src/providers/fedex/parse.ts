import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { answersByNumber, refusedCall } from '../../answer/by-number.ts';
import { bodyOrFailure, failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { Meaning, ReadScan } from '../../answer/meaning.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { type JsonObject, objectsIn, parseObject, partOf, textOf } from '../../http/json.ts';
import { destinationAt } from '../../time/destination.ts';
import { offsetBeside, type Place, placeText, resolveTimeBeside } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { meaningOf, outcomeOfError } from './codes.ts';

const TITLE = 'FedEx';

/**
 * Reads the answer to one `POST /track/v1/trackingnumbers`: a result for each number, with errors of its own.
 */
export function parseTrackingNumbers(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, TITLE, [200, 400]);
  if (typeof body !== 'string') return requested.map(() => body);
  const answer = parseObject(body);
  const errors = answer ? objectsIn(answer, 'errors') : [];
  const output = answer && partOf(answer, 'output');
  if (!output || !Array.isArray(output.completeTrackResults)) {
    const status = outcome.kind === 'response' ? outcome.status : 0;
    return refusedCall(
      requested,
      refusal(errors[0]) ?? failed('unreadable', `${TITLE} answered without results`),
      status,
    );
  }
  // Several results for one number are different parcels: FedEx reuses numbers.
  const parcels = objectsIn(output, 'completeTrackResults').flatMap((results) =>
    objectsIn(results, 'trackResults').map((result) => ({ number: textOf(results, 'trackingNumber'), result })),
  );
  return answersByNumber(requested, parcels, {
    provider: TITLE,
    numbersOf: ({ number }) => [number],
    answerOf: ({ result }) => answerOf(result),
  });
}

function answerOf(result: JsonObject): CarrierAnswer {
  const events = objectsIn(result, 'scanEvents');
  const offsets = events.map((event) => OFFSET.exec(textOf(event, 'date'))?.[0]);
  const scans = events.map((event, i) => scanOf(event, offsetBeside(offsets, i)));
  const answer = answerFrom(scans, TITLE, {
    state: meaningOfLatest(partOf(result, 'latestStatusDetail')),
    stateAt: timesIn(result).get('ACTUAL_DELIVERY'),
    estimatedDelivery: estimateIn(result),
    ...destinationAt(destinationOf(result)),
  });
  const error = partOf(result, 'error');
  return answer.kind === 'not_found' && textOf(error, 'code') !== '' ? (refusal(error) ?? answer) : answer;
}

function refusal(error: JsonObject | undefined): CarrierAnswer | null {
  if (!error) return null;
  const code = textOf(error, 'code');
  const outcome = outcomeOfError(code);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `${TITLE} answered ${code}: ${textOf(error, 'message')}`);
}

function meaningOfLatest(latest: JsonObject): Meaning | undefined {
  const [code, derived] = [textOf(latest, 'code'), textOf(latest, 'derivedCode')];
  const text = textOf(latest, 'description') || textOf(latest, 'statusByLocale');
  const meaning = code || derived || text ? meaningOf(code, derived, text) : 'informational';
  return meaning === 'informational' ? undefined : meaning;
}

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/;

function scanOf(event: JsonObject, neighbour: string | undefined): ReadScan | null {
  const timeRaw = textOf(event, 'date');
  const place = placeOf(partOf(event, 'scanLocation'));
  const resolved = resolveTimeBeside(timeRaw, place, ['US'], neighbour);
  if (resolved === null) return null;
  const what = textOf(event, 'eventDescription');
  const why = textOf(event, 'exceptionDescription');
  const meaning = meaningOf(textOf(event, 'eventType'), textOf(event, 'derivedStatusCode'), `${what} ${why}`);
  // Other events also carry the reason of an earlier exception.
  const isTrouble = meaning !== 'informational' && meaning.status === 'exception';
  const description = isTrouble && why !== '' && why !== what ? `${what}: ${why}` : what;
  return { scan: { ...resolved, timeRaw, location: placeText(place), description }, meaning };
}

function placeOf(location: JsonObject): Place {
  return {
    locality: textOf(location, 'city'),
    region: textOf(location, 'stateOrProvinceCode'),
    country: textOf(location, 'countryCode'),
  };
}

/** The recipient's address, otherwise the last station. */
function destinationOf(result: JsonObject): Place {
  const recipient = placeOf(partOf(partOf(result, 'recipientInformation'), 'address'));
  if (placeText(recipient) !== '') return recipient;
  const station = partOf(partOf(result, 'destinationLocation'), 'locationContactAndAddress');
  return placeOf(partOf(station, 'address'));
}

function timesIn(result: JsonObject): Map<string, string> {
  return new Map(objectsIn(result, 'dateAndTimes').map((each) => [textOf(each, 'type'), textOf(each, 'dateTime')]));
}

function estimateIn(result: JsonObject) {
  const times = timesIn(result);
  if (times.has('ACTUAL_DELIVERY')) return undefined;
  const window = partOf(partOf(result, 'estimatedDeliveryTimeWindow'), 'window');
  const [begins, ends] = [textOf(window, 'begins'), textOf(window, 'ends')];
  const place = destinationOf(result);
  return estimateOf(begins, ends, place) ?? estimateOf(times.get('ESTIMATED_DELIVERY') ?? '', '', place);
}
