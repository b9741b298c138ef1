import type { Found } from './answer.ts';
import { fold } from './fold.ts';
import { identity } from './match.ts';
import type { Scan } from './scan.ts';
import type { ScanStatus } from './status.ts';

/** Why an answer seems to be about another parcel; `other_state`: why its state of the parcel is doubted. */
export const QUARANTINE_REASONS = ['other_number', 'other_history', 'other_state'] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/** An answer that seems to be about another parcel, or a doubted state. It is quarantined until a later one confirms it. */
export type Quarantine = {
  /** When the first such answer arrived: ISO 8601 UTC. */
  since: string;
  reason: QuarantineReason;
  /** Its newest scans. */
  scans: Scan[];
};

const CONFIRMED_AFTER_MS = 3_600_000;
const MAX_KEPT = 20;

/**
 * Whether an answer must be quarantined: it names another number, or shares no scan with the known history although it is
 * not newer. One that agrees with it an hour later confirms it.
 * @returns `null` when the answer may be folded in; `confirmed` when it replaces the history.
 */
export function quarantineOf(
  history: readonly Scan[],
  scans: readonly Scan[],
  answer: Pick<Found, 'otherNumber'>,
  before: Quarantine | undefined,
  now: Date,
): Quarantine | 'confirmed' | null {
  const reason = suspicion(history, scans, answer);
  if (reason === null) return null;
  const isAbout = before !== undefined && before.reason !== 'other_state';
  const agrees = isAbout && fold(before.scans, scans).shared > 0;
  if (!agrees) return { since: now.toISOString(), reason, scans: newest(scans) };
  return isConfirmed(before, now) ? 'confirmed' : before;
}

function isConfirmed({ since }: Quarantine, now: Date): boolean {
  return now.getTime() - Date.parse(since) >= CONFIRMED_AFTER_MS;
}

/** By the status of a scan, the states that do not follow it: steps are missing between the two. */
const NOT_NEXT: { [S in ScanStatus]?: readonly ScanStatus[] } = {
  info_received: ['exception', 'undeliverable', 'delivered', 'returned'],
  in_transit: ['delivered', 'returned'],
};

/**
 * Whether the state of the parcel in an answer is doubted: it does not follow its newest scan (delivered, but "billing information
 * received"), and the carrier does not date it after the scan. One that says the same an hour later confirms it.
 * @returns `null` when the state counts.
 */
export function doubtedState(
  history: readonly Scan[],
  scans: readonly Scan[],
  before: Quarantine | undefined,
  now: Date,
): Quarantine | null {
  const scan = scans.find(
    ({ status, parcel }) => parcel && !parcel.isLater && NOT_NEXT[status]?.includes(parcel.status),
  );
  if (scan === undefined) return null;
  const saysSo = (each: Scan) => identity(each) === identity(scan) && each.parcel?.status === scan.parcel?.status;
  if (history.some(saysSo)) return null;
  if (before?.reason !== 'other_state' || !before.scans.some(saysSo))
    return { since: now.toISOString(), reason: 'other_state', scans: [scan] };
  return isConfirmed(before, now) ? null : before;
}

/** A scan without the state of the parcel, and without the course that it had from that. */
export function withoutState({ parcel, course, ...scan }: Scan): Scan {
  return course === undefined || course === parcel?.course ? scan : { ...scan, course };
}

function suspicion(
  history: readonly Scan[],
  scans: readonly Scan[],
  { otherNumber }: Pick<Found, 'otherNumber'>,
): QuarantineReason | null {
  if (scans.length === 0 || fold(history, scans).shared > 0) return null;
  if (otherNumber !== undefined) return 'other_number';
  const latest = history.at(-1)?.time;
  if (latest === undefined || scans.every(({ time }) => time > latest)) return null;
  return 'other_history';
}

function newest(scans: readonly Scan[]): Scan[] {
  return fold([], scans).scans.slice(-MAX_KEPT);
}
