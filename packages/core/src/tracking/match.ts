import { hash } from 'node:crypto';
import type { Scan } from './scan.ts';

/** A known scan and the scan that replaces it in the answer. */
export type Correction = { known: Scan; now: Scan };

export type MatchedScans = {
  /** Scans that both list: same instant, text and place. */
  repeated: Correction[];
  /** Known scans that the answer lists with another time, text or place. */
  corrected: Correction[];
  /** Known scans that the answer does not list, oldest first. */
  missing: Scan[];
  /** Listed scans that are new. */
  fresh: Scan[];
};

/** A time up to this far from another counts as its correction; beyond it, two different scans have the same text. */
const LONGEST_CORRECTION_MS = 48 * 3_600_000;
/** No two zones are further apart. */
const LONGEST_SHIFT_MS = 26 * 3_600_000;
const ZONE_STEP_MS = 900_000;
const DAY_MS = 86_400_000;

/** The identity of a scan: its time, text and place, but not its status. */
export function identity({ time, description, location }: Scan): string {
  return JSON.stringify([time, description, location]);
}

/** The key of a scan: that of its identity when it was first seen. */
export function keyOf(scan: Scan): string {
  return scan.key ?? hash('sha256', identity(scan), 'base64url').slice(0, 16);
}

/**
 * Pairs the scans of a history with those of an answer, each oldest first and without duplicates. A history that the
 * answer lists whole, moved by a zone difference, is paired as such: a moved scan may coincide with another known one.
 * Otherwise each step works on what the previous one left: the same scan, one with more or less of its place, all times
 * moved by the same zone difference, a corrected text, a corrected time.
 */
export function match(history: readonly Scan[], answer: readonly Scan[]): MatchedScans {
  const listed = new Map(answer.map((scan) => [identity(scan), scan]));
  const repeated: Correction[] = [];
  const missing: Scan[] = [];
  for (const known of history) {
    const now = listed.get(identity(known));
    if (now === undefined) missing.push(known);
    else repeated.push({ known, now });
    listed.delete(identity(known));
  }
  if (!isShortened(missing, answer)) {
    const all = { missing: [...history], fresh: [...answer] };
    const moved = take(all, shifted(all.missing, all.fresh));
    if (moved.length > 0) return { repeated: [], corrected: moved, ...all };
  }
  const left = { missing, fresh: [...listed.values()] };
  const placed = take(left, placedAnew(left.missing, left.fresh));
  const moved = take(left, shifted(left.missing, left.fresh));
  const reworded = take(
    left,
    pairBy(left.missing, left.fresh, ({ time, status }) => `${time} ${status}`),
  );
  const retimed = take(left, correctedTimes(left.missing, left.fresh, history.length));
  return { repeated, corrected: [...placed, ...moved, ...reworded, ...retimed], ...left };
}

/** Removes paired scans from both sides. */
function take(left: { missing: Scan[]; fresh: Scan[] }, pairs: Correction[]): Correction[] {
  const known = new Set(pairs.map((pair) => pair.known));
  const now = new Set(pairs.map((pair) => pair.now));
  left.missing = left.missing.filter((scan) => !known.has(scan));
  left.fresh = left.fresh.filter((scan) => !now.has(scan));
  return pairs;
}

/**
 * Whether all that an answer leaves out is older than what it lists. Texts that repeat at regular distances look moved
 * then.
 */
function isShortened(missing: readonly Scan[], answer: readonly Scan[]): boolean {
  const oldest = answer[0]?.time ?? '';
  return missing.every(({ time }) => time < oldest);
}

/** Two or more missing scans that the answer lists with the same time difference, as after a corrected time zone. */
function shifted(missing: readonly Scan[], fresh: readonly Scan[]): Correction[] {
  const [first] = missing;
  if (first === undefined || missing.length < 2) return [];
  const listed = new Map(fresh.map((scan) => [`${Date.parse(scan.time)} ${text(scan)}`, scan]));
  const wanted = missing.map((known) => ({ known, ms: Date.parse(known.time), words: text(known) }));
  const distances = fresh
    .filter((scan) => text(scan) === text(first))
    .map((scan) => distanceMs(first, scan))
    .filter((ms) => Math.abs(ms) <= LONGEST_SHIFT_MS && ms % ZONE_STEP_MS === 0)
    .sort((a, b) => Math.abs(a) - Math.abs(b) || a - b);
  for (const distance of distances) {
    const pairs = wanted.flatMap(({ known, ms, words }) => {
      const now = listed.get(`${ms + distance} ${words}`);
      return now === undefined ? [] : [{ known, now }];
    });
    if (pairs.length === missing.length) return pairs;
  }
  return [];
}

