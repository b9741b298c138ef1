import type { FailedAnswer } from '@pts/core/tracking/answer';
import type { Course, Scan } from '@pts/core/tracking/scan';
import type { ScanStatus } from '@pts/core/tracking/status';
import { failed } from './failure.ts';

/** The meaning of a code or a text. */
export type Meaning = { status: ScanStatus; course?: Course };

export const GOING_BACK: Meaning = { status: 'exception', course: 'going_back' };
export const REFUSED: Meaning = { status: 'exception', course: 'refused' };

/** A scan as read. Without a meaning it is informational and does not change the status. */
export type ReadScan = { scan: Omit<Scan, 'status'>; meaning: Meaning | null };

/**
 * The scans of an answer with their statuses, oldest first. An informational one has the status of the scan before it.
 * @param read null for a scan whose time cannot be read: it fails the answer, because a partial history would look complete.
 */
export function historyOf(read: readonly (ReadScan | null)[], provider: string): Scan[] | FailedAnswer {
  const scans = read.filter((each) => each !== null);
  if (scans.length < read.length) {
    return failed(
      'unreadable',
      `${provider} answered a scan with an unreadable time (number ${read.indexOf(null) + 1})`,
    );
  }
  let before: ScanStatus | undefined;
  return oldestFirst(scans)
    .toSorted((a, b) => a.scan.time.localeCompare(b.scan.time))
    .map(({ scan, meaning }) => {
      const { status, course }: Meaning = meaning ?? { status: before ?? 'in_transit' };
      before = status;
      return { ...scan, status, ...(course === undefined ? {} : { course }) };
    });
}

/** Whether an answer names the requested number; without one, any number matches. */
export function isAbout(named: string, asked: string): boolean {
  const plain = (number: string) => number.replace(/[\s-]/g, '').toUpperCase();
  return asked === '' || plain(named) === plain(asked);
}

/** Most APIs list the newest scan first. Scans of one second keep the order in which they happened. */
function oldestFirst(scans: readonly ReadScan[]): readonly ReadScan[] {
  const [first, last] = [scans[0]?.scan.time ?? '', scans.at(-1)?.scan.time ?? ''];
  return first >= last ? scans.toReversed() : scans;
}

const ON_ITS_WAY_BACK =
  /\b(?:returning|(?:is|are) being returned|(?:will|to) be returned|return (?:the|this|your))\b|\breturn\b[^.]{0,40}\b(?:requested|initiated|in progress)\b/i;

/** Whether a text about a return means that the parcel is still on its way back. */
export function isOnItsWayBack(text: string): boolean {
  return ON_ITS_WAY_BACK.test(text);
}
