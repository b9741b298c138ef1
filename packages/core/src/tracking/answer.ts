import { hash } from 'node:crypto';
import { type DeliveryWindow, isAhead, isPresumedDelivered } from '../estimates.ts';
import type { Pieces } from './derive.ts';
import { compare, dedupe, type Folded, fold } from './fold.ts';
import { identity } from './match.ts';
import { cleanText } from './outside-text.ts';
import type { PickupPoint, Scan } from './scan.ts';
import type { ScanStatus } from './status.ts';

/**
 * Why a provider returned no answer for a number, and who must act. What a merchant can fix is reported to them;
 * a problem with one number is retried at its regular interval; trouble of the provider pauses all of its checks
 * and never counts against a parcel.
 */
export const FAILURES = {
  invalid_number: 'merchant',
  needs_input: 'merchant',
  unreadable: 'number',
  temporary: 'number',
  auth: 'provider',
  quota: 'provider',
  rate_limited: 'provider',
  transient: 'provider',
} as const;
export type Failure = keyof typeof FAILURES;

/** A history, and further data from the provider. */
export type Found = {
  kind: 'found';
  scans: Scan[];
  /** How many further scans it lists without a time: they have no place in a history. */
  untimed?: number;
  /** The status of the parcel, if the provider reports it without any scan. */
  parcelStatus?: ScanStatus;
  /** The pieces of a shipment that has several. */
  pieces?: Pieces;
  /** The number that the answer names, if it differs from the requested one. */
  otherNumber?: string;
  /** The carrier's own estimate of the delivery. */
  estimatedDelivery?: DeliveryWindow;
  /** Where the parcel goes, as the provider writes it. */
  destination?: string;
  /** Where the recipient picks it up, if it is not delivered to an address. */
  pickupPoint?: PickupPoint;
  /** Whether the provider has stopped tracking the parcel: no later scan will arrive. */
  isWatchEnded?: true;
};

/** Nothing is known. `isUnregistered`: a provider that answers only about registered numbers does not have this one. */
export type NotFound = { kind: 'not_found'; isUnregistered?: true };

/** `isOfOne`: the whole call was refused because of one of its numbers, and it is not known which. */
export type FailedAnswer = {
  kind: 'failed';
  failure: Failure;
  message: string;
  retryAfterSeconds?: number;
  isOfOne?: true;
};

/** A provider's answer for one number: found with its whole history, not known yet, or a classified failure. */
export type CarrierAnswer = Found | NotFound | FailedAnswer;

/** Whether a failure says something about the provider as a whole rather than about one number. */
export function concernsProvider(failure: Failure): boolean {
  return FAILURES[failure] === 'provider';
}

/**
 * A short digest of an answer: equal digests mean that nothing visible to a merchant has changed. It is part of the
 * check's job, so that an unchanged answer costs no database access. The order of the scans does not matter. If the
 * meaning of an answer changes with time alone, its digest changes too.
 * @returns null for a failure that a merchant cannot fix: it says nothing about the parcel and is not stored.
 */
export function fingerprintOf(answer: CarrierAnswer, now: Date): string | null {
  switch (answer.kind) {
    case 'not_found':
      return 'not-found';
    case 'failed':
      return FAILURES[answer.failure] === 'merchant' ? `failed:${answer.failure}` : null;
    case 'found':
      return hash('sha256', visible(answer, now), 'base64url').slice(0, 22);
    default:
      return answer satisfies never;
  }
}

/** The relevant parts of an answer as text, independent of the order of its scans. */
function visible(answer: Found, now: Date): string {
  const lines = answer.scans
    .map((s) => [
      ...[s.time, s.status, s.location, s.description, s.ownStatus, s.course, isAhead(s, now)],
      ...[s.parcel?.status, s.parcel?.course, s.parcel?.isLater],
      ...(s.problem || s.proof ? [s.problem, s.proof] : []),
    ])
    .map((parts) => JSON.stringify(parts))
    .sort();
  const { pieces, otherNumber, parcelStatus, estimatedDelivery, pickupPoint } = answer;
  const estimate = [estimatedDelivery?.from, estimatedDelivery?.to];
  const others = [pieces?.total, pieces?.delivered, otherNumber, isPresumedDelivered(answer, now), parcelStatus];
  return [...lines, JSON.stringify([...others, ...estimate, ...(pickupPoint ? [pickupPoint] : [])])].join('\n');
}

