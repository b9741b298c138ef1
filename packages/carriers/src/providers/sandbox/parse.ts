import { type CarrierAnswer, FAILURES, type Failure } from '@pts/core/tracking/answer';
import { type Pieces, TROUBLED } from '@pts/core/tracking/derive';
import type { Scan } from '@pts/core/tracking/scan';
import { isSubStatus, type ScanStatus } from '@pts/core/tracking/status';
import { bodyOrFailure, failed } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { isObject, type JsonObject, parseObject, partOf, textOf } from '../../http/json.ts';
import { proofIn } from '../../texts/proof.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { pickupPointAt } from '../../time/place.ts';
import { resolveTime } from '../../time/time.ts';

/**
 * Reads the answer to one `POST /track` call of the sandbox carrier: `{results: […]}`, one result per number, in the
 * order requested. A failed call fails every number; an invalid result fails only its number.
 */
export function parseTrack(outcome: HttpOutcome, numbers: readonly string[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, 'The sandbox carrier');
  if (typeof body !== 'string') return numbers.map(() => body);
  const results = parseObject(body)?.results;
  if (!Array.isArray(results)) {
    return numbers.map(() => failed('unreadable', 'The sandbox carrier responded without results'));
  }
  return numbers.map((number, i) => answerOf(results[i], number));
}

function answerOf(result: unknown, number: string): CarrierAnswer {
  if (!isObject(result) || result.number !== number) {
    return failed('unreadable', `The sandbox carrier's result is not about ${number}`);
  }
  if (isObject(result.error)) return failureOf(result.error);
  if (result.found === false) return { kind: 'not_found' };
  const scans = result.found === true && Array.isArray(result.scans) ? result.scans.map(scanOf) : [null];
  if (!scans.every((scan) => scan !== null)) {
    return failed('unreadable', `The sandbox carrier's result about ${number} cannot be read`);
  }
  const pieces = piecesOf(result.pieces);
  const point = partOf(result, 'pickup_point');
  const pickupPoint = pickupPointAt({
    name: textOf(point, 'name'),
    address: textOf(point, 'address'),
    openingHours: textOf(point, 'opening_hours'),
  });
  return { kind: 'found', scans, ...(pieces && { pieces }), ...(pickupPoint && { pickupPoint }) };
}

function piecesOf(value: unknown): Pieces | null {
  if (!isObject(value)) return null;
  const { total, delivered } = value;
  return typeof total === 'number' && typeof delivered === 'number' ? { total, delivered } : null;
}

function failureOf(error: JsonObject): CarrierAnswer {
  const code = textOf(error, 'code');
  const seconds = error.retry_after_seconds;
  const retryAfterSeconds = typeof seconds === 'number' && seconds >= 0 ? seconds : undefined;
  // For one number, it is a problem of this number; trouble of the carrier fails the whole call.
  const failure = code === 'transient' ? 'temporary' : isFailure(code) ? code : 'unreadable';
  return failed(failure, textOf(error, 'message') || code, retryAfterSeconds);
}

function scanOf(value: unknown): Scan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'time');
  const resolved = resolveTime(timeRaw, 'UTC');
  const status = textOf(value, 'status');
  if (!resolved || !isScanStatus(status)) return null;
  const { location, description } = { location: textOf(value, 'location'), description: textOf(value, 'description') };
  const course = textOf(value, 'course');
  // Field by field: spreading the object would cost more than reading the answer.
  const { time, zoneSource } = resolved;
  const scan: Scan = { time, zoneSource, timeRaw, location, description, status };
  if (course === 'refused' || course === 'going_back') return { ...scan, course };
  const problem = TROUBLED.includes(status) ? meaningOfText(description)?.problem : undefined;
  const proof = status === 'delivered' ? proofIn(description) : undefined;
  return problem || proof ? { ...scan, ...(problem && { problem }), ...(proof && { proof }) } : scan;
}

function isFailure(code: string): code is Failure {
  return Object.hasOwn(FAILURES, code);
}

function isScanStatus(status: string): status is ScanStatus {
  return isSubStatus(status) && status !== 'pending' && status !== 'expired';
}
