import type { CarrierAnswer, FailedAnswer } from '@pts/core/tracking/answer';
import { jsonBody } from '../../answer/body.ts';
import { answersByNumber, refusedCall } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import { isSameNumber } from '../../answer/number.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { destinationAt } from '../../time/destination.ts';
import type { Place } from '../../time/local-time.ts';
import { type ResolvedTime, resolveTime } from '../../time/time-zone.ts';
import type { Requested } from '../manifest.ts';
import { carrierOf } from './carriers.ts';
import { meaningOfEvent, meaningOfStatus, NOT_REGISTERED, outcomeOf } from './codes.ts';

const TITLE = '17TRACK';

/** The results for the numbers of one call. */
export type Sorted = { accepted: JsonObject[]; rejected: JsonObject[] };

/**
 * Reads the answer to one `/gettrackinfo`. A refused call fails every number, a rejected number only itself. A number may be
 * registered under several carriers.
 */
export function parseTrackInfo(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const sorted = sortedIn(outcome);
  if ('kind' in sorted) return refusedCall(requested, sorted);
  const answers = answersByNumber(requested, sorted.accepted, {
    provider: TITLE,
    numbersOf: (item) => [textOf(item, 'number')],
    answerOf: parseTracking,
    carrierOf: (item) => carrierOf(codeOf(item, 'carrier')) ?? null,
    // 17TRACK lists every number: one that it leaves out may be registered.
    missing: { kind: 'not_found' },
  });
  return answers.map((answer, i) => {
    const refused = sorted.rejected.find((item) => isSameNumber(textOf(item, 'number'), requested[i]?.number ?? ''));
    return refused && answer.kind !== 'found' ? rejection(partOf(refused, 'error')) : answer;
  });
}

/** The envelope of every call: `data.accepted[]` and `data.rejected[]`, or why the whole call was refused. */
export function sortedIn(outcome: HttpOutcome): Sorted | FailedAnswer {
  const read = jsonBody(outcome, TITLE);
  if (read.kind === 'failed') return read;
  const data = partOf(read.body, 'data');
  if (Array.isArray(data.accepted))
    return { accepted: objectsIn(data, 'accepted'), rejected: objectsIn(data, 'rejected') };
  // Callbacks have the same tracking in the same place, without a list.
  if (textOf(data, 'number') !== '') return { accepted: [data], rejected: [] };
  const [error = read.body] = objectsIn(data, 'errors');
  const failure = outcomeOf(codeOf(error, 'code'));
  return failed(failure === 'not_found' ? 'unreadable' : failure, messageOf(error));
}

/** A number that was refused: not known yet, or a failure of its own. */
export function rejection(error: JsonObject): CarrierAnswer {
  const code = codeOf(error, 'code');
  if (code === NOT_REGISTERED) return { kind: 'not_found', isUnregistered: true };
  const outcome = outcomeOf(code);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, messageOf(error));
}

export function messageOf(error: JsonObject): string {
  return `${TITLE} answered ${codeOf(error, 'code') || 'no code'}: ${textOf(error, 'message')}`;
}

/** Reads a tracking, from an answer or a callback. The events of all its carriers are one history. */
export function parseTracking(item: JsonObject): CarrierAnswer {
  const info = isObject(item.track_info) ? item.track_info : summaryOf(item);
  const latest = partOf(info, 'latest_status');
  const state = meaningOfStatus(textOf(latest, 'sub_status'), textOf(latest, 'status'));
  const events = objectsIn(partOf(info, 'tracking'), 'providers').flatMap((carrier) => objectsIn(carrier, 'events'));
  const read = (events.length > 0 ? events : [partOf(info, 'latest_event')].filter(hasTime)).map(scanOf);
  const expected = partOf(partOf(info, 'time_metrics'), 'estimated_delivery_date');
  const estimatedDelivery = estimateOf(textOf(expected, 'from'), textOf(expected, 'to'), {});
  return answerFrom(read, TITLE, { state, estimatedDelivery, ...destinationAt(recipientOf(info)) });
}

function recipientOf(info: JsonObject): Place {
  const address = partOf(partOf(info, 'shipping_info'), 'recipient_address');
  return {
    locality: textOf(address, 'city'),
    region: textOf(address, 'state'),
    country: textOf(address, 'country') || textOf(info, 'recipient_country'),
  };
}

/** Lists of registrations have the newest event alone, under other names. */
function summaryOf(item: JsonObject): JsonObject {
  return {
    latest_status: { status: item.package_status },
    latest_event: { time_iso: item.latest_event_time, description: item.latest_event_info },
  };
}

function scanOf(event: JsonObject): ReadScan | null {
  const resolved = timeOf(event);
  if (resolved === null) return null;
  const description = textOf(event, 'description');
  const meaning = meaningOfEvent(textOf(event, 'sub_status'), textOf(event, 'stage'), description);
  return { scan: { ...resolved, location: placeOf(event), description }, meaning };
}

function hasTime(event: JsonObject): boolean {
  return textOf(event, 'time_utc') !== '' || textOf(event, 'time_iso') !== '';
}

/** `time_utc` before `time_iso`, which has an offset, before the carrier's own (`time_raw`). */
function timeOf(event: JsonObject): (ResolvedTime & { timeRaw: string }) | null {
  const iso = textOf(event, 'time_iso');
  const utc = textOf(event, 'time_utc');
  const { time_raw: raw } = event;
  const own = isObject(raw)
    ? `${textOf(raw, 'date')} ${textOf(raw, 'time') || '00:00:00'}${textOf(raw, 'timezone')}`
    : '';
  for (const text of [utc, iso, own, textOf(event, 'time_raw')]) {
    const resolved = resolveTime(text, 'UTC');
    if (resolved) return { ...resolved, timeRaw: iso || text };
  }
  return null;
}

function placeOf(event: JsonObject): string {
  const address = partOf(event, 'address');
  const parts = ['city', 'state', 'country'].map((part) => textOf(address, part)).filter((part) => part !== '');
  return textOf(event, 'location') || parts.join(', ');
}