/** The maximum number of scans kept per answer and per parcel. Real histories are a tenth of it. */
export const MAX_SCANS = 500;

/**
 * Bounds a provider's answer: cleans its texts (`cleanText`) and, of more than `MAX_SCANS` scans, keeps the first and
 * the newest ones.
 */
export function boundAnswer(answer: CarrierAnswer): CarrierAnswer {
  if (answer.kind === 'failed') return { ...answer, message: cleanText(answer.message) };
  if (answer.kind !== 'found') return answer;
  const scans = answer.scans.map(cleanScan);
  return {
    ...answer,
    ...(answer.pickupPoint && { pickupPoint: cleanPoint(answer.pickupPoint) }),
    ...(answer.destination === undefined ? {} : { destination: cleanText(answer.destination) }),
    scans: scans.length > MAX_SCANS ? firstAndNewest(fold([], scans).scans, MAX_SCANS) : scans,
  };
}

function cleanPoint(point: PickupPoint): PickupPoint {
  const { latitude: _latitude, longitude: _longitude, ...texts } = point;
  return { ...point, ...cleanTexts(texts) };
}

/** Nearly all scans are clean and are not changed. */
function cleanScan(scan: Scan): Scan {
  const { timeRaw, location, description, code = '', place, proof } = scan;
  const { urls = [], ...handed } = proof ?? {};
  const texts = [timeRaw, location, description, code, ...urls, ...textsIn(place), ...textsIn(handed)];
  if (texts.every(isClean)) return scan;
  return {
    ...scan,
    ...cleanTexts({ timeRaw, location, description }),
    ...(code !== '' && { code: cleanText(code) }),
    ...(place && { place: cleanTexts(place) }),
    // An address that is not clean leads nowhere.
    ...(proof && { proof: { ...cleanTexts(handed), ...(urls.some(isClean) && { urls: urls.filter(isClean) }) } }),
  };
}

function isClean(text: string): boolean {
  return cleanText(text) === text;
}

function textsIn(parts: object | undefined): readonly string[] {
  return parts === undefined ? [] : Object.values(parts);
}

function cleanTexts<T extends Readonly<Record<string, string>>>(texts: T): T {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, cleanText(text)])) as T;
}

/**
 * Folds an answer into the history (`fold`) and keeps at most `most` scans: the first and the newest. A dropped scan
 * is not news when it is reported again: folding the same answer twice changes nothing.
 */
export function foldBounded(history: readonly Scan[], incoming: readonly Scan[], max = MAX_SCANS): Folded {
  const folded = fold(history, stillWanted(history, incoming, max));
  if (folded.scans.length <= max) return folded;
  const scans = firstAndNewest(folded.scans, max);
  return { ...folded, scans, isNews: textOf(scans) !== textOf(history) };
}

/**
 * The scans of an answer that were not dropped before, for a full history: not between its first and its second scan.
 */
function stillWanted(history: readonly Scan[], incoming: readonly Scan[], max: number): readonly Scan[] {
  const [first, second] = history;
  if (history.length < max || !first || !second) return incoming;
  const kept = new Set(history.map(identity));
  return dedupe(incoming).filter(
    (scan) => compare(scan, first) < 0 || compare(scan, second) > 0 || kept.has(identity(scan)),
  );
}

/** The first scan of a history (oldest first) and the newest ones. */
function firstAndNewest(scans: readonly Scan[], max: number): Scan[] {
  return scans.length <= max ? [...scans] : [...scans.slice(0, 1), ...scans.slice(scans.length - max + 1)];
}

/** The part of a history that merchants see. */
function textOf(scans: readonly Scan[]): string {
  return JSON.stringify(scans.map((scan) => [scan.time, scan.status, scan.description, scan.location]));
}
