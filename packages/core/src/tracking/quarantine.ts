import type { Found } from './answer.ts';
import { fold } from './fold.ts';
import type { Scan } from './scan.ts';

/** Why an answer seems to be about another parcel. */
export const QUARANTINE_REASONS = ['other_number', 'other_history'] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/** An answer that seems to be about another parcel. It is quarantined until a later one confirms it. */
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
  const agrees = before !== undefined && fold(before.scans, scans).shared > 0;
  if (!agrees) return { since: now.toISOString(), reason, scans: newest(scans) };
  return now.getTime() - Date.parse(before.since) >= CONFIRMED_AFTER_MS ? 'confirmed' : before;
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
