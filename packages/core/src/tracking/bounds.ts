import type { Answer } from './answer.ts';
import { type Folded, fold } from './fold.ts';
import { cleanText } from './outside-text.ts';
import type { Scan } from './scan.ts';

/** Scans kept of one answer, and of one parcel. Honest histories are a tenth of it. */
export const MOST_SCANS = 500;
/** Ends the repeated folding; each round but the last corrects a scan that the carrier has withdrawn. */
const MOST_ROUNDS = 20;

/**
 * A provider's answer within its bounds: texts cleaned (`cleanText`), and of more than `MOST_SCANS` scans the first and
 * the newest.
 */
export function boundAnswer(answer: Answer): Answer {
  if (answer.kind === 'failed') return { ...answer, message: cleanText(answer.message) };
  if (answer.kind !== 'found') return answer;
  const scans = answer.scans.map(cleanScan);
  return { ...answer, scans: scans.length > MOST_SCANS ? firstAndNewest(fold([], scans).scans, MOST_SCANS) : scans };
}

function cleanScan(scan: Scan): Scan {
  return {
    ...scan,
    timeRaw: cleanText(scan.timeRaw),
    location: cleanText(scan.location),
    description: cleanText(scan.description),
  };
}

/**
 * Folds an answer into the history (`fold`) and keeps at most `most` scans: the first and the newest. What is left out
 * is no news when it is told again: folding the same answer twice changes nothing.
 */
export function foldBounded(history: readonly Scan[], incoming: readonly Scan[], most = MOST_SCANS): Folded {
  const folded = fold(history, incoming);
  if (folded.scans.length <= most) return folded;
  let scans = firstAndNewest(folded.scans, most);
  // A scan that was left out may still correct one that was kept. Until that has settled, a repetition would be news.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = firstAndNewest(fold(scans, incoming).scans, most);
    if (textOf(next) === textOf(scans)) break;
    scans = next;
  }
  return { ...folded, scans, isNews: textOf(scans) !== textOf(history) };
}

/** Of a history, oldest first: its first scan and the newest ones. */
function firstAndNewest(scans: readonly Scan[], most: number): Scan[] {
  return scans.length <= most ? [...scans] : [...scans.slice(0, 1), ...scans.slice(scans.length - most + 1)];
}

/** What merchants see of a history. */
function textOf(scans: readonly Scan[]): string {
  return JSON.stringify(scans.map((scan) => [scan.time, scan.status, scan.description, scan.location]));
}
