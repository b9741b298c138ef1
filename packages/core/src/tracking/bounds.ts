import type { CarrierAnswer } from './answer.ts';
import { compare, dedupe, type Folded, fold } from './fold.ts';
import { identity } from './match.ts';
import { cleanText } from './outside-text.ts';
import type { Scan } from './scan.ts';

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
    ...(answer.destination === undefined ? {} : { destination: cleanText(answer.destination) }),
    scans: scans.length > MAX_SCANS ? firstAndNewest(fold([], scans).scans, MAX_SCANS) : scans,
  };
}

/** Nearly all scans are clean and are not changed. */
function cleanScan(scan: Scan): Scan {
  const [timeRaw, location, description] = [
    cleanText(scan.timeRaw),
    cleanText(scan.location),
    cleanText(scan.description),
  ] as const;
  return timeRaw === scan.timeRaw && location === scan.location && description === scan.description
    ? scan
    : { ...scan, timeRaw, location, description };
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

/** The scans of an answer that were not dropped before, for a full history: not between its first and its second scan. */
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
