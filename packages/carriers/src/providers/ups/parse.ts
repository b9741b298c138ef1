import type { DeliveryWindow } from '@pts/core/estimates';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { ZoneSource } from '@pts/core/tracking/scan';
import { jsonBody } from '../../answer/body.ts';
import { answerByNumber } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import { isSameNumber } from '../../answer/number.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { destinationAt } from '../../time/destination.ts';
import { type Place, placeText, resolveTimeAt } from '../../time/local-time.ts';
import { resolveTime } from '../../time/time-zone.ts';
import type { Requested } from '../manifest.ts';
import { meaningOf, meaningOfCurrent, outcomeOfError } from './codes.ts';

const TITLE = 'UPS';
/** Errors about the number come with 400 and 404. */
const ANSWERS = [200, 400, 404];

/**
 * Reads the answer to one `GET /api/track/v1/details/{number}`: activities newest first, with local times and, since 2024,
 * the same in GMT. A shipment of several packages is one history; it is delivered when all of them are.
 */
export function parseDetails(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const body = jsonBody(outcome, TITLE, ANSWERS);
  if (body.kind === 'failed') return body;
  const { body: answer, status } = body;
  const shipments = objectsIn(partOf(answer, 'trackResponse'), 'shipment');
  const listed = shipments.filter((shipment) => objectsIn(shipment, 'package').length > 0);
  const read = answerByNumber(requested, listed, {
    provider: TITLE,
    numbersOf,
    answerOf,
    missing: { kind: 'not_found' },
  });
  return read.kind === 'not_found' ? withoutActivity(answer, shipments, status) : read;
}

/** A shipment of several packages is one history. Their current status lags behind, and counts only without any activity. */
function answerOf(shipment: JsonObject, { number }: Requested): CarrierAnswer {
  const packages = objectsIn(shipment, 'package');
  const own = packages.find((each) => isSameNumber(textOf(each, 'trackingNumber'), number)) ?? packages[0] ?? {};
  const scans = packages.flatMap((each) => objectsIn(each, 'activity').map(scanOf));
  return answerFrom(scans, TITLE, {
    ...(scans.length === 0 && { state: meaningOfCurrent(partOf(own, 'currentStatus')) }),
    ...(packages.length > 1 && { pieces: { total: packages.length, delivered: packages.filter(isDelivered).length } }),
    estimatedDelivery: estimateIn(own),
    ...destinationAt(destinationOf(own)),
  });
}

function numbersOf(shipment: JsonObject): string[] {
  const packages = objectsIn(shipment, 'package');
  const alternatives = packages.flatMap((each) => objectsIn(each, 'alternateTrackingNumber'));
  return [
    textOf(shipment, 'inquiryNumber'),
    ...packages.map((each) => textOf(each, 'trackingNumber')),
    ...alternatives.map((each) => textOf(each, 'number')),
  ];
}

function isDelivered(piece: JsonObject): boolean {
  const [newest = {}] = objectsIn(piece, 'activity');
  const current = partOf(piece, 'currentStatus');
  return textOf(partOf(newest, 'status'), 'type') === 'D' || textOf(current, 'type') === 'D';
}

function scanOf(activity: JsonObject): ReadScan | null {
  const place = placeOf(partOf(partOf(activity, 'location'), 'address'));
  const [date, time] = [textOf(activity, 'date'), textOf(activity, 'time')];
  const resolved = timeOf(activity, place);
  if (resolved === null) return null;
  const status = partOf(activity, 'status');
  const description = textOf(status, 'description').trim();
  const meaning = meaningOf({
    type: textOf(status, 'type').trim(),
    code: textOf(status, 'code').trim(),
    statusCode: codeOf(status, 'statusCode'),
    description,
    isLogical: activity.logicalScan === true || textOf(activity, 'logicalScan') === 'true',
  });
  const timeRaw = `${date || textOf(activity, 'gmtDate')} ${time || textOf(activity, 'gmtTime')}`.trim();
  return { scan: { ...resolved, timeRaw, location: placeText(place), description }, meaning };
}

/** GMT if the activity has it; otherwise local, with the offset if it has one. */
function timeOf(activity: JsonObject, place: Place): { time: string; zoneSource: ZoneSource } | null {
  const gmt = clock(textOf(activity, 'gmtDate'), textOf(activity, 'gmtTime'));
  const ofGmt = gmt && resolveTime(`${gmt}Z`);
  if (ofGmt) return ofGmt;
  const local = clock(textOf(activity, 'date'), textOf(activity, 'time') || '000000');
  if (local === null) return null;
  const ofOffset = resolveTime(local + textOf(activity, 'gmtOffset').trim());
  return ofOffset?.zoneSource === 'carrier' ? ofOffset : resolveTimeAt(local, place, ['US']);
}

/** `20310501` or `2031-05-01` with `80203`, `080203` or `08:02:03`, which UPS also writes without the leading zero. */
function clock(date: string, time: string): string | null {
  const [day, digits] = [date.replaceAll('-', ''), time.replaceAll(':', '')];
  if (!/^\d{8}$/.test(day) || !/^\d{1,6}$/.test(digits)) return null;
  const padded = digits.padStart(6, '0');
  const parts = [padded.slice(0, 2), padded.slice(2, 4), padded.slice(4)];
  return `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${parts.join(':')}`;
}

function placeOf(address: JsonObject): Place {
  return {
    locality: textOf(address, 'city'),
    region: textOf(address, 'stateProvince'),
    country: textOf(address, 'countryCode') || textOf(address, 'country'),
  };
}

function destinationOf(piece: JsonObject): Place {
  const addresses = objectsIn(piece, 'packageAddress');
  return placeOf(partOf(addresses.find((each) => /DESTINATION/i.test(textOf(each, 'type'))) ?? {}, 'address'));
}

/** A rescheduled day or the scheduled one, with its window; none for a package that was delivered. */
function estimateIn(piece: JsonObject): DeliveryWindow | undefined {
  const days = new Map(objectsIn(piece, 'deliveryDate').map((each) => [textOf(each, 'type'), textOf(each, 'date')]));
  const day = days.get('RDD') ?? days.get('SDD') ?? '';
  if (days.has('DEL') || !/^\d{8}$/.test(day)) return undefined;
  const place = destinationOf(piece);
  const window = partOf(piece, 'deliveryTime');
  const [from, to] = [clock(day, textOf(window, 'startTime')), clock(day, textOf(window, 'endTime'))];
  const whole = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
  return estimateOf(from ?? whole, to ?? whole, place);
}

function withoutActivity(answer: JsonObject, shipments: readonly JsonObject[], status: number): CarrierAnswer {
  const errors = objectsIn(partOf(answer, 'response'), 'errors');
  const warnings = shipments.flatMap((shipment) => objectsIn(shipment, 'warnings'));
  const [first] = [...errors, ...warnings];
  if (!first) {
    return Array.isArray(partOf(answer, 'trackResponse').shipment)
      ? { kind: 'not_found' }
      : failed('unreadable', 'UPS answered without a shipment');
  }
  const code = codeOf(first, 'code');
  const message = `UPS answered ${code || 'no code'}: ${textOf(first, 'message')}`;
  const outcome = outcomeOfError(code);
  if (outcome === 'not_found') return { kind: 'not_found' };
  // A 404 with the status as its code is about the address of the call.
  if (outcome === undefined && status === 404)
    return code === '404' ? failed('transient', message) : { kind: 'not_found' };
  return failed(outcome ?? (errors.length > 0 && /^10\d{3}$/.test(code) ? 'transient' : 'unreadable'), message);
}
