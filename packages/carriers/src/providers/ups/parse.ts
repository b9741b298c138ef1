import type { DeliveryWindow } from '@pts/core/estimates';
import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import type { ZoneSource } from '@pts/core/tracking/scan';
import { answerByNumber, answerFrom, isSameNumber } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import { codeTable, GOING_BACK, type Meaning, REFUSED, type ReadScan } from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { refinedByText } from '../../texts/refine.ts';
import { destinationAt, type Place, placeText } from '../../time/place.ts';
import { estimateOf, resolveTime, resolveTimeAt } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'UPS';
/** Errors about the number come with 400 and 404. */
const ANSWERS = [200, 400, 404];

/**
 * Reads the answer to one `GET /api/track/v1/details/{number}`: activities newest first, with local times and, since
 * 2024, the same in GMT. A shipment of several packages is one history; it is delivered when all of them are.
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

/**
 * A shipment of several packages is one history. Their current status lags behind, and counts only without any
 * activity.
 */
function answerOf(shipment: JsonObject, { number }: Requested): CarrierAnswer {
  const packages = objectsIn(shipment, 'package');
  const own = packages.find((each) => isSameNumber(textOf(each, 'trackingNumber'), number)) ?? packages[0] ?? {};
  const scans = packages.flatMap((each) => objectsIn(each, 'activity').map(scanOf));
  return answerFrom(scans, TITLE, {
    ...(scans.length === 0 && { state: meaningOfCurrent(partOf(own, 'currentStatus')) }),
    ...(packages.length > 1 && { pieces: { total: packages.length, delivered: packages.filter(isDelivered).length } }),
    estimatedDelivery: estimateIn(own),
    proof: proofIn(partOf(own, 'deliveryInformation')),
    ...destinationAt(destinationOf(own)),
  });
}

/** Its images are in the answer itself, and have no address. */
function proofIn(delivery: JsonObject) {
  return statedProof({ signedBy: textOf(delivery, 'receivedBy'), place: textOf(delivery, 'location') });
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
  return {
    scan: { ...resolved, timeRaw, location: placeText(place), description },
    meaning,
    place,
    code: textOf(status, 'code') || codeOf(status, 'statusCode'),
  };
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
    postalCode: textOf(address, 'postalCode'),
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
      : failed('unreadable', 'UPS responded without a shipment');
  }
  const code = codeOf(first, 'code');
  const message = `UPS responded with ${code || 'no code'}: ${textOf(first, 'message')}`;
  const outcome = outcomeOfError(code);
  if (outcome === 'not_found') return { kind: 'not_found' };
  // A 404 with the status as its code is about the address of the call.
  if (outcome === undefined && status === 404)
    return code === '404' ? failed('transient', message) : { kind: 'not_found' };
  return failed(outcome ?? (errors.length > 0 && /^10\d{3}$/.test(code) ? 'transient' : 'unreadable'), message);
}

/** The parts of an activity's status. `type` is coarse and reliable; the two codes are finer. */
type UpsStatus = { type: string; code: string; statusCode: string; description: string; isLogical: boolean };

/** `status.type`. */
const meaningOfType = codeTable({
  M: 'info_received', // manifest
  MV: 'cancelled', // label voided
  P: 'in_transit', // picked up
  I: 'in_transit',
  O: 'out_for_delivery',
  D: 'delivered',
  // Freight: at a freight station, or in a warehouse.
  DO: 'in_transit',
  DD: 'in_transit',
  W: 'in_transit',
  X: 'exception', // any kind
});

/** `status.code`: those that say more than their type. */
const meaningOfCode = codeTable({
  OT: 'out_for_delivery',
  OD: 'out_for_delivery',
  OF: 'out_for_delivery',
  RF: REFUSED,
  UR: 'undeliverable', // any kind
  UF: 'undeliverable', // any kind
  VD: 'cancelled', // voided
  CA: 'cancelled', // voided
  CN: 'cancelled', // voided
  CV: 'cancelled', // voided
  DY: 'delayed',
  DE: 'delayed',
  SD: 'delayed',
});
/** On the way back, unless the text or the status code says that it is there. */
const RETURNING: ReadonlySet<string> = new Set(['RS', 'RT', 'RH', 'RU']);

/** `status.statusCode`, if it says more than the type. */
const meaningOfStatusCode = codeTable({
  '006': 'out_for_delivery',
  '021': 'out_for_delivery',
  '072': 'out_for_delivery',
  '017': 'available_for_pickup', // held for the customer
  '040': 'available_for_pickup', // at an Access Point
  '033': GOING_BACK,
  '035': GOING_BACK,
  '036': GOING_BACK,
  '037': GOING_BACK,
  '034': 'returned',
});

/** The meaning of an activity. */
function meaningOf({ type, code, statusCode, description, isLogical }: UpsStatus): Meaning | 'informational' {
  if (type === 'RS' || (RETURNING.has(code) && type !== 'D')) {
    const isBack = meaningOfStatusCode(statusCode)?.status === 'returned';
    return refinedByText(isBack ? { status: 'returned' } : GOING_BACK, description);
  }
  const ofText = meaningOfText(description);
  // With any type: UPS also calls it delivered to the Access Point.
  if (ofText?.status === 'available_for_pickup') return ofText;
  if (type === 'U') return 'informational'; // the delivery date changed
  const ofType = meaningOfType(type);
  const isCoarse = type === 'I' || type === 'P' || ofType === undefined;
  const waits = type === 'X' && meaningOfStatusCode(statusCode)?.status === 'available_for_pickup';
  if (waits) return { status: 'available_for_pickup' };
  // In transit by type and status code: the letters only say why the day has changed.
  const isMoving = type === 'I' && statusCode === '005';
  const fine =
    (isMoving ? undefined : meaningOfCode(code)) ??
    (isCoarse || type === 'D' ? meaningOfStatusCode(statusCode) : undefined);
  if (fine && type !== 'D') return fine;
  if (fine?.status === 'available_for_pickup' || fine?.status === 'returned') return fine;
  if (ofType && isCoarse && isLogical) return 'informational';
  return ofType ?? ofText ?? { status: 'in_transit' };
}

/** The meaning of `currentStatus`, which may have its type as code, or only a text; undefined if it says nothing. */
function meaningOfCurrent(current: JsonObject): Meaning | undefined {
  const [type, code] = [textOf(current, 'type').trim(), textOf(current, 'code').trim()];
  const description = textOf(current, 'description').trim() || textOf(current, 'simplifiedTextDescription').trim();
  if (type === '' && code === '' && description === '') return undefined;
  const isType = type === '' && meaningOfType(code) !== undefined;
  const statusCode = codeOf(current, 'statusCode') || code;
  const meaning = meaningOf({ type: isType ? code : type, code, statusCode, description, isLogical: false });
  return meaning === 'informational' ? undefined : refinedByText(meaning, description);
}

/** Codes of errors and warnings about the requested number. Others concern the call. */
const OUTCOME_OF_ERROR = new Map<string, Failure | 'not_found'>([
  ['TW0001', 'not_found'],
  ['TV1002', 'invalid_number'],
  ['151018', 'invalid_number'],
  ['151044', 'not_found'],
  ['151062', 'not_found'],
  ['UJ0001', 'auth'],
  ['10401', 'auth'],
  ['10403', 'auth'],
  ['10429', 'rate_limited'],
]);

/** The meaning of an error; undefined for one that is not known. Errors of authentication begin with 25. */
export function outcomeOfError(code: string): Failure | 'not_found' | undefined {
  return /^25\d{4}$/.test(code) ? 'auth' : OUTCOME_OF_ERROR.get(code);
}