/** Pairs scans that are listed with more or with less of their place than before. */
function placedAnew(missing: readonly Scan[], fresh: readonly Scan[]): Correction[] {
  const waiting = [...fresh];
  return missing.flatMap((known) => {
    const at = waiting.findIndex((now) => isPlacedBetter(known, now) || isPlacedBetter(now, known));
    const [now] = at < 0 ? [] : waiting.splice(at, 1);
    return now === undefined ? [] : [{ known, now }];
  });
}

/**
 * Whether two scans are the same, the first with more parts of its place ("Memphis, TN" and "TN"). A time that its
 * carrier writes without a zone may have been read as another by the place.
 */
export function isPlacedBetter(scan: Scan, other: Scan): boolean {
  if (scan.location === other.location) return false;
  const isSameTime =
    scan.time === other.time || (scan.timeRaw === other.timeRaw && Math.abs(distanceMs(scan, other)) < DAY_MS);
  if (!isSameTime || scan.description !== other.description) return false;
  const [parts, fewer] = [partsOf(scan.location), partsOf(other.location)];
  return fewer.length < parts.length && fewer.every((part) => parts.includes(part));
}

function partsOf(location: string): string[] {
  return location
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '');
}

/** Pairs scans with the same key, in order. */
function pairBy(missing: readonly Scan[], fresh: readonly Scan[], key: (scan: Scan) => string): Correction[] {
  const waiting = new Map<string, Scan[]>();
  for (const scan of fresh) waiting.set(key(scan), [...(waiting.get(key(scan)) ?? []), scan]);
  return missing.flatMap((known) => {
    const now = waiting.get(key(known))?.shift();
    return now === undefined ? [] : [{ known, now }];
  });
}

/**
 * Scans with the same text and place at another time. They are corrections only if the answer still lists the rest
 * of the history: carriers that drop old scans use the same words for new ones.
 */
function correctedTimes(missing: readonly Scan[], fresh: readonly Scan[], historyLength: number): Correction[] {
  const isRestListed = missing.length < historyLength || historyLength === 1;
  if (!isRestListed) return [];
  const unpaired = fresh.map((scan) => ({ scan, text: text(scan), ms: Date.parse(scan.time) }));
  const pairs: Correction[] = [];
  for (const known of missing) {
    const [wanted, ms] = [text(known), Date.parse(known.time)];
    const [best] = unpaired
      .filter((each) => each.text === wanted && Math.abs(each.ms - ms) <= LONGEST_CORRECTION_MS)
      .sort((a, b) => Math.abs(a.ms - ms) - Math.abs(b.ms - ms) || a.ms - b.ms);
    if (best === undefined) return [];
    unpaired.splice(unpaired.indexOf(best), 1);
    pairs.push({ known, now: best.scan });
  }
  return pairs;
}

/** Two texts with at least this share of common letter pairs are versions of the same text. */
const SIMILAR_SHARE = 0.5;

/** Whether a correction leaves the place or most of the words of a scan. */
export function isAlike({ known, now }: Correction): boolean {
  if (known.location !== '' && known.location === now.location) return true;
  const [a, b] = [pairsOf(known.description), pairsOf(now.description)];
  const common = [...a].filter((pair) => b.has(pair)).length;
  return known.description === now.description || 2 * common >= SIMILAR_SHARE * (a.size + b.size);
}

function pairsOf(description: string): ReadonlySet<string> {
  return new Set(Array.from({ length: Math.max(0, description.length - 1) }, (_, at) => description.slice(at, at + 2)));
}

function text({ description, location }: Scan): string {
  return JSON.stringify([description, location]);
}

function distanceMs(from: Scan, to: Scan): number {
  return Date.parse(to.time) - Date.parse(from.time);
}
