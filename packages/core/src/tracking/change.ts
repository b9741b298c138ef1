import type { Answer } from './answer.ts';
import { foldBounded } from './bounds.ts';
import { type EventKind, eventsBetween } from './emit.ts';
import { deriveSubStatus } from './fold.ts';
import type { Scan } from './scan.ts';
import { overallStatus, type Status, type SubStatus } from './status.ts';

/** What the history of a parcel amounts to. */
export type Snapshot = {
  scans: Scan[];
  status: Status;
  subStatus: SubStatus;
  /** Why the carrier has no answer, in words for the merchant; null while it has one. */
  notice: string | null;
};

export type Change = { after: Snapshot; emits: EventKind[] };

/** What an answer makes of a parcel: its snapshot afterwards, and the events that the change emits. */
export function applyAnswer(before: Snapshot, answer: Answer): Change {
  if (answer.kind === 'found') return applyScans(before, answer.scans);
  const notice = answer.kind === 'failed' ? answer.message : null;
  return { after: { ...before, notice }, emits: [] };
}

function applyScans(before: Snapshot, incoming: readonly Scan[]): Change {
  const { scans, isNews } = foldBounded(before.scans, incoming);
  const subStatus = revived(before, isNews) ? deriveSubStatus(scans) : before.subStatus;
  const after = { scans, subStatus, status: overallStatus(subStatus, before.status), notice: null };
  return { after, emits: eventsBetween(before, after, isNews) };
}

/** An expired parcel stays expired until there is news of it. */
function revived(before: Snapshot, isNews: boolean): boolean {
  return before.subStatus !== 'expired' || isNews;
}

/** What 30 days without news make of a parcel: `expired`, its status unchanged. */
export function expire(before: Snapshot): Change {
  const after: Snapshot = { ...before, subStatus: 'expired' };
  return { after, emits: eventsBetween(before, after, false) };
}
