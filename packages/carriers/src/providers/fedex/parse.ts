import type { CarrierAnswer, Found } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import type { ScanStatus } from '@pts/core/tracking/status';
import { destinationAt } from '../../destination.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http.ts';
import { type JsonObject, objectsIn, parseObject, partOf, textOf } from '../../json.ts';
import { offsetBeside, type Place, placeText, resolveTimeBeside } from '../../local-time.ts';
import { refusedCall } from '../answers.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import { historyOf, isAbout, type ReadScan } from '../history.ts';
import type { Asked } from '../manifest.ts';
import { meaningOf, outcomeOfError } from './codes.ts';

/**
 * Reads the answer to one `POST /track/v1/trackingnumbers`: a result for each number, with errors of its own. Several results
 * for one number are different parcels: FedEx reuses numbers. The one with the newest scan counts.
 */
export function parseTrackingNumbers(outcome: HttpOutcome, asked: readonly Asked[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, 'FedEx', [200, 400]);
  if (typeof body !== 'string') return asked.map(() => body);
  const answer = parseObject(body);
  const errors = answer ? objectsIn(answer, 'errors') : [];
  const output = answer && partOf(answer, 'output');
  if (!output || !Array.isArray(output.completeTrackResults)) {
    const status = outcome.kind === 'response' ? outcome.status : 0;
    return refusedCall(asked, refusal(errors[0]) ?? failed('unreadable', 'FedEx answered without results'), status);
  }
  const results = objectsIn(output, 'completeTrackResults');
  return asked.map(({ number }) => {
    const own = results.filter((result) => isAbout(textOf(result, 'trackingNumber'), number));
    return own.length > 0 ? answerOf(own) : failed('unreadable', `FedEx did not answer about ${number}`);
  });
}

function answerOf(results: readonly JsonObject[]): CarrierAnswer {
  const parcels = results.flatMap((result) => objectsIn(result, 'trackResults')).map(readParcel);
  const newest = parcels
    .filter(({ scans }) => scans.length > 0)
    .toSorted((a, b) => newestTime(b).localeCompare(newestTime(a)))[0];
  if (newest) return found(newest);
  const [status] = parcels.flatMap(({ result }) => statusOfLatest(partOf(result, 'latestStatusDetail')) ?? []);
  if (status) return { kind: 'found', scans: [], parcelStatus: status };
  const [error] = parcels.map(({ result }) => partOf(result, 'error')).filter((each) => textOf(each, 'code') !== '');
  return refusal(error) ?? { kind: 'not_found' };
}

function refusal(error: JsonObject | undefined): CarrierAnswer | null {
  if (!error) return null;
  const code = textOf(error, 'code');
  const outcome = outcomeOfError(code);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `FedEx answered ${code}: ${textOf(error, 'message')}`);
}

/** What is known about a parcel without scans. */
function statusOfLatest(latest: JsonObject): ScanStatus | undefined {
  const [code, derived] = [textOf(latest, 'code'), textOf(latest, 'derivedCode')];
  const text = textOf(latest, 'description') || textOf(latest, 'statusByLocale');
  return code || derived || text ? meaningOf(code, derived, text)?.status : undefined;
}

type Parcel = { result: JsonObject; scans: (ReadScan | null)[] };

function readParcel(result: JsonObject): Parcel {
  const events = objectsIn(result, 'scanEvents');
  const offsets = events.map((event) => OFFSET.exec(textOf(event, 'date'))?.[0]);
  return { result, scans: events.map((event, i) => scanOf(event, offsetBeside(offsets, i))) };
}

function newestTime({ scans }: Parcel): string {
  return scans.map((each) => each?.scan.time ?? '').reduce((best, next) => (next > best ? next : best), '');
}

function found({ result, scans }: Parcel): CarrierAnswer {
  const history = historyOf(scans, 'FedEx');
  if (!Array.isArray(history)) return history;
  const latest = statusOfLatest(partOf(result, 'latestStatusDetail'));
  const answer: Found = { kind: 'found', scans: withLatest(history, latest), ...destinationAt(destinationOf(result)) };
  const estimate = estimateIn(result);
  if (estimate) answer.estimatedDelivery = estimate;
  return answer;
}

/** If only the announcement is listed, more may be known about the parcel. */
function withLatest(scans: Scan[], latest: ScanStatus | undefined): Scan[] {
  const newest = scans.at(-1);
  if (newest?.status !== 'info_received' || latest === undefined || latest === 'info_received') return scans;
  return [...scans.slice(0, -1), { ...newest, status: latest, ownStatus: newest.status }];
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
  const description = meaning?.status === 'exception' && why !== '' && why !== what ? `${what}: ${why}` : what;
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

function estimateIn(result: JsonObject) {
  const times = new Map(
    objectsIn(result, 'dateAndTimes').map((each) => [textOf(each, 'type'), textOf(each, 'dateTime')]),
  );
  if (times.has('ACTUAL_DELIVERY')) return undefined;
  const window = partOf(partOf(result, 'estimatedDeliveryTimeWindow'), 'window');
  const [begins, ends] = [textOf(window, 'begins'), textOf(window, 'ends')];
  const place = destinationOf(result);
  return estimateOf(begins, ends, place) ?? estimateOf(times.get('ESTIMATED_DELIVERY') ?? '', '', place);
}
